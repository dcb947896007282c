// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/bpf/text.h"

#include "common/memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Documentation/bpf/standardization/instruction-set.rst; linux-libc-dev names the operations.
enum { FIRST_ARGUMENT = 1, LAST_ARGUMENT = 5 };

// r0 to r10 (arch/x86/net/bpf_jit_comp.c, reg2hex).
static const char *const registers[2][11] = {
    {"eax", "edi", "esi", "edx", "ecx", "r8d", "ebx", "r13d", "r14d", "r15d", "ebp"},
    {"rax", "rdi", "rsi", "rdx", "rcx", "r8", "rbx", "r13", "r14", "r15", "rbp"},
};

static const char *arithmetic(int operation) {
    switch (operation) {
    case BPF_ADD:
        return "add";
    case BPF_SUB:
        return "sub";
    case BPF_AND:
        return "and";
    case BPF_OR:
        return "or";
    case BPF_XOR:
        return "xor";
    case BPF_LSH:
        return "shl";
    case BPF_RSH:
        return "shr";
    case BPF_ARSH:
        return "sar";
    case BPF_MUL:
        return "imul";
    case BPF_MOV:
        return "mov";
    default:
        return NULL;
    }
}

static bool put_arithmetic(const struct bpf_insn *insn, char *text) {
    int wide = BPF_CLASS(insn->code) == BPF_ALU64;
    const char *name = arithmetic(BPF_OP(insn->code)), *to = registers[wide][insn->dst_reg];
    if (!name || insn->off)
        return false;
    if (BPF_SRC(insn->code) == BPF_X)
        snprintf(text, TEXT_SIZE, "%s %%%s,%%%s", name, registers[wide][insn->src_reg], to);
    else if (BPF_OP(insn->code) == BPF_MOV && !insn->imm)
        snprintf(text, TEXT_SIZE, "xor %%%s,%%%s", registers[0][insn->dst_reg],
                 registers[0][insn->dst_reg]);
    else if (BPF_OP(insn->code) == BPF_MOV && insn->imm > 0)
        snprintf(text, TEXT_SIZE, "mov $0x%x,%%%s", (unsigned)insn->imm,
                 registers[0][insn->dst_reg]);
    else
        snprintf(text, TEXT_SIZE, "%s $0x%llx,%%%s", name,
                 wide ? (unsigned long long)insn->imm : (unsigned)insn->imm, to);
    return true;
}

// The JIT gives each address a displacement.
static void put_address(int base, int offset, char *text) {
    snprintf(text, TEXT_SIZE, "%s0x%x(%%%s)", offset < 0 ? "-" : "", (unsigned)abs(offset),
             registers[1][base]);
}

static bool put_atomic(const struct bpf_insn *insn, const char *from, const char *address,
                       char *text) {
    const char *name;
    switch (insn->imm) {
    case BPF_ADD:
        name = "lock add";
        break;
    case BPF_ADD | BPF_FETCH:
        name = "lock xadd";
        break;
    case BPF_XCHG:
        name = "lock xchg";
        break;
    case BPF_CMPXCHG:
        name = "lock cmpxchg";
        break;
    default:
        return false;
    }
    snprintf(text, TEXT_SIZE, "%s %%%s,%s", name, from, address);
    return true;
}

static bool put_access(const struct bpf_insn *insn, char *text) {
    int wide = BPF_SIZE(insn->code) == BPF_DW, class = BPF_CLASS(insn->code);
    char address[TEXT_SIZE];
    put_address(class == BPF_LDX ? insn->src_reg : insn->dst_reg, insn->off, address);
    if (!wide && BPF_SIZE(insn->code) != BPF_W)
        return false;
    if (class == BPF_STX && BPF_MODE(insn->code) == BPF_ATOMIC)
        return put_atomic(insn, registers[wide][insn->src_reg], address, text);
    if (BPF_MODE(insn->code) != BPF_MEM || class == BPF_ST)
        return false;
    if (class == BPF_STX)
        snprintf(text, TEXT_SIZE, "mov %%%s,%s", registers[wide][insn->src_reg], address);
    else
        snprintf(text, TEXT_SIZE, "mov %s,%%%s", address, registers[wide][insn->dst_reg]);
    return true;
}

static const struct object_reference *reference_at(const struct object *object, size_t at) {
    for (size_t i = 0; i < object->reference_count; i++)
        if (object->references[i].at == at)
            return &object->references[i];
    return NULL;
}

int text_of_instruction(const struct object *object, size_t at, char (*text)[TEXT_SIZE]) {
    const struct bpf_insn *insn = &object->code[at];
    int class = BPF_CLASS(insn->code), operation = BPF_OP(insn->code);
    if (insn->dst_reg > 10 || insn->src_reg > 10)
        return 0;
    if (class == BPF_ALU || class == BPF_ALU64)
        return put_arithmetic(insn, text[0]);
    if (class == BPF_LDX || class == BPF_STX || class == BPF_ST)
        return put_access(insn, text[0]);
    if (class == BPF_JMP && operation == BPF_CALL) {
        const struct object_reference *reference = reference_at(object, at);
        return reference ? snprintf(text[0], TEXT_SIZE, "%s", reference->name) > 0 : 0;
    }
    if (class == BPF_JMP && BPF_SRC(insn->code) == BPF_K && !insn->imm &&
        (operation == BPF_JNE || operation == BPF_JEQ)) {
        const char *name = registers[1][insn->dst_reg];
        snprintf(text[0], TEXT_SIZE, "test %%%s,%%%s", name, name);
        snprintf(text[1], TEXT_SIZE, operation == BPF_JNE ? "jnz" : "jz");
        return 2;
    }
    return 0;
}

// How many instructions at `at` only put arguments for the call behind them; 0: none do.
static size_t arguments_at(const struct object *object, size_t at) {
    size_t end = at;
    for (; end < object->loop_end; end++) {
        const struct bpf_insn *insn = &object->code[end];
        int operation = BPF_OP(insn->code), class = BPF_CLASS(insn->code);
        bool handed = class == BPF_ALU64 && (operation == BPF_MOV || operation == BPF_ADD);
        bool address = insn->code == (BPF_LD | BPF_IMM | BPF_DW);
        if ((!handed && !address) || insn->dst_reg < FIRST_ARGUMENT ||
            insn->dst_reg > LAST_ARGUMENT)
            break;
        end += address;
    }
    return end < object->loop_end && object->code[end].code == (BPF_JMP | BPF_CALL) ? end - at : 0;
}

char (*text_of_loop(const struct object *object, size_t *count))[TEXT_SIZE] {
    size_t end = object->loop_end - 2; // sub, jne
    char(*lines)[TEXT_SIZE] = memory_zero(2 * (end - object->loop_begin) + 2, sizeof *lines);
    *count = 0;
    for (size_t at = object->loop_begin; at < end; at++) {
        at += arguments_at(object, at);
        int made = text_of_instruction(object, at, lines + *count);
        if (!made) {
            *count = at;
            free(lines);
            return NULL;
        }
        *count += (size_t)made;
    }
    strcpy(lines[(*count)++], "dec %rbx");
    strcpy(lines[(*count)++], "jnz");
    return lines;
}

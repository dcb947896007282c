// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/bpf/native.h"

#include "common/memory.h"
#include "runner/bpf/live.h"
#include "runner/bpf/text.h"
#include "runner/disassemble/loop_text.h"
#include "runner/disassemble/objdump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// One function: what the object says, and what the JIT made of it.
struct pair {
    const struct object *object;
    const struct load_native *code;
    const struct symbols *symbols;
    size_t function;
    struct instruction *instructions; // targets as addresses, the texts of calls with their names
    size_t count, at;                 // the next that is not accounted for
    size_t *places; // of each instruction of the object's function: where its native form begins
    struct native *native;
};

static bool is_any(const char *text, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (canonical_is(text, names[i]))
            return true;
    return false;
}

static bool is_nothing(const char *text) {
    static const char *const names[] = {"nop", "nopl", "nopw", "endbr64"};
    return is_any(text, names, sizeof names / sizeof *names) || !strcmp(text, "xchg %ax,%ax") ||
           (canonical_is(text, "sar") && strstr(text, "%gs:")); // depth of calls
}

static bool is_entry(const char *text) {
    static const char *const names[] = {"push", "sub", "xor"};
    return is_nothing(text) || is_any(text, names, sizeof names / sizeof *names) ||
           !strcmp(text, "mov %rsp,%rbp");
}

static bool is_leaving(const char *text) {
    static const char *const names[] = {"pop", "leave", "ret", "int3"};
    return is_nothing(text) || is_any(text, names, sizeof names / sizeof *names);
}

static const struct instruction *next(const struct pair *pair) {
    return pair->at < pair->count ? &pair->instructions[pair->at] : NULL;
}

// Pass over what may stand there beside what the object says.
static void skip(struct pair *pair, bool may_stand(const char *text)) {
    while (pair->at < pair->count && may_stand(pair->instructions[pair->at].text))
        pair->at++;
}

static bool differs(struct pair *pair, const char *expected) {
    const struct instruction *found = next(pair);
    const struct object_function *function = &pair->object->functions[pair->function];
    free(pair->native->why);
    pair->native->why = text_make("native code of '%s': '%s' stands where '%s' must",
                                  function->name, found ? found->text : "nothing", expected);
    return false;
}

static bool take_text(struct pair *pair, const char *expected) {
    skip(pair, is_nothing);
    if (!next(pair) || strcmp(next(pair)->text, expected) != 0)
        return differs(pair, expected);
    pair->at++;
    return true;
}

static const struct object_reference *reference_at(const struct object *object, size_t at) {
    for (size_t i = 0; i < object->reference_count; i++)
        if (object->references[i].at == at)
            return &object->references[i];
    return NULL;
}

// The call of the object at `at`: to this function and no other.
static bool take_call(struct pair *pair, size_t at) {
    const struct object_reference *reference = reference_at(pair->object, at);
    bool own = reference->use == OBJECT_USE_own;
    uint64_t to = own ? pair->code->functions[reference->function].address
                      : symbols_address(pair->symbols, reference->name);
    char expected[TEXT_SIZE + 8];
    snprintf(expected, sizeof expected, "call %s", reference->name);
    skip(pair, is_nothing);
    const struct instruction *found = next(pair);
    if (!found || strncmp(found->text, "call", 4) != 0 || !to || found->target != to)
        return differs(pair, expected);
    pair->at++;
    return true;
}

// lddw: a number or an address, which is another at each load.
static bool take_value(struct pair *pair, size_t at) {
    const struct object_reference *reference = reference_at(pair->object, at);
    static const char *const names[] = {"mov", "movabs", "xor"};
    skip(pair, is_nothing);
    if (!next(pair) || !is_any(next(pair)->text, names, sizeof names / sizeof *names))
        return differs(pair, reference ? reference->name : "lddw");
    snprintf(pair->instructions[pair->at].text, CANONICAL_SIZE, "mov $%s+0x%x",
             reference ? reference->name : "lddw", reference ? reference->offset : 0);
    pair->at++;
    return true;
}

static bool take_exit(struct pair *pair) {
    skip(pair, is_nothing);
    size_t before = pair->at;
    skip(pair, is_leaving);
    if (next(pair) && canonical_is(next(pair)->text, "jmp"))
        pair->at++; // a return thunk, or where an earlier end is
    skip(pair, is_leaving);
    return pair->at > before || differs(pair, "ret");
}

// A jump to what stands next, of which the JIT makes nothing.
static bool jumps_nowhere(const struct bpf_insn *insn) {
    return insn->code == (BPF_JMP | BPF_JA) && !insn->off;
}

// One instruction of the object; *at moves behind it.
static bool take(struct pair *pair, size_t *at) {
    const struct bpf_insn *insn = &pair->object->code[*at];
    char texts[2][TEXT_SIZE];
    size_t here = (*at)++;
    if (insn->code == (BPF_LD | BPF_IMM | BPF_DW)) {
        (*at)++;
        return take_value(pair, here);
    }
    if (insn->code == (BPF_JMP | BPF_CALL))
        return take_call(pair, here);
    if (insn->code == (BPF_JMP | BPF_EXIT))
        return take_exit(pair);
    if (jumps_nowhere(insn))
        return true;
    int count = text_of_instruction(pair->object, here, texts);
    for (int i = 0; i < count; i++)
        if (!take_text(pair, texts[i]))
            return false;
    return count || differs(pair, "an instruction that has no text");
}

// A jump of the object at `at`, the last native instruction of which is a jump, too: it must go to
// where the same instruction begins.
static bool check_jump(struct pair *pair, size_t at) {
    const struct bpf_insn *insn = &pair->object->code[at];
    const struct object_function *function = &pair->object->functions[pair->function];
    int class = BPF_CLASS(insn->code), operation = BPF_OP(insn->code);
    if (class != BPF_JMP || operation == BPF_CALL || operation == BPF_EXIT || jumps_nowhere(insn))
        return true;
    size_t here = at - function->first, to = here + 1 + (size_t)(ptrdiff_t)insn->off;
    const struct instruction *jump = &pair->instructions[pair->places[here + 1] - 1];
    if (jump->target == pair->instructions[pair->places[to]].address)
        return true;
    pair->at = pair->places[here + 1] - 1;
    return differs(pair, "a jump to another place");
}

static void take_loop(struct pair *pair) {
    const struct object *object = pair->object;
    const struct object_function *function = &object->functions[object->loop];
    size_t first = pair->places[object->loop_begin - function->first];
    size_t end = pair->places[object->loop_end - function->first];
    const struct instruction *loop = &pair->instructions[first];
    pair->native->loop_address = loop->address;
    pair->native->loop_bytes = (size_t)(pair->instructions[end].address - loop->address);
    pair->native->mix = loop_text_mix(loop, end - first);
    pair->native->order = loop_text_order(loop, end - first);
}

static void skip_entry(struct pair *pair, size_t first) {
    char texts[2][TEXT_SIZE];
    int count = text_of_instruction(pair->object, first, texts);
    while (next(pair) && is_entry(next(pair)->text) &&
           (!count || strcmp(next(pair)->text, texts[0]) != 0))
        pair->at++;
}

static bool check_function(struct pair *pair) {
    const struct object_function *function = &pair->object->functions[pair->function];
    size_t first = function->first, end = first + function->count;
    skip_entry(pair, first);
    for (size_t at = first; at < end;) {
        pair->places[at - first] = pair->at;
        if (!take(pair, &at))
            return false;
    }
    pair->places[function->count] = pair->at;
    skip(pair, is_leaving);
    if (pair->at < pair->count)
        return differs(pair, "the end");
    for (size_t at = first; at < end; at++)
        if (!check_jump(pair, at))
            return false;
    if (pair->function == pair->object->loop)
        take_loop(pair);
    return true;
}

// Of the program itself, which only calls the others and takes the time between, the calls of
// these, in order.
static bool check_program(struct pair *pair) {
    const struct object *object = pair->object;
    for (size_t i = 0; i < object->reference_count; i++) {
        const struct object_reference *reference = &object->references[i];
        if (reference->at >= object->functions[0].count || reference->use != OBJECT_USE_own)
            continue;
        uint64_t to = pair->code->functions[reference->function].address;
        while (next(pair) && (strncmp(next(pair)->text, "call", 4) || next(pair)->target != to))
            pair->at++;
        if (!next(pair))
            return differs(pair, reference->name);
        pair->at++;
    }
    return true;
}

// The listing of all functions at 0, moved to where they are: those of function `i`, `at` bytes
// into the listing. Calls get the names of their targets.
static void take_instructions(struct pair *pair, const struct listing *listing, size_t at) {
    const struct load_code *code = &pair->code->functions[pair->function];
    pair->instructions = memory_zero(listing->count + 1, sizeof *pair->instructions);
    pair->places =
        memory_zero(pair->object->functions[pair->function].count + 1, sizeof *pair->places);
    for (size_t i = 0; i < listing->count; i++) {
        struct instruction *to = &pair->instructions[pair->count];
        const struct instruction *from = &listing->instructions[i];
        if (from->address < at || from->address >= at + code->length)
            continue;
        *to = *from;
        to->address += code->address - at;
        to->target += to->target ? code->address - at : 0;
        pair->count++;
    }
    pair->instructions[pair->count].address = code->address + code->length;
}

// Calls and jumps out of the function get the names of where they go.
static void put_targets(const struct pair *pair) {
    const struct load_code *code = &pair->code->functions[pair->function];
    for (size_t i = 0; i < pair->count; i++) {
        struct instruction *instruction = &pair->instructions[i];
        uint64_t target = instruction->target;
        char *name = NULL;
        if (!target || (target > code->address && target < code->address + code->length))
            continue;
        for (size_t k = 0; k < pair->code->count && !name; k++)
            if (pair->code->functions[k].address == target)
                name = text_make("%s", pair->object->functions[k].name);
        name = name ? name : symbols_name(pair->symbols, target);
        live_put_target(instruction, name);
        free(name);
    }
}

static void check_pair(struct pair *pair, const struct listing *listing, size_t at, FILE *text) {
    take_instructions(pair, listing, at);
    put_targets(pair);
    const struct load_code *code = &pair->code->functions[pair->function];
    live_print_code(text, pair->object->functions[pair->function].name, code->address, code->bytes,
                    pair->instructions, pair->count, code->address + code->length);
    if (pair->native->why)
        ; // said of a function before
    else if (pair->function)
        check_function(pair);
    else
        check_program(pair);
    free(pair->instructions);
    free(pair->places);
}

int native_check(const struct object *object, const struct load_native *code,
                 const struct symbols *symbols, const char *objdump, FILE *loop, FILE *others,
                 struct native *native, struct error *error) {
    struct disassembly disassembly;
    size_t length = 0;
    *native = (struct native){0};
    for (size_t i = 0; i < code->count; i++)
        length += code->functions[i].length;
    if (objdump_bytes(objdump, code->bytes, length, 0, &disassembly, error)) {
        disassembly_free(&disassembly);
        return -1;
    }
    if (code->count != object->function_count)
        native->why =
            text_make("the kernel shows %zu functions of %zu", code->count, object->function_count);
    for (size_t i = 0, at = 0; i < code->count && i < object->function_count; i++) {
        struct pair pair = {object, code, symbols, i, NULL, 0, 0, NULL, native};
        check_pair(&pair, &disassembly.listings[0], at, i == object->loop ? loop : others);
        at += code->functions[i].length;
    }
    disassembly_free(&disassembly);
    return 0;
}

void native_free(struct native *native) {
    free(native->why);
    free(native->mix);
    free(native->order);
    *native = (struct native){0};
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/bpf/peek.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// The map's one value: two numbers and the bytes. A length is masked, which shows the verifier that
// it fits.
enum { BYTES_AT = 16, LENGTH_MASK = 2047, AREA = 4096, PACKET = 64 };

#define MOVE(to, from)                                                                             \
    { .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = to, .src_reg = from }
#define IMMEDIATE(operation, to, value)                                                            \
    { .code = BPF_ALU64 | operation | BPF_K, .dst_reg = to, .imm = value }
#define LOAD(to, from, offset)                                                                     \
    { .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = to, .src_reg = from, .off = offset }
#define STORE(to, offset, from)                                                                    \
    { .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = to, .src_reg = from, .off = offset }

static int load(int map) {
    const struct bpf_insn code[] = {
        {.code = BPF_LD | BPF_IMM | BPF_DW,
         .dst_reg = BPF_REG_6,
         .src_reg = BPF_PSEUDO_MAP_VALUE,
         .imm = map},
        {0},
        LOAD(BPF_REG_3, BPF_REG_6, 0),
        LOAD(BPF_REG_2, BPF_REG_6, 8),
        IMMEDIATE(BPF_AND, BPF_REG_2, LENGTH_MASK),
        MOVE(BPF_REG_1, BPF_REG_6),
        IMMEDIATE(BPF_ADD, BPF_REG_1, BYTES_AT),
        {.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_probe_read_kernel},
        STORE(BPF_REG_6, 8, BPF_REG_0),
        IMMEDIATE(BPF_MOV, BPF_REG_0, 0),
        {.code = BPF_JMP | BPF_EXIT},
    };
    return bpf_prog_load(BPF_PROG_TYPE_SCHED_CLS, "asmsweep_peek", "GPL", code,
                         sizeof code / sizeof *code, NULL);
}

int peek_open(struct peek *peek, struct error *error) {
    struct bpf_map_create_opts options = {.sz = sizeof options, .map_flags = BPF_F_MMAPABLE};
    *peek = (struct peek){.map = -1, .program = -1};
    peek->map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "asmsweep_peek", 4, AREA, 1, &options);
    if (peek->map < 0)
        return error_errno(error, ERROR_MISSING, NULL, "bpf: no map");
    void *area = mmap(NULL, AREA, PROT_READ | PROT_WRITE, MAP_SHARED, peek->map, 0);
    if (area == MAP_FAILED)
        return error_errno(error, ERROR_MISSING, NULL, "bpf: mmap of a map");
    peek->area = area;
    peek->program = load(peek->map);
    if (peek->program < 0)
        return error_errno(error, ERROR_MISSING, NULL,
                           "bpf: no program may read the kernel (lockdown=confidentiality forbids "
                           "it; CAP_PERFMON allows it)");
    return 0;
}

void peek_close(struct peek *peek) {
    if (peek->area)
        munmap((void *)(uintptr_t)peek->area, AREA);
    if (peek->map >= 0)
        close(peek->map);
    if (peek->program >= 0)
        close(peek->program);
}

// One run of the program.
static int read_piece(const struct peek *peek, uint64_t address, void *bytes, size_t length) {
    uint8_t packet[PACKET] = {0};
    struct bpf_test_run_opts options = {
        .sz = sizeof options, .data_in = packet, .data_size_in = sizeof packet, .repeat = 1};
    peek->area[0] = address;
    peek->area[1] = length;
    if (bpf_prog_test_run_opts(peek->program, &options) || peek->area[1])
        return -1;
    memcpy(bytes, (const uint8_t *)(uintptr_t)peek->area + BYTES_AT, length);
    return 0;
}

int peek_read(void *context, uint64_t address, void *bytes, size_t length) {
    for (size_t at = 0, piece; at < length; at += piece) {
        piece = length - at < LENGTH_MASK ? length - at : LENGTH_MASK;
        if (read_piece(context, address + at, (char *)bytes + at, piece))
            return -1;
    }
    return 0;
}

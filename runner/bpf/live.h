// SPDX-License-Identifier: GPL-3.0-or-later
// runner/bpf: what functions of the running kernel consist of: their live bytes, as alternatives,
// paravirt calls and mitigations were patched at boot. Runs nothing of the kernel's.
//
// From each function that a program calls it goes on to those that are called or jumped to
// directly, nearest first; a call by a register or by memory is shown and ends there.
#pragma once

#include "runner/bpf/symbols.h"
#include "runner/disassemble/instruction.h"

#include <stddef.h>

enum {
    LIVE_BYTES = 2048,   // of one function; longer ones are cut
    LIVE_FUNCTIONS = 24, // in all
    LIVE_DEPTH = 2,      // calls below those that the program calls
};

// Read `length` bytes (at most LIVE_BYTES) of the kernel at an address. 0, or -1.
typedef int live_reader(void *context, uint64_t address, void *bytes, size_t length);

struct live_function {
    char *name;
    uint64_t address;
    uint8_t bytes[LIVE_BYTES];
    size_t length;
    struct instruction *instructions; // those that leave it with the name of where they go
    size_t count;
    int depth;    // 0: the program calls it
    bool certain; // each call comes here: no branch stands before it
    bool cut;     // it is longer than that, or cannot be read
};

struct live {
    struct live_function function[LIVE_FUNCTIONS];
    size_t count;
    bool cut; // there are more functions, or deeper ones
};

// Read and disassemble the functions of these names, which the kernel's symbols have, and those
// below. 0, or -1 with *error: one of these cannot be found or read, or objdump fails. Free with
// live_free in both cases.
int live_read(const char *const *names, size_t count, const struct symbols *symbols,
              live_reader *reader, void *context, const char *objdump, struct live *live,
              struct error *error);

void live_free(struct live *live);

// Are the bytes of all functions what they were? A tracer patches them as it comes and goes.
bool live_unchanged(const struct live *live, live_reader *reader, void *context);

// Why the CPU does not execute itself what these functions are for (another name for it is that
// they are emulated): hypercalls, calls into a hypervisor's part of the kernel, or no CLI and
// PUSHF where the function saves and disables. NULL: it does. The caller frees it.
char *live_emulated(const struct live *live);

// How the functions that restore IF do it: "popf", "sti" (only where IF was 1: test, branch, STI),
// or "" where none restores. Static.
const char *live_restores(const struct live *live);

// What the functions hold that the program calls, and those that these call, without nops:
// "bpf_local_irq_save: 1*pushfq+1*pop+...; ...". It is what stands there, of which a branch may
// skip a part. The caller frees it.
char *live_mixes(const struct live *live);

// A listing, address, bytes, instruction: of the functions that each call comes to, or of the
// others.
void live_print(FILE *stream, const struct live *live, bool certain);

// The same of `count` instructions of one function, whose bytes lie at an address; behind the last
// one stands its end.
void live_print_code(FILE *stream, const char *name, uint64_t address, const uint8_t *bytes,
                     const struct instruction *instructions, size_t count, uint64_t end);

// Put the name of a direct target behind a call or jump.
void live_put_target(struct instruction *instruction, const char *name);

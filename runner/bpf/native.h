// SPDX-License-Identifier: GPL-3.0-or-later
// runner/bpf: the native code that the kernel's JIT made of a loaded program, against the object.
//
// It is made anew at each load, at an address of the kernel's choice, by rules that differ between
// kernels, CPUs and mitigations; so it is looked at at each load. Each instruction of the loop and
// of the chains beside it must be there in native form, in order, and nothing else but nops, what
// mitigations put in front of a call (they count its depth), and what enters and leaves the
// function; a call must go to exactly the function that the object names.
#pragma once

#include "runner/bpf/load.h"
#include "runner/bpf/symbols.h"

#include <stdio.h>

struct native {
    char *why;             // it is not so: where and what; NULL: it is
    uint64_t loop_address; // of the loop, with what counts it
    size_t loop_bytes;
    char *mix;   // of one iteration: "16*call bpf_local_irq_save+1*sub+1*test+1*jnz"
    char *order; // the same in order: one text wherever the loop lies
};

// 0, or -1 with *error: objdump fails. A listing of the loop's function goes to `loop`, of the
// others to `others`. Free with native_free in both cases.
int native_check(const struct object *object, const struct load_native *code,
                 const struct symbols *symbols, const char *objdump, FILE *loop, FILE *others,
                 struct native *native, struct error *error);

void native_free(struct native *native);

// SPDX-License-Identifier: GPL-3.0-or-later
// runner/bpf: what a program that was loaded really executes: its native code against its object,
// and the live bytes of the kernel's functions that its loop calls. For each load anew.
#pragma once

#include "runner/bpf/live.h"
#include "runner/bpf/load.h"
#include "runner/bpf/native.h"
#include "runner/bpf/peek.h"

// A part of the listing begins so that few readers want.
#define EVIDENCE_FURTHER "\nFurther: "

enum { EVIDENCE_CALLS = 16 }; // functions of the kernel that one loop may call

// What is known of the running kernel: its symbols, and the functions that were looked at.
struct evidence_kernel {
    const char *objdump;
    struct symbols symbols;
    struct peek peek;
    struct error blind; // why bytes of the kernel cannot be read; kind ERROR_NONE: they can
    struct evidence_calls {
        char names[EVIDENCE_CALLS][OBJECT_NAME];
        size_t count;
        struct live live;
    } * calls; // for each set of functions that a loop called
    size_t count;
};

enum evidence_verdict {
    EVIDENCE_proved,
    EVIDENCE_unproved, // the native code is not what the object says, or nobody can see it
    EVIDENCE_emulated, // the kernel's functions do not execute on the CPU what they are for
};

struct evidence {
    enum evidence_verdict verdict;
    char *why; // not proved: where and what; NULL
    struct native native;
    char *calls;          // "bpf_local_irq_save: 1*pushfq+1*pop+...; ...", and what these call
    const char *restores; // "popf", "sti", "": how the functions it calls restore IF. Static
    char *text;           // listing of all of it
    size_t text_length;
};

// 0, or -1 with *error: the kernel tells no symbols. `objdump` is the caller's. Close in both
// cases.
int evidence_open(const char *objdump, struct evidence_kernel *kernel, struct error *error);
void evidence_close(struct evidence_kernel *kernel);

// Look at a program that was loaded and has not run yet. 0, or -1 with *error: objdump fails. Free
// with evidence_free in both cases.
int evidence_make(struct evidence_kernel *kernel, const struct object *object,
                  const struct loaded *loaded, struct evidence *evidence, struct error *error);
void evidence_free(struct evidence *evidence);

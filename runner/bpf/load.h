// SPDX-License-Identifier: GPL-3.0-or-later
// runner/bpf: a checked object becomes a program of the kernel, which its verifier has accepted and
// its JIT has made native; runs of it; its native code.
//
// What an object may name beside functions of the kernel:
//
//   times       an array of 8-byte numbers that the program and we share (LOAD_TIMES)
//   lines       a page of memory, aligned to it
//   spin_lock, res_spin_lock    a lock of that kind
//   n_...       a number that whoever loads it gives
#pragma once

#include "runner/bpf/object.h"

#include <stdbool.h>

enum { LOAD_TIMES = 64, LOAD_LINES = 4096, LOAD_NUMBERS = 8, LOAD_MAPS = 4 };

struct load_number {
    const char *name; // "n_loop"
    uint64_t value;
};

struct loaded {
    int program, btf; // file descriptors; negative: none
    int maps[LOAD_MAPS];
    volatile uint64_t *times; // LOAD_TIMES of them; NULL: the object has none
    enum object_type type;
};

// Why the kernel did not take it.
enum load_refusal {
    LOAD_taken,
    LOAD_no_function, // this kernel has not what it calls
    LOAD_no_rights,   // EPERM, EACCES without a verifier's word
    LOAD_rejected,    // by the verifier; *error has its last words
    LOAD_failed,      // anything else: no memory, no BTF, ...
};

// Load. Numbers that the object does not name are left out. *error says why not. Unload in both
// cases; a struct of zeros is not one that may be unloaded.
enum load_refusal load_program(const struct object *object, const struct load_number *numbers,
                               size_t count, struct loaded *loaded, struct error *error);

void load_unload(struct loaded *loaded);

// Run it once, on the CPU we are on. 0, or -1 with *error.
int load_run(const struct loaded *loaded, struct error *error);

// The native code of one function of the object, in their order.
struct load_code {
    uint64_t address; // 0: the kernel does not tell it
    const uint8_t *bytes;
    size_t length;
};

struct load_native {
    struct load_code functions[OBJECT_FUNCTIONS];
    size_t count;
    uint8_t *bytes; // of all, owned
};

// 0, or -1 with *error: no JIT, or no right to see. Free in both cases.
int load_native(const struct loaded *loaded, struct load_native *native, struct error *error);
void load_native_free(struct load_native *native);

// A function of the kernel that a program may call: a helper by its number, or a kernel function
// by its type in the kernel's BTF.
struct load_function {
    const char *name; // of the kernel's symbol, too
    int helper;       // 0: none
    int btf_id;       // 0: none
};

// False: this kernel has none of that name, or tells no types. Having one is not yet the right to
// call it from a program of each type.
bool load_find(const char *name, struct load_function *function);

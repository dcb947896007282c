// SPDX-License-Identifier: GPL-3.0-or-later
// runner/bpf: an object that bpf-as made, read and checked. No kernel is asked.
//
// An object holds one program: the functions of one section, named `syscall` or `tc` after the
// program's type, of which the first is what the kernel runs. It calls its own functions and the
// kernel's by name, and takes addresses and numbers by name (load.h lists them).
#pragma once

#include "common/error.h"

#include <linux/bpf.h>
#include <stdint.h>

enum object_type { OBJECT_syscall, OBJECT_tc };

enum {
    OBJECT_INSTRUCTIONS = 1 << 16, // at most
    OBJECT_FUNCTIONS = 16,
    OBJECT_NAME = 64, // with its NUL
};

// Instructions [first, first + count) of the code.
struct object_function {
    char name[OBJECT_NAME];
    uint32_t first, count;
};

enum object_use {
    OBJECT_USE_own,    // a call of a function of the object
    OBJECT_USE_kernel, // a call of a helper or kernel function
    OBJECT_USE_value,  // the 64-bit value of lddw: an address, or a number
};

struct object_reference {
    uint32_t at; // instruction
    enum object_use use;
    int function;           // own: which
    char name[OBJECT_NAME]; // the others: of what
    uint32_t offset;        // value: bytes behind what is named
};

struct object {
    enum object_type type;
    struct bpf_insn *code;
    size_t count;
    struct object_function functions[OBJECT_FUNCTIONS]; // in the order of the code, without gaps
    size_t function_count;
    struct object_reference *references; // in the order of the code
    size_t reference_count;
    // The loop of the variant: instructions [loop_begin, loop_end) of function `loop`.
    size_t loop, loop_begin, loop_end;
    char elf_sha256[65];  // of the whole file
    char loop_sha256[65]; // of the code of the function `loop`
};

// Read and check a file. Every offset in it is checked before use; every call and every jump ends
// at a place that is known. 0, or -1 with *error (ERROR_INPUT). Free with object_free in both
// cases.
int object_read(const char *path, struct object *object, struct error *error);

// The same of bytes, 8-aligned; `path` is for *error.
int object_parse(const char *path, const void *bytes, size_t length, struct object *object,
                 struct error *error);

void object_free(struct object *object);

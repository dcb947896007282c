// SPDX-License-Identifier: GPL-3.0-or-later
// runner/bpf: where a program's loop lies in its native code, and how it comes to lie at the
// beginning of a cache line. Pure.
//
// The JIT moves each function by a random number of bytes, as many as its last cache line has room
// for (bpf_jit_binary_pack_alloc). A function that fills its lines is moved by one of four numbers;
// instructions before the loop bring it to the beginning of a line for the first of them.
#pragma once

#include "runner/bpf/object.h"

enum { PLACE_LINE = 64 };

// Bytes of native code to put before and behind the loop.
struct place {
    unsigned before, after;
};

// Offset of the loop's first byte in the native code of the function `loop`; 0: not found.
size_t place_find(const uint8_t *bytes, size_t length);

// What to put into a function of `length` bytes, with nothing put into it yet, whose loop begins at
// `offset`.
struct place place_choose(size_t offset, size_t length);

// Write the instructions that become so many bytes into the object's two rows of `ja 0`, in front
// of loop_begin and of the last two instructions. Rows that are not there stay as they are.
void place_put(struct object *object, struct place place);

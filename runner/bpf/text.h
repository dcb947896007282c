// SPDX-License-Identifier: GPL-3.0-or-later
// runner/bpf: the loop of an object as text: AT&T instructions as the x86-64 JIT makes them, a call
// as the name of what it calls.
#pragma once

#include "runner/bpf/object.h"

#include <stddef.h>

enum { TEXT_SIZE = 96 }; // of an instruction, with its NUL

// What instructions directly in front of a call put into its argument registers is part of the
// call, and no line of its own; so is the jump that the loop ends in: `dec %rbx`, `jnz`. Returns
// the lines, *count of them, which the caller frees; NULL: the instruction at *count has no such
// text.
char (*text_of_loop(const struct object *object, size_t *count))[TEXT_SIZE];

// One instruction of the code, whatever stands around it. A comparison with 0 and a jump are two of
// the CPU's; so room for two. Returns how many; 0: there is no such text.
int text_of_instruction(const struct object *object, size_t at, char (*text)[TEXT_SIZE]);

// SPDX-License-Identifier: GPL-3.0-or-later
// runner/disassemble: what a body does to the register that counts its loop. Pure.
#pragma once

#include "runner/disassemble/instruction.h"

#include <stdbool.h>

// What stands in the hint of a row whose body writes the counter and, in a straight line, puts it
// back: a branch may pass by that.
#define COUNTER_HINT "the body writes EAX, which counts the loop"

enum counter_use {
    COUNTER_KEPT,     // never written
    COUNTER_PUT_BACK, // written, and the count is back at the end
    COUNTER_LOST,     // written, and it is not: the loop never ends, or at some other count
};

// Is it an instruction that a loop may count by: dec %eax, dec %r15, or decq of memory?
bool counter_is_step(const char *canonical);

// The body's instructions in a straight line, against `step`, which counts the loop. *writer is
// the last that took the count away, or NULL. Written is what stands as the last operand, or
// unnamed (mul, div, cpuid, rdtsc, lods, in, cmpxchg and so on; SDM volume 2). The count is back
// when it is moved, popped or exchanged back from where it was moved or pushed, or when what
// was done to it is undone (not; not).
enum counter_use counter_use(const struct instruction *body, size_t count, const char *step,
                             const struct instruction **writer);

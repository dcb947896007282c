// SPDX-License-Identifier: GPL-3.0-or-later
// runner/prove: does a loop's body write the register that counts the loop? Pure.
#ifndef ASMSWEEP_COUNTER_H
#define ASMSWEEP_COUNTER_H

#include "common/rows.h"
#include "runner/prove/disassembly.h"

#include <stddef.h>

// What stands in the detail of a row whose body does. It changes no status: a body may save EAX
// and put it back.
#define COUNTER_HINT PROOF_HINT "the body writes EAX, which counts the loop"

// Nonzero if one of the instructions writes EAX or a part of it: as its last operand, or without
// naming it (mul, div, cpuid, rdtsc, lods, in, cmpxchg and so on; SDM volume 2).
int counter_is_written(const struct instruction *body, size_t count);

#endif

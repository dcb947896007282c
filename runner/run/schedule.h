// SPDX-License-Identifier: GPL-3.0-or-later
// runner/run: in which order variants run. Pure.
#pragma once

#include <stddef.h>
#include <stdint.h>

// order[0..count) gets a random permutation of 0..count-1 that depends on nothing but
// seed, core and block, so that a resumed run finds the same one (GSL's taus2, Fisher-Yates).
void schedule_block(uint64_t seed, int core, long block, size_t count, size_t *order);

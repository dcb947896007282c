// SPDX-License-Identifier: GPL-3.0-or-later
// runner/estimate: what a loop takes while a neighbour of our own keeps the other hardware thread
// of the core busy. No slice is quiet then, and none is chosen.
#pragma once

#include "runner/estimate/stopwatch.h"

// The chains lose cycles to the neighbour, too, but not in each slice alike: the unit is that of
// the fastest. What they lose there, a part.
#define BESIDE_UNIT 0.005

// Cycles per iteration, with the unit's doubt in the interval. `excluded` and `seed` are
// stopwatch_evaluate's. NaN: fewer than 20 slices.
struct interval beside_evaluate(const struct slices *slices, int excluded, uint64_t seed);

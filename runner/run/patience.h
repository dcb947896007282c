// SPDX-License-Identifier: GPL-3.0-or-later
// runner/run: what a run does about a neighbour on the core, who comes and goes.
#pragma once

#include "runner/run/measure.h"

// What the width segments take on this core while nobody shares it; NaN: nothing has shown it yet.
double patience_level(struct measurement *run, size_t core);

// Times what its slices take that a variant may wait for a neighbour to go; 0: the usual.
unsigned patience_of(const struct measurement *run);

// Before a further block (0: the first beyond the usual number), most of whose variants lack quiet
// slices: wait for a quiet moment, longer each time. Ends with the budget, and by a signal.
void patience_wait(const struct measurement *run, size_t core, long further);

// SPDX-License-Identifier: GPL-3.0-or-later
// runner/engine: what the width segments of a program of the kernel take on a core of one's own.
#pragma once

#include "runner/bpf/load.h"
#include "runner/estimate/stopwatch.h"

// Is a level believed? Two looks have to agree: one alone, beside a neighbour, has been 1.3 % off,
// and every execution after it would seem to have a light neighbour. NaN agrees with nothing.
bool bpf_level_agrees(double found, double before);

// The level, by what the looks found and what processes' width segments take. Both have 95 slots:
// where nothing but the core's width limits either, both take the same, and that of processes is
// known better. A look may be 1.3 % low, twice in a row. NaN: not known.
double bpf_level_settle(double found, double of_processes);

// Cycles of an iteration on this CPU, by runs of a loaded program between two moments at which the
// width loop of processes, whose level is known (`level`, cycles), shows that nobody is there;
// never by those runs alone. Looks twice, each time for at most `seconds`, and remembers what it
// finds in the build tree. NaN: not known.
double bpf_level_find(const struct loaded *loaded, const struct slices *shape, int cpu,
                      double level, double seconds);

// The same from prepared numbers: width cycles of `count` such runs, which are sorted; NaN: too
// few, or they do not agree.
double bpf_level_judge(double *cycles, size_t count);

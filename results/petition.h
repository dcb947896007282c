// SPDX-License-Identifier: GPL-3.0-or-later
// results: what the loops of the 2016 mail say, from the counts that were printed.
//
// Pure maths. The mail gives instructions per cycle with two digits, so each figure is an
// interval: everything that rounds to the printed value. These are bounds, not standard
// errors, so they go through interval arithmetic and not through fit.h.
#ifndef ASMSWEEP_PETITION_H
#define ASMSWEEP_PETITION_H

#include "results/fit.h"

#define PETITION_OVERHEAD_HIGH 1.0 // cycles per iteration that dec; jnz add at most

struct bounds {
    double centre, low, high; // cycles
};

// Cycles of one iteration from instructions per cycle printed with two decimals.
struct bounds petition_from_ipc(double instructions, double ipc, double iterations);

// Cycles of one iteration from a cycle count.
struct bounds petition_from_cycles(double cycles, double iterations);

// One of `count` equal parts of an iteration, when dec; jnz add 0 to overhead_high cycles. The
// centre is the one without overhead.
struct bounds petition_part(struct bounds iteration, double count, double overhead_high);

// The other instruction of a mix: `iteration` holds `count` of it and `known_count` of one whose
// homogeneous loop takes known_iteration with known_loop_count of them. Both loops have the same
// overhead, 0 to overhead_high.
struct bounds petition_other(struct bounds iteration, double count, double known_count,
                             struct bounds known_iteration, double known_loop_count,
                             double overhead_high);

// a minus b, bounds against bounds.
struct bounds petition_minus(struct bounds a, struct bounds b);

// Do the costs add: is `whole` what its parts sum to? No if the bounds are disjoint and the
// centres differ by more than fit_margin of the whole, else yes.
enum additive petition_additive(struct bounds whole, struct bounds first, struct bounds second);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// runner/estimate: from the ticks of one execution's slices to cycles per iteration.
//
// The unit of cycles comes from three reference chains, timed in the same slice as the
// loop: add r,r and rol take one cycle a link and must agree; imul must take a whole
// number of theirs, which is recorded. TSC frequency and core clock cancel out.
// docs/statistics.md gives the reasons and the measured coverage.
#pragma once

#include "common/rows.h"
#include "runner/estimate/stats.h"

// Timed segments of a slice, in the order of the variant's output.
enum segment { SEGMENT_add, SEGMENT_rol, SEGMENT_imul, SEGMENT_loop, SEGMENT_COUNT };

// The reference chains are the segments but the loop; CHAINS_all excludes none.
enum { CHAINS_all = SEGMENT_loop };

struct slice {
    uint64_t ticks[SEGMENT_COUNT][2]; // TSC ticks of n and of 2n iterations
};

struct slices {
    uint32_t links[SEGMENT_loop]; // dependent links in an iteration of each reference chain
    uint32_t n[SEGMENT_COUNT];    // iterations of each segment
    uint64_t flags_left;          // RFLAGS bits the loop left changed; 0: none
    const char *emulated;         // why its time is no cost; NULL: it is
    size_t count;
    struct slice *slices; // count of them; the owner frees
};

// How far reference chains that are compared may be apart, a part.
#define CHAINS_TOLERANCE 0.003

// Cycles. An iteration ends in a taken jump, and no x86-64 core takes more than two of them in a
// cycle (Zen 5 is said to take two).
#define FASTEST_ITERATION 0.45

struct stopwatch_value {
    enum status status;     // ok, invalid_reference, implausible or unstable
    struct interval cycles; // per iteration; 95 % within this execution
    double spread;          // (q90 - q10) / centre of the slices' ratios, a part
    double ticks_per_cycle; // TSC ticks
    double ticks;           // per iteration of the loop
    double disagreement;    // |add / rol - 1|, or of the chains that are left; a part
    int imul_cycles;        // 3 to 6; 0: not a whole number, or imul excluded
    double clock_drift;     // ticks_per_cycle, last quarter of the slices over first, minus 1
    double disturbed;       // part of the slices more than 10 % off the centre
    size_t samples;         // slices used
    char detail[200];       // why it is not ok, or a warning; may be empty
};

// `excluded` is the chain that the loop itself is made of, or CHAINS_all. Needs at least 20
// slices, else implausible. `seed` makes the bootstrap repeatable.
void stopwatch_evaluate(const struct slices *slices, int excluded, uint64_t seed,
                        struct stopwatch_value *value);

// One variant's executions pooled: the unit of replication is the execution.
struct pooled {
    enum status status; // ok or unstable
    struct interval cycles;
    double between_sd, within_sd; // cycles per iteration
    size_t executions;
    char detail[640];
};

// Fewer executions than these give an interval that is called provisional.
enum { USUAL_EXECUTIONS = 5 };

// Systematic floor of a half-width, a part: what is left of a bias that no number of executions
// averages out; the means over hundreds of executions of known chains were at most this far off
// (docs/statistics-measured.md). Combined in quadrature with the executions' spread.
#define STOPWATCH_FLOOR 0.0003

// values[i] and within_half[i] (half-width of the interval within execution i, 0 if there is
// none) of `count` ok executions; wider than `precision` (a part) is unstable. One execution
// gives a provisional interval from its own slices; count 0 gives NaN and unstable.
void stopwatch_pool(const double *values, const double *within_half, size_t count, double precision,
                    struct pooled *pooled);

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

#include <stdbool.h>

// Timed segments of a slice, in the order of the variant's output. A slice runs them in another:
// add, width, watch, the loop, watch, width, rol, imul, first all at n, then all at 2n.
enum segment {
    SEGMENT_add,
    SEGMENT_rol,
    SEGMENT_imul,
    SEGMENT_loop,
    SEGMENT_width_before, // limited by nothing but the core's width
    SEGMENT_width_after,
    SEGMENT_watch_before, // by what else the loop needs: cache or divider; n is 0 where nothing is
    SEGMENT_watch_after,
    SEGMENT_COUNT
};

// The reference chains are the segments before the loop; CHAINS_all excludes none.
enum { CHAINS_all = SEGMENT_loop };

// The loop for `times` times n iterations, between two width segments of n.
enum check_run { CHECK_before, CHECK_loop, CHECK_after, CHECK_COUNT };
struct check {
    uint32_t times;              // 0: this slice has no check
    uint64_t ticks[CHECK_COUNT]; // TSC ticks
    uint32_t interrupted;        // bit i: run i was
};

struct slice {
    uint64_t ticks[SEGMENT_COUNT][2]; // TSC ticks of n and of 2n iterations
    uint32_t interrupted;             // bit 2 segment + which: that run was
    struct check check;               // directly after the slice
};

struct slices {
    uint32_t links[SEGMENT_loop]; // dependent links in an iteration of each reference chain
    uint32_t n[SEGMENT_COUNT];    // iterations of each segment
    bool sees_interrupts;         // `interrupted` says something
    uint64_t flags_left;          // RFLAGS bits the loop left changed; 0: none
    const char *emulated;         // why its time is no cost; NULL: it is
    uint64_t subnormal;           // iterations within which numbers become subnormal; 0: never
    size_t count;
    struct slice *slices; // count of them; the owner frees
};

// How far reference chains that are compared may be apart, a part.
#define CHAINS_TOLERANCE 0.003

// Cycles. An iteration ends in a taken jump, and no x86-64 core takes more than two of them in a
// cycle (Zen 5 is said to take two).
#define FASTEST_ITERATION 0.45

struct stopwatch_value {
    enum status status;     // ok, contended, invalid_reference, not_constant, implausible, unstable
    struct interval cycles; // per iteration; 95 % within this execution
    double spread;          // (q90 - q10) / centre of the slices' ratios, a part
    double ticks_per_cycle; // TSC ticks
    double ticks;           // per iteration of the loop
    double disagreement;    // |add / rol - 1|, or of the chains that are left; a part
    int imul_cycles;        // 3 to 6; 0: not a whole number, or imul excluded
    double clock_drift;     // ticks_per_cycle, last quarter of the slices over first, minus 1
    double disturbed;       // part of the quiet slices more than 10 % off the centre
    double quiet;           // part of the slices in which the core was not shared
    double width;           // cycles of the width segments in them; NaN: there are none
    double excess;          // how far that is above the level of a core of one's own, a part
    double early,
        later;        // not_constant: cycles of an iteration as a run begins, and further on; NaN
    uint32_t remarks; // bits of enum remark
    size_t samples;   // slices used
    char detail[200]; // why it is not ok, or a warning; may be empty
};

// `excluded` is the chain that the loop itself is made of, or CHAINS_all. `level` is what an
// iteration of the width segments takes when the core is not shared, in cycles; it is known from
// elsewhere, since an execution that is shared throughout has a lowest one, too. Only slices near
// it are used (quiet.h); fewer than 12, and all where it is not known (NaN), are contended. `seed`
// makes the bootstrap repeatable.
void stopwatch_evaluate(const struct slices *slices, int excluded, double level, uint64_t seed,
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
// none) of `count` ok executions; `excess` is a part by which a neighbour that was hardly there may
// have raised them, which goes into the interval; wider than `precision` (a part) is unstable. One
// execution gives a provisional interval from its own slices; count 0 gives NaN and unstable.
void stopwatch_pool(const double *values, const double *within_half, size_t count, double excess,
                    double precision, struct pooled *pooled);

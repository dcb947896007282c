// SPDX-License-Identifier: GPL-3.0-or-later
// results: what changed between two runs.
//
// Pure. A loop is compared with the loop of the same variant, engine, ring and core type whose
// bytes are the same. A change is called when it is at least `minimum` of the base and its
// p-value survives Holm's procedure over all compared loops (Holm 1979, A simple sequentially
// rejective multiple test procedure): the chance of even one false alarm in the whole comparison
// is at most COMPARE_ALARMS, whatever the dependence between loops.
#pragma once

#include "results/loops.h"

#define COMPARE_ALARMS 0.05
#define COMPARE_METHOD "Holm (1979), false alarms of the whole comparison at most 5 %"
#define COMPARE_MINIMUM 0.01 // part of the base value

// In the order in which they are listed.
#define COMPARE_VERDICTS(VERDICT)                                                                  \
    VERDICT(changed, "slower or faster, significant and above the minimum")                        \
    VERDICT(lost, "had a value, has none now")                                                     \
    VERDICT(gained, "had no value, has one now")                                                   \
    VERDICT(unit, "no valid unit or a shared core in one of the runs: run it again")               \
    VERDICT(other_loop, "the loop's bytes differ: not comparable")                                 \
    VERDICT(removed, "not in the new run")                                                         \
    VERDICT(added, "not in the base run")                                                          \
    VERDICT(small, "significant, but below the minimum")                                           \
    VERDICT(same, "no significant change")                                                         \
    VERDICT(without, "no value in either run")

enum verdict {
#define VERDICT(name, meaning) VERDICT_##name,
    COMPARE_VERDICTS(VERDICT)
#undef VERDICT
        VERDICT_COUNT
};

struct change {
    const struct loop *base, *now;    // one of them may be NULL: added, removed
    double part, part_low, part_high; // change as a part of the base, 95 %; NaN if not compared
    double p, p_holm;                 // two-sided; adjusted by Holm's procedure; NaN likewise
    enum verdict verdict;
};

struct comparison {
    struct change *change; // base's order, then what was added
    size_t count, compared;
    double minimum; // that was used
};

// Compare. The minimum used is the larger of `minimum` and both runs' A/A noise floor (rms).
// Free with comparison_free; it points into both loops.
void compare_loops(const struct loops *base, const struct loops *now, double minimum,
                   struct comparison *comparison);
// Judge several comparisons anew as one, a night of several sweeps: Holm's procedure over all of
// their loops together, each with its own minimum.
void compare_judge(struct comparison *comparisons, size_t count);

void comparison_free(struct comparison *comparison);

// How many count as a change: changed or lost. A value gained is good news, a missing unit noise.
size_t comparison_changes(const struct comparison *comparison);

// Adjust p-values in place (Holm): sorted upwards, the k-th of n times n-k+1, made monotonous,
// at most 1. NaN entries are left out of n and stay. `order` has room for count numbers.
void holm_adjust(double *p, size_t *order, size_t count);

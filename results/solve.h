// SPDX-License-Identifier: GPL-3.0-or-later
// results: from the loops of a run to its costs.
//
// Pure: loops in, rows out. Five kinds of rows, in this order: direct (homogeneous loops),
// solved (mixes), orders (one mix in two orders), the sweep's own differences of two loops, and
// whole iterations of the loops that none of these tells.
#pragma once

#include "results/fit.h"
#include "results/loops.h"

// What dec; jnz add to a loop at most, cycles per iteration; where dec counts in memory it waits
// for what it stored the iteration before.
#define OVERHEAD_ASSUMED 1.0
#define OVERHEAD_MEMORY 6.0

struct overhead {
    double high;         // the empty loop's upper end where there is one, else OVERHEAD_ASSUMED
    bool measured;       // whether an empty loop stands behind it
    const char *variant; // that loop, "" if none
};

// The overhead's upper end for loops measured in the same place as `like` that count as it does.
struct overhead overhead_of(const struct loops *loops, const struct loop *like);

// An instruction costs something: take a value whose interval reaches what two decimals show as 0
// away again, and name the interval and `behind`, what it hides behind; "": nothing, its loops are
// known too badly. No CPU executes 200 instructions a cycle.
void refuse_nothing(struct costs *costs, struct costs_row *cost, enum status status,
                    const char *behind);

// All rows; `differences` is the run's differences.csv, and may be empty.
void solve_all(const struct loops *loops, const struct rows *differences, struct costs *costs);

// The kinds one by one.
void solve_direct(const struct loops *loops, struct costs *costs);
void solve_mixes(const struct loops *loops, struct costs *costs);
void solve_orders(const struct loops *loops, struct costs *costs);
void solve_differences(const struct loops *loops, const struct rows *differences,
                       struct costs *costs);
// After the others: it adds what they left.
void solve_iterations(const struct loops *loops, struct costs *costs);

// Why a loop has no direct cost ("no cost of its own: ..."); the caller frees.
char *loop_why_no_cost(const struct loop *loop);

// The A/A noise floor: how far A/A duplicates (duplicate_of) differ, as parts of their mean.
struct noise_floor {
    size_t pairs;
    double largest, rms; // NaN without pairs
};
struct noise_floor solve_noise(const struct loops *loops);

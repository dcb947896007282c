// SPDX-License-Identifier: GPL-3.0-or-later
// results: the rows of summary.csv that tell cycles, as values to compute with.
#pragma once

#include "results/costs.h"
#include "results/mix.h"

#include <stdbool.h>
#include <stddef.h>

struct loop {
    const struct summary_row *row; // what it was read from; groups NaN where they are not above 0
    struct mix mix;                // of the body: without the loop's dec and jnz
    bool mix_found;                // the mix is the disassembly's and claimed by nobody
    bool homogeneous;              // the body is `groups` times `group` and nothing else
    bool empty;                    // dec and jnz only
    bool has_value;                // the numbers are there and the status lets them be used
    double cycles;                 // per iteration; NaN without a value, like the three below
    double ci_low, ci_high;        // 95 %
    double sigma;                  // standard error: the interval's half width / 1.96
};

struct loops {
    struct rows rows;
    struct loop *loop;
    size_t count;
};

// Read a run's summary.csv: rows with quantity cycles of engines that measure costs (no
// cross-check, no emulation: accel tcg). Where one engine gives a loop's cycles from two sources,
// the PMU's stand. 0, or -1 with *error naming file and line. Free with loops_free in both cases.
int loops_read(const char *folder, struct loops *loops, struct error *error);
void loops_free(struct loops *loops);

// Whether the loop may be part of a solved system: its mix is claimed, or is its group's. One name
// in a mix that was only found may stand for several things (`mov`, a load and a store), and
// nobody said that it is one item.
bool loop_is_solvable(const struct loop *loop);

// Measured by the same engine in the same ring of the same run.
bool loops_same_place(const struct loop *a, const struct loop *b);

// The loop of a variant that was measured in the place of `like`; NULL: none.
const struct loop *loops_find(const struct loops *loops, const struct loop *like,
                              const char *variant);

// The loop of another run that is the same variant by the same engine in the same ring on the same
// core type; NULL: none.
const struct loop *loops_find_same(const struct loops *loops, const struct loop *like);
bool loop_is_same(const struct loop *a, const struct loop *b);

// A new cost (costs_add) that rests on these loops, with the run's keys, family, order and context
// of `like`.
struct costs_row *loops_cost(const struct loop *like, const struct loop *const *loop, size_t count,
                             enum method method, struct costs *costs);

// A cost has no value for the reason that the loop has none.
void loop_refuse(const struct loop *loop, struct costs *costs, struct costs_row *cost);

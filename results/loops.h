// SPDX-License-Identifier: GPL-3.0-or-later
// results: the rows of summary.csv that tell cycles, as values to compute with.
#ifndef ASMSWEEP_LOOPS_H
#define ASMSWEEP_LOOPS_H

#include "common/table.h"
#include "results/costs.h"
#include "results/mix.h"

#include <stdbool.h>
#include <stddef.h>

struct loop {
    // Cells of summary.csv, owned by the table, never NULL.
    const char *key[KEY_COUNT];
    const char *variant, *family, *order, *context, *group, *twin_of, *detail;
    const char *loop_sha256;
    struct mix mix;         // of the body: without the loop's dec and jnz
    bool mix_found;         // the mix is the disassembly's and claimed by nobody
    double groups;          // of `group` in one iteration; NaN: not given
    bool homogeneous;       // the body is `groups` times `group` and nothing else
    bool empty;             // dec and jnz only
    bool has_value;         // cycles, ci_low and ci_high are numbers and the status lets them be
    double cycles;          // per iteration
    double ci_low, ci_high; // 95 %
    double sigma;           // standard error: the interval's half width / 1.96
    double executions;      // how many the value rests on; NaN: not given
    enum status status;
};

struct loops {
    struct table table;
    struct loop *loop;
    size_t count;
};

// Read a run's summary.csv: rows with quantity cycles of engines that measure costs (no witness, no
// emulation: accel tcg). Where one engine gives a loop's cycles from two sources, the PMU's
// stand. 0, or -1 with *error naming file and line. Free with loops_free in both cases.
int loops_read(const char *folder, struct loops *loops, struct error *error);
void loops_free(struct loops *loops);

// Whether the loop may be part of a solved system: its mix is claimed, or is its group's. One name
// in a mix that was only found may stand for several things (`mov`, a load and a store), and
// nobody said that it is one item.
bool loop_is_solvable(const struct loop *loop);

// Measured by the same engine in the same ring of the same run.
bool loops_same_place(const struct loop *a, const struct loop *b);

// The loop of a variant in the same place as `like`, NULL where there is none.
const struct loop *loops_find(const struct loops *loops, const struct loop *like,
                              const char *variant);

// The same variant by the same engine in the same ring on the same core type, in whatever run.
bool loop_is_same(const struct loop *a, const struct loop *b);

// Copy the run's keys, and family, order and context, into a cost.
void loop_keys(const struct loop *loop, struct cost *cost);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// results: the rows of costs.csv as values, and their writer.
#ifndef ASMSWEEP_COSTS_H
#define ASMSWEEP_COSTS_H

#include "common/error.h"
#include "common/rows.h"
#include "results/fit.h"

#include <stdbool.h>
#include <stddef.h>

#define COST_TEXT 256
#define COST_DETAIL 512

// Columns that say which run, machine and engine a cost belongs to; the same in summary.csv.
#define COST_KEYS(KEY)                                                                             \
    KEY(run_id)                                                                                    \
    KEY(host)                                                                                      \
    KEY(cpu_vendor)                                                                                \
    KEY(cpu_family)                                                                                \
    KEY(cpu_model)                                                                                 \
    KEY(cpu_stepping)                                                                              \
    KEY(cpu_name) KEY(microcode) KEY(core_type) KEY(hypervisor) KEY(kernel) KEY(engine) KEY(ring)

enum cost_key {
#define KEY(name) KEY_##name,
    COST_KEYS(KEY)
#undef KEY
        KEY_COUNT
};

struct cost {
    const char *key[KEY_COUNT]; // owned by the table they came from, never NULL
    char family[COST_TEXT], order[COST_TEXT], context[COST_TEXT], item[COST_TEXT];
    double cycles, ci_low, ci_high; // cycles per item, 95 %; NaN: none, see status
    enum method method;
    enum additive additive;
    char *variants;             // space-separated, the ones it rests on; owned; NULL: none yet
    double minuend, subtrahend; // of a difference: cycles per iteration of its loops; else NaN
    double published;           // cycles per item; NaN: none
    char published_source[COST_TEXT];
    const char *agrees; // "yes", "no", "" (nothing published, or no value); static
    enum status status;
    char detail[COST_DETAIL];
};

struct costs {
    struct cost *row;
    size_t count;
};

// A new row with everything empty (NaN, "", untested, direct, ok); valid until the next
// call. Free the whole with costs_free.
struct cost *costs_add(struct costs *costs);
void costs_free(struct costs *costs);

// Are the keys those of the same engine in the same ring on the same core type in the same run?
bool keys_same_place(const char *const a[KEY_COUNT], const char *const b[KEY_COUNT]);

// Add a variant's name to those a cost rests on.
void cost_rests_on(struct cost *cost, const char *variant);

// Whether a cost rests on a variant.
bool cost_has_variant(const struct cost *cost, const char *variant);

// Take value and interval away and say why.
void cost_refuse(struct cost *cost, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Write all rows with the header of rows.h to `path`, by a temporary file beside it and
// rename, so that a reader never sees half of it. 0, or -1 with *error.
int costs_write(const struct costs *costs, const char *path, struct error *error);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// results: the rows of costs.csv while they are made, and their writer.
#pragma once

#include "common/memory.h"
#include "common/rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define COST_TEXT 256

// Measured on the same core type by the same engine in the same ring; and in the same run.
#define ROWS_SAME_ENGINE(a, b)                                                                     \
    ((a)->ring == (b)->ring && strcmp((a)->engine, (b)->engine) == 0 &&                            \
     strcmp((a)->core_type, (b)->core_type) == 0)
#define ROWS_SAME_PLACE(a, b) (ROWS_SAME_ENGINE(a, b) && strcmp((a)->run_id, (b)->run_id) == 0)

// Texts that are made for a cost belong to `rows` (rows_own); others to what it came from.
struct costs {
    struct rows rows;
    struct costs_row *row; // count of them
    size_t count;
};

// A new row with everything empty, untested, direct, ok; valid until the next call. Free the whole
// with costs_free.
struct costs_row *costs_add(struct costs *costs);
void costs_free(struct costs *costs);

// Add a variant's name to those a cost rests on, with spaces between.
void cost_rests_on(struct costs *costs, struct costs_row *cost, const char *variant);

// Whether a cost rests on a variant.
bool cost_has_variant(const struct costs_row *cost, const char *variant);

// Value and 95 % interval, cycles.
void cost_set(struct costs_row *cost, double cycles, double low, double high);

// Take value and interval away and say why, in a text that the costs own from now on.
void cost_refuse(struct costs *costs, struct costs_row *cost, enum status status, char *why);

// Write all rows with the items' general form to `path`, whole or not at all. 0, or -1 with *error.
int costs_write(struct costs *costs, const char *path, struct error *error);

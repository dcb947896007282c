// SPDX-License-Identifier: GPL-3.0-or-later
// results: figures of others (results/published/), as costs and beside measured costs.
#pragma once

#include "common/table.h"
#include "results/costs.h"

// Published figures carry an error of their unit of about 1 % and rounding; a measured value
// agrees when its interval, widened by this part of the figure, holds the figure.
#define PUBLISHED_TOLERANCE 0.03

struct published {
    struct table instlat, petition;
    struct costs costs; // all of them as rows; keys point into the tables or are static
};

// Read instlatx64.csv and petition_2016_costs.csv of a folder. 0, or -1 with *error. Free with
// published_free in both cases.
int published_read(const char *folder, struct published *published, struct error *error);
void published_free(struct published *published);

// Fill published, published_source and agrees of a measured cost: same item in general form,
// flags left as they were, user mode, and the same CPUID model or else the same generation.
// `proof` is the run's proof.csv, or an empty table: where it knows a body that the cost rests on,
// this must hold the item's instructions only, and for a latency repeat one of them.
// No figure: the cost stays as it is.
void published_match(const struct published *published, const struct rows *proof,
                     struct costs *costs, struct costs_row *cost);

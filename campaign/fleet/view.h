// SPDX-License-Identifier: GPL-3.0-or-later
// campaign/fleet: where each generation of a fleet is, from its folder and from squeue.
#pragma once

#include "campaign/fleet/attempt.h"
#include "campaign/fleet/fleet.h"
#include "campaign/fleet/slurm_text.h"

#include <stdio.h>

enum stage {
#define STAGE(name, missing, meaning) STAGE_##name,
#include "campaign/fleet/stages.def"
#undef STAGE
    STAGE_COUNT
};

extern const struct stage_row {
    const char *name, *meaning;
    int missing;
} stages[STAGE_COUNT];

struct generation {
    char name[64], claim[64];
    struct attempt *attempts;
    size_t count;
    long chosen; // the attempt that counts, -1: none
    enum stage stage;
    char detail[1024]; // what there is to say about it; may be empty
};

struct view {
    size_t count;
    struct generation *generations; // in the order of their first submission
    int slurm_answers;              // 0: squeue could not be asked; what is on its way is unknown
};

// Judge one generation whose attempts are read and chosen: fills stage and detail. `last` is the
// job as squeue shows it now or showed it last (NULL: never); `carried`: a carrier lives. Pure.
void view_judge(struct generation *generation, const struct slurm_job *last, int alive,
                int carried);

// The attempt that counts; NULL: none.
const struct attempt *generation_chosen(const struct generation *generation);

// Read attempts, ask squeue, remember in seen.csv what it says: Slurm forgets ended jobs after
// MinJobAge (300 s by default) and sacct is not there everywhere. That squeue fails is no error:
// slurm_answers is 0 then. 0 or -1. Free with view_free in both cases.
int view_make(const struct fleet *fleet, struct view *view, struct error *error);
void view_free(struct view *view);

// A table for people.
void view_print(const struct fleet *fleet, const struct view *view, FILE *stream);

// How many generations are missing or incomplete.
size_t view_missing(const struct view *view);

// SPDX-License-Identifier: GPL-3.0-or-later
// runner/run: one block of one core while it runs, and what becomes of its executions: rows in the
// run's files, and in the tallies.
#pragma once

#include "runner/host/disturbance.h"
#include "runner/run/measure.h"

#include <stdbool.h>

struct block {
    struct measurement *run;
    struct record_run record;
    struct disturbance *watch;
    struct engine_settings *settings;
    struct tallies *tallies; // of this core
    struct turn {
        bool wanted, done; // done: measured in it before a resume
        size_t slot;
    } * turns; // by variant
    size_t core, done, planned;
    size_t wanted;    // variants this block has, also those measured before a resume
    size_t disturbed; // of them those without a value because the core was shared
    long number;
    double started;
    struct error *error;
    int failed;
};

// Give the tallies what an earlier part of this run measured in this block.
void block_replay(struct block *block);

// The engines' sink; the context is a struct block.
int block_sink(const struct execution *execution, void *context);

// A variant that failed its proof is not executed; its row says so.
int block_sink_unproved(struct block *block, size_t index);

// The cross-check's blocks stand behind all others.
bool block_is_cross_check(const struct block *block);

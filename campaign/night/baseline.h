// SPDX-License-Identifier: GPL-3.0-or-later
// campaign/night: what a run is compared with night by night.
//
// For each loop: its newest value from an ended run of the same sweep on a machine of the same
// key (baseline.c), engine, ring and core type, with the same bytes. That may be a run that
// measured some variants only: after a candidate that was not confirmed, its fresh executions are
// what the next night stands against, not the fluke.
#pragma once

#include "results/loops.h"

// Runs that are looked back at, at most: years of nights.
#define BASELINE_DEPTH 1500
#define BASELINE_RUN_ID 64

struct baseline {
    struct loops loops; // the base; its texts belong to `read`
    struct loops *read; // what was read and is still pointed at
    size_t read_count;
    char newest[4096];  // folder of the newest run of the same key; "" if there is none
    char changed[1024]; // none, but an earlier run: what differs, "microcode: 0x1, now 0x2; ..."
    char skipped[768];  // the first earlier run that could not be read: why; "" if none
    // Of each of now's loops: the run_id of the first of the runs in a row, up to and with now's,
    // in which it has no value; "" if it has one.
    char (*missing_since)[BASELINE_RUN_ID];
};

// Find the base of the run in `folder`, read into `now`. `again` is the folder of what was measured
// again behind it ("": nothing): never its base, though by its name it may seem older, since names
// tell the second only. 0, or -1 with *error. Free with baseline_free in both cases.
int baseline_find(const char *folder, const char *again, const struct loops *now,
                  struct baseline *baseline, struct error *error);
void baseline_free(struct baseline *baseline);

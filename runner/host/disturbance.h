// SPDX-License-Identifier: GPL-3.0-or-later
// runner/host: what else happened on the CPU while a variant ran. Two snapshots and the
// words for their difference; nothing is judged by it, the row only names it.
#pragma once

#include "runner/host/machine.h"

#include <stddef.h>

struct disturbance {
    int cpu;
    char siblings[128];                           // the kernel's list of them, with the CPU itself
    double tsc_hz;                                // of the run's first block; 0: not yet known
    double tsc_change;                            // of the latest block against it, a part
    long long steal, sibling_busy, sibling_total; // ticks of /proc/stat, latest snapshot
    struct tsc_reading at;                        // of the latest block's start
};

// Start watching `cpu` and its SMT siblings.
void disturbance_start(int cpu, struct disturbance *watch);

// Call at the start of each block: rechecks the TSC's frequency against the first block's.
void disturbance_block(struct disturbance *watch);

// Put into text what happened since the last call: steal time, a busy sibling, context
// switches beyond those that start the program, migrations (NaN: not known), a changed TSC. ""
// if nothing.
void disturbance_describe(struct disturbance *watch, double switches, double migrations, char *text,
                          size_t size);

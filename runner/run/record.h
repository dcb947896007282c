// SPDX-License-Identifier: GPL-3.0-or-later
// runner/run: an execution as rows of measurements.csv and samples.csv, and tallies as
// rows of summary.csv. Text out; nothing is written to disk here.
#pragma once

#include "common/journal.h"
#include "runner/engine/engine.h"
#include "runner/estimate/tally.h"
#include "runner/host/machine.h"
#include "runner/run/plan.h"

// What rows of one run share.
struct record_run {
    const struct settings *settings;
    const struct machine *machine;
    const struct plan *plan;
    const struct engine *engine;
    bool contended; // beside a busy neighbour of our own
    const struct engine_probe *probe;
    double level;            // of the width segments, as stopwatch_evaluate wants it
    const struct rows *like; // measurements.csv has the columns of these; NULL: all
};

// Write the rows of one execution to both streams and add them to the tallies. `disturbance`
// is what the runner noticed around it; it joins the detail.
void record_execution(const struct record_run *run, const struct execution *execution, long block,
                      long slot, const char *disturbance, FILE *measurements, FILE *samples,
                      struct tallies *tallies);

// The rows of summary.csv of one variant.
void record_summary(const struct record_run *run, const struct variant *variant, int cpu,
                    const struct tallies *tallies, FILE *summary);

// Now, as 2026-11-30T09:15:00Z.
void record_time(char text[32]);

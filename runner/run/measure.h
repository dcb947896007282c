// SPDX-License-Identifier: GPL-3.0-or-later
// runner/run: the run itself: blocks of shuffled variants through one engine into a store.
#pragma once

#include "runner/engine/engine.h"
#include "runner/host/machine.h"
#include "runner/host/neighbour.h"
#include "runner/run/code.h"
#include "runner/run/plan.h"
#include "runner/run/record.h"
#include "runner/run/request.h"
#include "runner/run/store.h"

// Executions that a resumed run already has: the journal's lines, and the rows that belong
// to them in the same order. Empty for a new run.
struct history {
    struct journal_line *lines;
    size_t count, next; // next: first line not yet taken
    struct rows rows;   // measurements.csv
    size_t next_row;
};

struct measurement {
    struct settings *settings;
    const struct plan *plan;
    const struct engine *engine;
    const struct engine
        *kernel_engine; // what executes programs of the kernel; NULL: there are none
    struct store *store;
    struct code code;            // where it is made at each load
    struct core cores[2];        // one, or the two types of a hybrid CPU
    int locks[2];                // of the cores; -1: none
    int neighbour_locks[2];      // of the siblings that --contended keeps busy
    struct width_level found[2]; // of the cores, when the run began
    cpu_set_t siblings[2];       // what shares each of them, without itself
    size_t core_count;
    char event_text[sizeof(((struct settings *)0)->events)]; // what events[] point into
    const char *events[REQUEST_MAX_EVENTS];
    size_t event_count;
    bool no_perf; // --no-perf
    const char *guest_kernel;
    const struct variant *calibrator; // of the plan, for hyperfine; NULL: none
    double calibrator_cycles;         // per iteration
    const struct engine *cross_check; // --cross-check: hyperfine, which can be used; else NULL
    double started;                   // of CLOCK_MONOTONIC_RAW, seconds
    double deadline;                  // of CLOCK_MONOTONIC_RAW, seconds: the budget's end; 0: none
    int progress;                     // to stderr
    struct history history;

    // What comes out. tallies[core * plan->count + variant].
    struct tallies *tallies;
    struct machine machines[2];
    struct engine_probe probes[2], kernel_probes[2];
    size_t executions;
    double seconds_starting, seconds_running;
    int out_of_budget;
    int cut_short;  // by a signal, with something left to measure
    int not_stored; // an execution could not be written: the tallies hold more than the files
};

// Why an event that was asked for does not count under an engine with this probe.
const char *measure_why_lost(const struct engine_probe *probe);

// What the engine is told about one of the cores.
struct engine_settings measure_settings(const struct measurement *run, size_t core);

// Measure until all blocks are done, the budget is spent, or a signal came
// (process_interrupted). 0, or -1 with *error: the CPU changed under the run, the folder
// cannot be written, the engine broke. What was measured is on disk in every case.
int measure(struct measurement *measurement, struct error *error);

void measure_free(struct measurement *measurement);

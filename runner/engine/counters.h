// SPDX-License-Identifier: GPL-3.0-or-later
// runner/engine: the health of one execution, counted by perf events that the runner
// opens itself (perf_event_open(2)) on a child that has not called exec yet.
//
// The same events that `perf stat` is asked for in a variant's evidence execution;
// starting perf for each of hundreds of short executions would take longer than they do.
#pragma once

#include <stddef.h>
#include <sys/types.h>

// What the evidence execution asks perf stat for, and struct health holds, in this order.
#define HEALTH_EVENTS(EVENT)                                                                       \
    EVENT(tsc, "msr/tsc/")                                                                         \
    EVENT(task_clock, "task-clock")                                                                \
    EVENT(context_switches, "context-switches")                                                    \
    EVENT(migrations, "cpu-migrations")

enum health_event {
#define EVENT(name, event) HEALTH_##name,
    HEALTH_EVENTS(EVENT)
#undef EVENT
        HEALTH_COUNT
};

// perf's names, HEALTH_COUNT of them.
extern const char *const health_event_names[HEALTH_COUNT];

struct health {
    double values[HEALTH_COUNT]; // TSC ticks, ms, and two counts; NaN: cannot be had
};

struct counters {
    int descriptors[HEALTH_COUNT]; // -1: could not be opened
};

// Open on process `pid`, to start at its exec and to include its children. What cannot be
// opened stays -1.
void counters_open(pid_t pid, struct counters *counters);

// Read and close.
void counters_read(struct counters *counters, struct health *health);

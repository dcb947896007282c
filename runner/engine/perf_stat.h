// SPDX-License-Identifier: GPL-3.0-or-later
// runner/engine: running things under `perf stat`, for the engines perf and guest.
#pragma once

#include "runner/engine/engine.h"
#include "runner/engine/guest.h"
#include "runner/engine/perf_text.h"
#include "runner/host/process.h"

// Run argv under `perf stat -x ';' -o FILE -e EVENTS`, pinned to settings->cpu; `grouped`
// puts the events into one group, so that they count together or not at all. counts gets
// `count` answers. *result is the run of perf itself: free it. perf's exit status proves
// nothing about the child. 0, or -1 with *error.
int perf_stat_run(const struct engine_settings *settings, const char *const *events, size_t count,
                  int grouped, const char *const *argv, struct perf_count *counts,
                  struct process_result *result, struct error *error);

// Fill has_perf, has_pmu and their reasons, and what becomes of the sweep's own events, in *probe
// by running `true` under perf stat.
void perf_stat_probe(const struct engine_settings *settings, struct engine_probe *probe);

// Executions of N and 2N iterations per event group; the slopes become counts of
// *execution: cycles:u and instructions:u where there is a PMU, and those of the sweep's own events
// that count here, per iteration.
int perf_stat_slopes(const struct engine_settings *settings, const struct engine_probe *probe,
                     const struct engine_job *job, struct execution *execution,
                     struct error *error);

// The same of a variant in the guest: boots with this variant alone under `perf stat`, of cycles:G
// and instructions:G. A boot whose variant does not prove its end gives `faulted`.
int perf_stat_guest_slopes(const struct guest_options *options, const struct engine_job *job,
                           int ring, struct execution *execution, struct error *error);

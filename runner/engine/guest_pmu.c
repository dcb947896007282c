// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/engine/guest_pmu.h"

#include "runner/engine/perf_stat.h"
#include "runner/estimate/slices.h"
#include "runner/host/scratch_file.h"

#include <stdio.h>

enum { EVENTS = 2, MAX_ANSWER = 16384 };

#define CYCLES "cycles:G"
#define INSTRUCTIONS "instructions:G"
static const char *const events[EVENTS] = {CYCLES, INSTRUCTIONS};
static const enum quantity quantities[EVENTS] = {QUANTITY_cycles, QUANTITY_instructions};

static int count_boot(const struct guest_options *options, const struct engine_job *job, int ring,
                      unsigned long iterations, struct perf_count *counts, struct error *error) {
    char path[SCRATCH_PATH], answer[MAX_ANSWER], number[24], why[160];
    const char *const wrapper[] = {
        "perf", "stat", "-x", ";", "-o", path, "-e", "{" CYCLES "," INSTRUCTIONS "}", "--", NULL};
    const struct guest_entry entry = {job->path, {job->variant, number}, ring};
    struct guest_options wrapped = *options;
    struct guest_result result;
    snprintf(number, sizeof number, "%lu", iterations);
    wrapped.wrapper = wrapper;
    if (scratch_file_make(path, error))
        return -1;
    int failed = guest_run(&entry, 1, &wrapped, &result, NULL, 0, error);
    perf_text_parse(answer, scratch_file_take(path, answer, sizeof answer), events, EVENTS, counts);
    if (!failed && slices_parse_end(result.output ? result.output : "", result.output_length,
                                    iterations, why, sizeof why))
        for (int i = 0; i < EVENTS; i++) {
            counts[i].status = result.end == GUEST_TIMED_OUT ? STATUS_timed_out : STATUS_faulted;
            snprintf(counts[i].detail, sizeof counts[i].detail, "%s",
                     result.end == GUEST_EXITED ? why : result.detail);
        }
    guest_results_free(&result, 1);
    return failed;
}

int guest_pmu_slopes(const struct guest_options *options, const struct engine_job *job, int ring,
                     struct execution *execution, struct error *error) {
    struct perf_count once[EVENTS], twice[EVENTS];
    unsigned long n = perf_stat_iterations(job);
    if (count_boot(options, job, ring, n, once, error) ||
        count_boot(options, job, ring, 2 * n, twice, error))
        return -1;
    for (int i = 0; i < EVENTS; i++)
        perf_stat_add_slope(job, events[i], quantities[i], n, &once[i], &twice[i], execution);
    return 0;
}

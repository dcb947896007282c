// SPDX-License-Identifier: GPL-3.0-or-later
// runner/engine: the engine `perf`: programs at CPL3 under Linux.
//
// Per block one --stopwatch execution of each variant. The evidence executions (the
// first block's) go through `perf stat` itself; the others are counted by the same
// perf events, opened by us. Where a PMU exists, executions of N and 2N iterations per
// group of events follow (perf_pmu.c). If perf cannot open events, the variant runs
// directly by the same process code and the stopwatch's values stand.
#include "runner/engine/perf_stat.h"

#include "common/printable.h"
#include "runner/engine/gate.h"
#include "runner/estimate/slices.h"
#include "runner/host/process.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

struct attaching {
    struct counters counters;
    char why[128];
};

static void attach(pid_t pid, void *context) {
    struct attaching *attaching = context;
    counters_open(pid, &attaching->counters, attaching->why, sizeof attaching->why);
}

static void probe(const struct engine_settings *settings, struct engine_probe *probe) {
    *probe = (struct engine_probe){.usable = 1, .accel = "native", .ring = 3};
    probe->privilege = gate_user(probe->privilege_reason, sizeof probe->privilege_reason);
    perf_stat_probe(settings, probe);
}

// perf ends with 0 whatever became of its child, but names a signal on stderr, as
// "PATH: Segmentation fault". " (Segmentation fault)", or "" if there is nothing of the kind.
static const char *said_by_perf(const struct process_result *result, char *text, size_t size) {
    char line[64];
    const char *name = strrchr(result->errors, ':');
    text[0] = '\0';
    if (name && name[1] == ' ')
        snprintf(text, size, " (%s)", printable_line(line, sizeof line, name + 2));
    return text;
}

// Status and reason of a stopwatch run that gave no slices.
static void describe_failure(const struct process_result *result, const char *parse_error,
                             struct execution *execution) {
    char how[128], said[80];
    process_describe(result, how, sizeof how);
    execution->status = result->timed_out ? STATUS_timed_out : STATUS_faulted;
    if (process_succeeded(result))
        snprintf(execution->detail, sizeof execution->detail, "%s%s", parse_error,
                 said_by_perf(result, said, sizeof said));
    else if (result->timed_out || !result->output_length)
        snprintf(execution->detail, sizeof execution->detail, "%s", how);
    else
        snprintf(execution->detail, sizeof execution->detail, "%s; %s", how, parse_error);
}

static void take_output(const struct process_result *result, size_t slices,
                        struct execution *execution) {
    char why[160] = "";
    if (slices_parse(result->output, result->output_length, slices, &execution->slices, why,
                     sizeof why)) {
        describe_failure(result, why, execution);
        return;
    }
    execution->status = STATUS_ok;
    if (execution->slices.flags_left)
        slices_describe_flags(execution->slices.flags_left, execution->detail,
                              sizeof execution->detail);
}

// The same execution, with counters of our own.
static int run_direct(const struct engine_settings *settings, const char *const *argv,
                      struct execution *execution, struct error *error) {
    struct attaching attaching = {.why = ""};
    struct process_request request = {.argv = argv,
                                      .cpu = settings->cpu,
                                      .timeout = settings->timeout,
                                      .before_exec = attach,
                                      .context = &attaching};
    struct process_result result;
    if (process_run(&request, &result, error)) {
        process_free(&result);
        return -1;
    }
    counters_read(&attaching.counters, &execution->health);
    snprintf(execution->health_source, sizeof execution->health_source, "%s",
             isnan(execution->health.values[HEALTH_task_clock]) ? "none" : "perf events");
    execution->switches = result.usage.ru_nvcsw + result.usage.ru_nivcsw;
    execution_took(execution, result.seconds, result.seconds);
    take_output(&result, settings->slices, execution);
    process_free(&result);
    return 0;
}

static int run_under_perf(const struct engine_settings *settings, const char *const *argv,
                          struct execution *execution, struct error *error) {
    struct perf_count counts[HEALTH_COUNT];
    struct process_result result;
    if (perf_stat_run(settings, health_event_names, HEALTH_COUNT, 0, argv, counts, &result,
                      error)) {
        process_free(&result);
        return -1;
    }
    for (int i = 0; i < HEALTH_COUNT; i++)
        execution->health.values[i] = counts[i].value;
    snprintf(execution->health_source, sizeof execution->health_source, "perf stat");
    execution->switches = -1; // wait4 would count perf's own
    execution_took(execution, result.seconds, counts[HEALTH_task_clock].value * 1e-3);
    take_output(&result, settings->slices, execution);
    process_free(&result);
    return 0;
}

static int execute(const struct engine_settings *settings, const struct engine_probe *probe,
                   const struct engine_job *job, struct execution *execution, struct error *error) {
    char slices[24];
    snprintf(slices, sizeof slices, "%zu", settings->slices);
    const char *argv[] = {job->path, "--stopwatch", slices, NULL};
    *execution = (struct execution){.index = job->index, .cpu = settings->cpu, .switches = -1};
    for (int i = 0; i < HEALTH_COUNT; i++)
        execution->health.values[i] = NAN;
    if (!engine_may_run(job, probe, execution))
        return 0;
    int under_perf = settings->evidence && probe->has_perf;
    int failed = under_perf ? run_under_perf(settings, argv, execution, error)
                            : run_direct(settings, argv, execution, error);
    // perf ends well when its child died of a signal, and does not always say so: once more
    // without it, to learn how the variant ends.
    if (!failed && under_perf && execution->status == STATUS_faulted)
        failed = run_direct(settings, argv, execution, error);
    if (!failed && probe->has_pmu && execution->status == STATUS_ok)
        failed = perf_stat_slopes(settings, job, execution, error);
    return failed;
}

static int measure(const struct engine_settings *settings, const struct engine_probe *probe,
                   const struct engine_job *jobs, size_t count, engine_sink *sink, void *context,
                   struct error *error) {
    int stop = 0;
    for (size_t i = 0; i < count && !stop && !process_interrupted(); i++) {
        struct execution execution;
        if (execute(settings, probe, &jobs[i], &execution, error)) {
            slices_free(&execution.slices);
            return -1;
        }
        if (!process_interrupted())
            stop = sink(&execution, context);
        slices_free(&execution.slices);
    }
    return 0;
}

const struct engine engine_perf = {
    .name = "perf",
    .about = "programs at CPL3 under Linux: stopwatch under perf, PMU slopes where there is a PMU",
    .source = "stopwatch",
    .probe = probe,
    .measure = measure,
};

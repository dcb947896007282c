// SPDX-License-Identifier: GPL-3.0-or-later
// runner/engine: the engine `perf`: programs at CPL3 under Linux.
//
// Per block one --stopwatch execution of each variant. The evidence executions (the
// first block's) go through `perf stat` itself; the others are counted by the same
// perf events, opened by us. Where a PMU exists, or the sweep has events that the kernel counts,
// executions of N and 2N iterations per group of events follow (perf_stat.c). If perf cannot open
// events, the variant runs directly by the same process code and the stopwatch's values stand.
#include "runner/engine/perf_stat.h"

#include "common/printable.h"
#include "runner/engine/gate.h"
#include "runner/host/process.h"

#include <stdio.h>
#include <string.h>

static void attach(pid_t pid, void *context) {
    counters_open(pid, context);
}

static void probe(const struct engine_settings *settings, struct engine_probe *probe) {
    *probe = (struct engine_probe){.usable = true, .accel = "native", .ring = 3};
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

// The slices of a stopwatch run, or why it gave none.
static void take_output(const struct process_result *result, size_t slices,
                        struct execution *execution) {
    char why[160], how[128], said[80];
    if (!execution_take_slices(execution, result->output, result->output_length, slices, why,
                               sizeof why))
        return;
    enum status status = result->timed_out ? STATUS_timed_out : STATUS_faulted;
    process_describe(result, how, sizeof how);
    if (process_succeeded(result))
        execution_ends(execution, status, "%s%s", why, said_by_perf(result, said, sizeof said));
    else if (result->timed_out || !result->output_length)
        execution_ends(execution, status, "%s", how);
    else
        execution_ends(execution, status, "%s; %s", how, why);
}

// The same execution, with counters of our own.
static int run_direct(const struct engine_settings *settings, const char *const *argv,
                      struct execution *execution, struct error *error) {
    struct counters counters;
    struct process_request request = {.argv = argv,
                                      .cpu = settings->cpu,
                                      .timeout = settings->timeout,
                                      .before_exec = attach,
                                      .context = &counters};
    struct process_result result;
    int failed = process_run(&request, &result, error);
    if (!failed) {
        counters_read(&counters, &execution->health);
        execution->switches = result.usage.ru_nvcsw + result.usage.ru_nivcsw;
        execution_took(execution, result.seconds, result.seconds);
        take_output(&result, settings->slices, execution);
    }
    process_free(&result);
    return failed;
}

static int run_under_perf(const struct engine_settings *settings, const char *const *argv,
                          struct execution *execution, struct error *error) {
    struct perf_count counts[HEALTH_COUNT];
    struct process_result result;
    int failed =
        perf_stat_run(settings, health_event_names, HEALTH_COUNT, 0, argv, counts, &result, error);
    if (!failed) {
        for (int i = 0; i < HEALTH_COUNT; i++)
            execution->health.values[i] = counts[i].value;
        execution->switches = -1; // wait4 would count perf's own
        execution_took(execution, result.seconds, counts[HEALTH_task_clock].value * 1e-3);
        take_output(&result, settings->slices, execution);
    }
    process_free(&result);
    return failed;
}

static int execute(const struct engine_settings *settings, const struct engine_probe *probe,
                   const struct engine_job *job, struct execution *execution, struct error *error) {
    char slices[24];
    snprintf(slices, sizeof slices, "%zu", settings->slices);
    const char *argv[] = {job->path, "--stopwatch", slices, NULL};
    bool under_perf = settings->evidence && probe->has_perf;
    int failed = under_perf ? run_under_perf(settings, argv, execution, error)
                            : run_direct(settings, argv, execution, error);
    // perf ends well when its child died of a signal, and does not always say so: once more
    // without it, to learn how the variant ends.
    if (!failed && under_perf && execution->status == STATUS_faulted)
        failed = run_direct(settings, argv, execution, error);
    if (!failed && execution->status == STATUS_ok)
        failed = perf_stat_slopes(settings, probe, job, execution, error);
    return failed;
}

const struct engine engine_perf = {
    .name = "perf",
    .about = "programs at CPL3 under Linux: stopwatch under perf, PMU slopes where there is a PMU",
    .source = "stopwatch",
    .probe = probe,
    .execute = execute,
};

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
#include "runner/estimate/slices.h"
#include "runner/host/process.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// What the evidence execution asks perf stat for.
enum { HEALTH_TSC, HEALTH_TASK_CLOCK, HEALTH_SWITCHES, HEALTH_MIGRATIONS, HEALTH_COUNT };
static const char *const health_events[HEALTH_COUNT] = {
    [HEALTH_TSC] = "msr/tsc/",
    [HEALTH_TASK_CLOCK] = "task-clock",
    [HEALTH_SWITCHES] = "context-switches",
    [HEALTH_MIGRATIONS] = "cpu-migrations",
};

// The last two of them by ourselves: starting perf for each of hundreds of short executions would
// take longer than they do. -1: could not be opened.
struct counters {
    int switches, migrations;
};

// Counts from the process's exec on, its children included (perf_event_open(2)).
static int open_counter(pid_t pid, uint64_t config) {
    struct perf_event_attr attribute = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attribute,
        .config = config,
        .disabled = 1,
        .enable_on_exec = 1,
        .inherit = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attribute, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static void attach(pid_t pid, void *context) {
    struct counters *counters = context;
    counters->switches = open_counter(pid, PERF_COUNT_SW_CONTEXT_SWITCHES);
    counters->migrations = open_counter(pid, PERF_COUNT_SW_CPU_MIGRATIONS);
}

// Read and close; NaN: there is no count.
static double take_counter(int counter) {
    uint64_t count;
    if (counter < 0)
        return NAN;
    ssize_t got = read(counter, &count, sizeof count);
    close(counter);
    return got == (ssize_t)sizeof count ? (double)count : NAN;
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
    uint64_t setup = slices_long_setup(result->output, result->output_length);
    process_describe(result, how, sizeof how);
    if (process_succeeded(result))
        ends_with(execution, status, "%s%s", why, said_by_perf(result, said, sizeof said));
    else if (result->timed_out && setup)
        ends_with(execution, status,
                  "%s; setup and teardown take %" PRIu64 " TSC ticks, two times and more in each "
                  "slice: put less there, take fewer --slices or a longer --timeout",
                  how, setup);
    else if (result->timed_out || !result->output_length)
        ends_with(execution, status, "%s", how);
    else
        ends_with(execution, status, "%s; %s", how, why);
}

// The same execution, with counters of our own.
static int run_direct(const struct engine_settings *settings, const char *const *argv,
                      struct execution *execution, struct error *error) {
    struct counters counters = {-1, -1};
    struct process_request request = {.argv = argv,
                                      .cpu = settings->cpu,
                                      .timeout = settings->timeout,
                                      .before_exec = attach,
                                      .context = &counters};
    struct process_result result;
    int failed = process_run(&request, &result, error);
    if (!failed) {
        execution->switches = take_counter(counters.switches);
        execution->migrations = take_counter(counters.migrations);
        if (isnan(execution->switches))
            execution->switches = (double)(result.usage.ru_nvcsw + result.usage.ru_nivcsw);
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
        perf_stat_run(settings, health_events, HEALTH_COUNT, 0, argv, counts, &result, error);
    if (!failed) {
        execution->switches = counts[HEALTH_SWITCHES].value; // wait4 would count perf's own
        execution->migrations = counts[HEALTH_MIGRATIONS].value;
        execution_took(execution, result.seconds, counts[HEALTH_TASK_CLOCK].value * 1e-3);
        take_output(&result, settings->slices, execution);
    }
    process_free(&result);
    return failed;
}

static int execute(const struct engine_settings *settings, const struct engine_probe *probe,
                   const struct engine_job *job, struct execution *execution, struct error *error) {
    char slices[24], patience[24];
    snprintf(slices, sizeof slices, "%zu", settings->slices);
    snprintf(patience, sizeof patience, "%u", settings->patience);
    const char *argv[] = {job->path, "--stopwatch", slices, settings->patience ? patience : NULL,
                          NULL};
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

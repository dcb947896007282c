// SPDX-License-Identifier: GPL-3.0-or-later
// runner/engine: the engine `hyperfine`: the cross-check. Wall time of whole bare
// runs of N and 2N iterations, beside those of a calibrator variant in the same call; the
// ratio of the slopes is cycles per iteration. It also says the smallest difference that it
// could have seen, which on most machines is large: that is why it is only a cross-check.
#include "runner/engine/engine.h"

#include "common/printable.h"
#include "runner/engine/gate.h"
#include "runner/engine/hyperfine_json.h"
#include "runner/estimate/stats.h"
#include "runner/estimate/stopwatch.h"
#include "runner/host/process.h"
#include "runner/host/scratch_file.h"

#include <math.h>
#include <stdio.h>
#include <sys/wait.h>

enum { RUNS = 5, COMMANDS = 4, MAX_JSON = 1 << 20, MAX_COMMAND = 4400 };

// A bare run of the default count is about a second: a hundredth is well above the start of
// a process, and four commands of five runs stay under half a second.
enum { PART_OF_A_RUN = 100 };

static void probe(const struct engine_settings *settings, struct engine_probe *probe) {
    static const char *const argv[] = {"hyperfine", "--version", NULL};
    struct process_request request = {.argv = argv, .cpu = -1, .timeout = 10};
    struct process_result result;
    struct error error;
    (void)settings;
    *probe = (struct engine_probe){.accel = "native", .ring = 3};
    probe->privilege = gate_user(probe->privilege_reason, sizeof probe->privilege_reason);
    snprintf(probe->pmu_reason, sizeof probe->pmu_reason, "hyperfine measures wall time only");
    int failed = process_run(&request, &result, &error);
    int major = 0, minor = 0;
    if (failed || !process_succeeded(&result) ||
        sscanf(result.output, "hyperfine %d.%d", &major, &minor) != 2)
        snprintf(probe->reason, sizeof probe->reason, "no hyperfine in PATH");
    else if (major < 1 || (major == 1 && minor < 13))
        snprintf(probe->reason, sizeof probe->reason, "hyperfine %d.%d has no -N: 1.13 or later",
                 major, minor);
    else
        probe->usable = true;
    process_free(&result);
}

// hyperfine -N splits a command into words as a shell would, but runs no shell: quote.
static int make_command(const char *path, unsigned long iterations, char *text, size_t size) {
    size_t used = 0;
    text[used++] = '\'';
    for (; *path && used + 40 < size; path++)
        used += (size_t)snprintf(text + used, size - used, *path == '\'' ? "'\\''" : "%c", *path);
    snprintf(text + used, size - used, "' %lu", iterations);
    return *path ? -1 : 0;
}

// Why there is no export: the first line of what hyperfine said, or how it ended.
static void describe_failure(const struct process_result *result, struct engine_count *count) {
    char how[128], line[121];
    printable_line(line, sizeof line, result->errors);
    if (!*line || result->exec_errno || result->timed_out || !WIFEXITED(result->status))
        snprintf(line, sizeof line, "%s", process_describe(result, how, sizeof how));
    ends_with(count, result->timed_out ? STATUS_timed_out : STATUS_faulted, "hyperfine: %s", line);
}

// Four commands in one call: loop N, loop 2N, calibrator N, calibrator 2N. Their times, or the
// reason in count's status and detail.
static int run_hyperfine(const struct engine_settings *settings, const struct engine_job *job,
                         unsigned long n, unsigned long calibrator_n,
                         struct hyperfine_times times[COMMANDS], struct execution *execution,
                         struct error *error) {
    struct engine_count *count = &execution->counts[execution->count - 1];
    char path[SCRATCH_PATH], runs[8], commands[COMMANDS][MAX_COMMAND];
    double running = 0;
    if (scratch_file_make(path, error))
        return -1;
    snprintf(runs, sizeof runs, "%d", RUNS);
    int failed = make_command(job->path, n, commands[0], MAX_COMMAND) ||
                 make_command(job->path, 2 * n, commands[1], MAX_COMMAND) ||
                 make_command(settings->calibrator, calibrator_n, commands[2], MAX_COMMAND) ||
                 make_command(settings->calibrator, 2 * calibrator_n, commands[3], MAX_COMMAND);
    const char *argv[] = {"hyperfine", "-N",        "--style",   "none",          "--warmup",
                          "1",         "--runs",    runs,        "--export-json", path,
                          commands[0], commands[1], commands[2], commands[3],     NULL};
    struct process_request request = {
        .argv = argv, .cpu = settings->cpu, .timeout = settings->timeout * COMMANDS * (RUNS + 1)};
    struct process_result result = {0};
    static char json[MAX_JSON];
    if (failed)
        error_set(error, ERROR_INPUT, job->path, 0, "the path is too long for hyperfine");
    else
        failed = process_run(&request, &result, error);
    size_t length = scratch_file_take(path, json, sizeof json);
    if (!failed && !process_succeeded(&result))
        describe_failure(&result, count);
    else if (!failed && !hyperfine_json_parse(json, length, COMMANDS, times, count->detail,
                                              sizeof count->detail)) {
        count->status = STATUS_ok;
        for (int i = 0; i < COMMANDS; i++)
            running += stats_mean(times[i].seconds, times[i].count) * (double)times[i].count;
    }
    execution_took(execution, result.seconds, running);
    process_free(&result);
    return failed;
}

// cycles = calibrator's cycles * slope of the loop / slope of the calibrator. A slope as uncertain
// as it is large is none.
static void evaluate(const struct engine_settings *settings, const struct hyperfine_times *times,
                     double n, double calibrator_n, struct engine_count *count) {
    double loop, loop_half, chain, chain_half;
    hyperfine_slope(&times[0], &times[1], n, &loop, &loop_half);
    hyperfine_slope(&times[2], &times[3], calibrator_n, &chain, &chain_half);
    double relative = hypot(loop_half / loop, chain_half / chain);
    double cycles = settings->calibrator_cycles * loop / chain;
    count->samples = (double)(times[0].count + times[1].count);
    if (!(loop > 0) || !(chain > 0) || !isfinite(relative)) {
        ends_with(count, STATUS_implausible, "2N iterations took no longer than N");
    } else if (relative >= 1) {
        ends_with(count, STATUS_implausible,
                  "2N iterations took longer than N by less than the runs differ");
    } else if (cycles < FASTEST_ITERATION) {
        ends_with(count, STATUS_implausible, "%.3g cycles: faster than a taken jump can be",
                  cycles);
    } else {
        count->value = cycles;
        count->low = cycles * (1 - relative);
        count->high = cycles * (1 + relative);
        ends_with(count, STATUS_ok,
                  "wall time against a calibrator; could not have seen a difference below %.2g %%",
                  100 * relative);
    }
}

static int execute(const struct engine_settings *settings, const struct engine_probe *probe,
                   const struct engine_job *job, struct execution *execution, struct error *error) {
    struct hyperfine_times times[COMMANDS];
    (void)probe;
    if (!settings->calibrator)
        return error_set(error, ERROR_INPUT, NULL, 0,
                         "hyperfine needs a calibrator beside the loops: add [[family]] with "
                         "name = \"calibrator\" to the sweep and build it again");
    unsigned long n = (unsigned long)(job->iterations / PART_OF_A_RUN) + 1;
    unsigned long calibrator_n =
        (unsigned long)(settings->calibrator_iterations / PART_OF_A_RUN) + 1;
    struct engine_count *count = execution_add_count(execution, QUANTITY_cycles, "hyperfine", "");
    count->status = STATUS_faulted;
    execution->status = STATUS_ok;
    if (run_hyperfine(settings, job, n, calibrator_n, times, execution, error))
        return -1;
    if (count->status == STATUS_ok)
        evaluate(settings, times, (double)n, (double)calibrator_n, count);
    return 0;
}

const struct engine engine_hyperfine = {
    .name = "hyperfine",
    .about = "wall time of whole runs beside a calibrator: the cross-check",
    .source = "hyperfine",
    .needs_unit = true,
    .probe = probe,
    .execute = execute,
};

// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/engine/perf_stat.h"

#include "common/printable.h"
#include "runner/estimate/slices.h"
#include "runner/host/machine.h"
#include "runner/host/scratch_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { UNKNOWN_LEVEL = -99 }; // of perf_event_paranoid: far below what refuses anything
enum { MAX_ARGUMENTS = 24, MAX_EVENT_TEXT = 1024, GROUP_OF_OWN = 2 };

// A whole run is about a second; a slope needs far less, and many of them are run.
enum { SLOPE_PART_OF_A_RUN = 50 };

// Instructions retired may exceed the claim by this part (interrupts, AMD erratum 1291);
// more is another loop than the one that was claimed.
static const double retired_tolerance = 0.002;

static void join_events(const char *const *events, size_t count, int grouped, char *text,
                        size_t size) {
    size_t used = (size_t)snprintf(text, size, "%s", grouped ? "{" : "");
    for (size_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "," : "", events[i]);
    if (grouped && used < size)
        snprintf(text + used, size - used, "}");
}

int perf_stat_run(const struct engine_settings *settings, const char *const *events, size_t count,
                  int grouped, const char *const *argv, struct perf_count *counts,
                  struct process_result *result, struct error *error) {
    char path[SCRATCH_PATH], list[MAX_EVENT_TEXT], answer[16384];
    const char *whole[MAX_ARGUMENTS] = {"perf", "stat", "-x", ";", "-o", path, "-e", list, "--"};
    size_t at = 9;
    *result = (struct process_result){0};
    if (scratch_file_make(path, error))
        return -1;
    join_events(events, count, grouped, list, sizeof list);
    while (*argv && at < MAX_ARGUMENTS - 1)
        whole[at++] = *argv++;
    struct process_request request = {
        .argv = whole, .cpu = settings->cpu, .timeout = settings->timeout};
    int failed = process_run(&request, result, error);
    size_t length = scratch_file_take(path, answer, sizeof answer);
    perf_text_parse(answer, length, events, count, counts);
    return failed;
}

// perf's own complaint, its first line, or how it ended.
static void complaint(const struct process_result *result, char *text, size_t size) {
    char how[128], line[121];
    printable_line(line, sizeof line, result->errors ? result->errors : "");
    if (*line && !result->exec_errno)
        snprintf(text, size, "perf: %s", line);
    else
        snprintf(text, size, "perf %s", process_describe(result, how, sizeof how));
}

static int paranoid_level(void) {
    char text[16];
    machine_read_line(text, sizeof text, "/proc/sys/kernel/perf_event_paranoid");
    return *text ? atoi(text) : UNKNOWN_LEVEL;
}

// Why perf stat counts nothing for this user, in one line that names the remedy.
static void describe_no_perf(const struct process_result *result, char *text, size_t size) {
    char why[200];
    complaint(result, why, sizeof why);
    int level = paranoid_level();
    // The setting binds no root, and makes perf neither hang nor die.
    if (result->exec_errno || result->timed_out || !WIFEXITED(result->status) || level < 2 ||
        geteuid() == 0)
        snprintf(text, size, "no perf stat, variants run directly (%s)", why);
    else
        snprintf(text, size,
                 "no perf stat for this user, variants run directly: "
                 "kernel.perf_event_paranoid=%d, 1 would do",
                 level);
}

// Is there such a counter, even if `true` was over before its turn came?
static int exists(const struct perf_count *count) {
    return count->status == STATUS_ok || count->status == STATUS_multiplexed ||
           (count->status == STATUS_not_counted && count->running == 0);
}

// The sweep's own events one by one. A usage error is perf's answer to a name it does not know.
static void probe_events(const struct engine_settings *settings, struct engine_probe *probe) {
    static const char *const argv[] = {"true", NULL};
    enum { USAGE = 129 };
    for (size_t i = 0; i < settings->event_count && probe->has_perf; i++) {
        struct perf_count count;
        struct process_result result;
        struct error error;
        bool ran =
            perf_stat_run(settings, &settings->events[i], 1, 0, argv, &count, &result, &error) == 0;
        if (ran && exists(&count))
            probe->counted_events |= 1u << i;
        if (ran && WIFEXITED(result.status) && WEXITSTATUS(result.status) == USAGE &&
            !*probe->unknown_event)
            snprintf(probe->unknown_event, sizeof probe->unknown_event, "%s", settings->events[i]);
        process_free(&result);
    }
}

// An ordinary user may count cycles:u where task-clock is refused, and the other way round:
// each is judged by itself.
void perf_stat_probe(const struct engine_settings *settings, struct engine_probe *probe) {
    static const char *const events[] = {"task-clock", "cycles:u", "instructions:u"};
    static const char *const argv[] = {"true", NULL};
    struct perf_count counts[3];
    struct process_result result;
    struct error error = {0};
    struct engine_settings limited = *settings;
    limited.timeout = 20;
    int failed = perf_stat_run(&limited, events, 3, 0, argv, counts, &result, &error);
    probe->has_pmu = !failed && exists(&counts[1]) && exists(&counts[2]);
    probe->has_perf = !failed && (probe->has_pmu || counts[0].status == STATUS_ok);
    if (failed)
        snprintf(probe->reason, sizeof probe->reason, "%.200s", error.text);
    else if (!probe->has_perf)
        describe_no_perf(&result, probe->reason, sizeof probe->reason);
    else if (counts[0].status != STATUS_ok)
        snprintf(probe->reason, sizeof probe->reason,
                 "perf stat sees user mode only: kernel.perf_event_paranoid=%d, 1 would do",
                 paranoid_level());
    snprintf(probe->pmu_reason, sizeof probe->pmu_reason, "%s",
             probe->has_pmu    ? "cycles:u and instructions:u count"
             : probe->has_perf ? counts[exists(&counts[1]) ? 2 : 1].detail
                               : "perf stat does not work");
    process_free(&result);
    probe_events(&limited, probe);
}

// One group's counts for `iterations`; ok only if the variant proved its end.
static int count_group(const struct engine_settings *settings, const struct engine_job *job,
                       const char *const *events, size_t count, unsigned long iterations,
                       struct perf_count *counts, struct error *error) {
    char number[24], why[160];
    snprintf(number, sizeof number, "%lu", iterations);
    const char *argv[] = {job->path, number, NULL};
    struct process_result result;
    int failed = perf_stat_run(settings, events, count, 1, argv, counts, &result, error);
    if (!failed &&
        slices_parse_end(result.output, result.output_length, iterations, why, sizeof why))
        for (size_t i = 0; i < count; i++) {
            counts[i].status = result.timed_out ? STATUS_timed_out : STATUS_faulted;
            snprintf(counts[i].detail, sizeof counts[i].detail, "%s", why);
        }
    process_free(&result);
    return failed;
}

static void check_retired(const struct engine_job *job, struct engine_count *count) {
    if (count->quantity != QUANTITY_instructions || count->status != STATUS_ok ||
        isnan(job->retired))
        return;
    double excess = count->value / job->retired - 1;
    if (fabs(excess) > 1e-6)
        count_ends(count, fabs(excess) > retired_tolerance ? STATUS_implausible : STATUS_ok,
                   "%.9g retired where %.9g are expected (%+.3f %%)", count->value, job->retired,
                   100 * excess);
}

// Is it counted by the kernel? "page-faults:u" is, too.
static bool is_software(const char *event) {
    static const char *const names[] = {
#define SOFTWARE_EVENT(name) name,
#include "runner/engine/software_events.def"
#undef SOFTWARE_EVENT
    };
    size_t length = strcspn(event, ":");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && !strncmp(names[i], event, length))
            return true;
    return false;
}

unsigned long perf_stat_iterations(const struct engine_job *job) {
    return (unsigned long)(job->iterations / SLOPE_PART_OF_A_RUN) + 1;
}

void perf_stat_add_slope(const struct engine_job *job, const char *event, enum quantity quantity,
                         unsigned long n, const struct perf_count *once,
                         const struct perf_count *twice, struct execution *execution) {
    struct engine_count *count =
        execution_add_count(execution, quantity, is_software(event) ? "kernel" : "pmu", event);
    if (!count)
        return;
    const struct perf_count *worse = once->status <= twice->status ? once : twice;
    count->samples = 1;
    count_ends(count, status_worse(once->status, twice->status), "%s", worse->detail);
    if (count->status != STATUS_ok)
        return;
    count->value = (twice->value - once->value) / (double)n;
    if (quantity != QUANTITY_event && !(count->value > 0))
        count_ends(count, STATUS_implausible, "2N counts no more than N");
    check_retired(job, count);
    if (count->status != STATUS_ok)
        count->value = NAN;
}

static enum quantity quantity_of(const char *event) {
    return !strcmp(event, "cycles:u")         ? QUANTITY_cycles
           : !strcmp(event, "instructions:u") ? QUANTITY_instructions
                                              : QUANTITY_event;
}

// A group that found no room as a whole may find it in parts.
static int found_no_room(const struct perf_count *counts, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (counts[i].status == STATUS_not_counted || counts[i].status == STATUS_multiplexed)
            return 1;
    return 0;
}

static int slopes_of_group(const struct engine_settings *settings, const struct engine_job *job,
                           const char *const *events, size_t count, struct execution *execution,
                           struct error *error) {
    struct perf_count once[GROUP_OF_OWN], twice[GROUP_OF_OWN];
    unsigned long n = perf_stat_iterations(job);
    if (count_group(settings, job, events, count, n, once, error))
        return -1;
    if (count > 1 && found_no_room(once, count))
        return slopes_of_group(settings, job, events, 1, execution, error) ||
                       slopes_of_group(settings, job, events + 1, count - 1, execution, error)
                   ? -1
                   : 0;
    if (count_group(settings, job, events, count, 2 * n, twice, error))
        return -1;
    for (size_t i = 0; i < count; i++)
        perf_stat_add_slope(job, events[i], quantity_of(events[i]), n, &once[i], &twice[i],
                            execution);
    return 0;
}

int perf_stat_slopes(const struct engine_settings *settings, const struct engine_probe *probe,
                     const struct engine_job *job, struct execution *execution,
                     struct error *error) {
    static const char *const basic[] = {"cycles:u", "instructions:u"};
    if (probe->has_pmu && slopes_of_group(settings, job, basic, 2, execution, error))
        return -1;
    // The sweep's own events two at a time: that fits the counters of every CPU that has
    // any, beside the NMI watchdog's.
    const char *group[GROUP_OF_OWN];
    size_t count = 0;
    for (size_t i = 0; i < settings->event_count; i++) {
        if (probe->counted_events >> i & 1)
            group[count++] = settings->events[i];
        bool full = count == GROUP_OF_OWN || (count && i + 1 == settings->event_count);
        if (full && slopes_of_group(settings, job, group, count, execution, error))
            return -1;
        count = full ? 0 : count;
    }
    return 0;
}

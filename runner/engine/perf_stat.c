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
enum { MAX_ARGUMENTS = 24, MAX_EVENT_TEXT = 1024, SCOPE_WORDS = 9, GROUP_OF_OWN = 2 };

// Counted in any case where there is a PMU. :G is the guest's mode, counted from outside.
enum { BASIC = 2 };
static const char *const basic[BASIC] = {"cycles:u", "instructions:u"};
static const char *const basic_of_guest[BASIC] = {"cycles:G", "instructions:G"};

// A whole run is about a second; a slope needs far less, and many of them are run.
enum { SLOPE_PART_OF_A_RUN = 50 };

// Instructions retired may exceed the claim by this part (interrupts, AMD erratum 1291);
// more is another loop than the one that was claimed.
static const double retired_tolerance = 0.002;

// perf stat in front of a command: its words, and where its answer goes.
struct scope {
    char path[SCRATCH_PATH], list[MAX_EVENT_TEXT];
    const char *words[SCOPE_WORDS + 1];
};

static int open_scope(struct scope *scope, const char *const *events, size_t count, int grouped,
                      struct error *error) {
    const char *const words[] = {"perf",      "stat", "-x",        ";",  "-o",
                                 scope->path, "-e",   scope->list, "--", NULL};
    memcpy(scope->words, words, sizeof words);
    size_t used = 0;
    for (size_t i = 0; i < count && used < MAX_EVENT_TEXT; i++)
        used += (size_t)snprintf(scope->list + used, MAX_EVENT_TEXT - used, "%s%s%s",
                                 i         ? ","
                                 : grouped ? "{"
                                           : "",
                                 events[i], grouped && i + 1 == count ? "}" : "");
    return scratch_file_make(scope->path, error);
}

static void close_scope(const struct scope *scope, const char *const *events, size_t count,
                        struct perf_count *counts) {
    char answer[16384];
    perf_text_parse(answer, scratch_file_take(scope->path, answer, sizeof answer), events, count,
                    counts);
}

int perf_stat_run(const struct engine_settings *settings, const char *const *events, size_t count,
                  int grouped, const char *const *argv, struct perf_count *counts,
                  struct process_result *result, struct error *error) {
    struct scope scope;
    const char *whole[MAX_ARGUMENTS] = {0};
    *result = (struct process_result){0};
    if (open_scope(&scope, events, count, grouped, error))
        return -1;
    memcpy(whole, scope.words, sizeof scope.words);
    for (size_t at = SCOPE_WORDS; *argv && at < MAX_ARGUMENTS - 1; at++)
        whole[at] = *argv++;
    struct process_request request = {
        .argv = whole, .cpu = settings->cpu, .timeout = settings->timeout};
    int failed = process_run(&request, result, error);
    close_scope(&scope, events, count, counts);
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

// What a slope is counted of: a job under Linux, or in the guest.
struct subject {
    const struct engine_job *job;
    const struct engine_settings *settings; // of Linux
    const struct guest_options *guest;      // NULL: Linux
    int ring;                               // of the guest
};

// What ran did not prove its end: nothing was counted.
static void refuse_counts(struct perf_count *counts, size_t count, bool timed_out,
                          const char *why) {
    for (size_t i = 0; i < count; i++) {
        counts[i].status = timed_out ? STATUS_timed_out : STATUS_faulted;
        snprintf(counts[i].detail, sizeof counts[i].detail, "%s", why);
    }
}

static int count_in_guest(const struct subject *subject, const char *const *events, size_t count,
                          const char *number, unsigned long iterations, struct perf_count *counts,
                          struct error *error) {
    char why[160];
    struct scope scope;
    struct guest_options options = *subject->guest;
    struct guest_result result;
    const struct guest_entry entry = {
        subject->job->path, {subject->job->variant, number}, subject->ring};
    options.wrapper = scope.words;
    if (open_scope(&scope, events, count, 1, error))
        return -1;
    int failed = guest_run(&entry, 1, &options, &result, NULL, 0, error);
    close_scope(&scope, events, count, counts);
    if (!failed && slices_parse_end(result.output ? result.output : "", result.output_length,
                                    iterations, why, sizeof why))
        refuse_counts(counts, count, result.end == GUEST_TIMED_OUT,
                      result.end == GUEST_EXITED ? why : result.detail);
    guest_results_free(&result, 1);
    return failed;
}

// One group's counts for `iterations`; ok only if the variant proved its end.
static int count_group(const struct subject *subject, const char *const *events, size_t count,
                       unsigned long iterations, struct perf_count *counts, struct error *error) {
    char number[24], why[160];
    snprintf(number, sizeof number, "%lu", iterations);
    if (subject->guest != NULL)
        return count_in_guest(subject, events, count, number, iterations, counts, error);
    const char *argv[] = {subject->job->path, number, NULL};
    struct process_result result;
    int failed = perf_stat_run(subject->settings, events, count, 1, argv, counts, &result, error);
    if (!failed &&
        slices_parse_end(result.output, result.output_length, iterations, why, sizeof why))
        refuse_counts(counts, count, result.timed_out, why);
    process_free(&result);
    return failed;
}

static void check_retired(const struct engine_job *job, struct engine_count *count) {
    if (count->quantity != QUANTITY_instructions || count->status != STATUS_ok ||
        isnan(job->retired))
        return;
    double excess = count->value / job->retired - 1;
    if (fabs(excess) > 1e-6)
        ends_with(count, fabs(excess) > retired_tolerance ? STATUS_implausible : STATUS_ok,
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

// The slope of one event from its counts of `n` and 2 `n` iterations; instructions are held against
// the job's claim.
static void add_slope(const struct engine_job *job, const char *event, enum quantity quantity,
                      unsigned long n, const struct perf_count *once,
                      const struct perf_count *twice, struct execution *execution) {
    struct engine_count *count =
        execution_add_count(execution, quantity, is_software(event) ? "kernel" : "pmu", event);
    if (!count)
        return;
    const struct perf_count *worse = once->status <= twice->status ? once : twice;
    count->samples = 1;
    ends_with(count, status_worse(once->status, twice->status), "%s", worse->detail);
    if (count->status != STATUS_ok)
        return;
    count->value = (twice->value - once->value) / (double)n;
    if (quantity != QUANTITY_event && !(count->value > 0))
        ends_with(count, STATUS_implausible, "2N counts no more than N");
    check_retired(job, count);
    if (count->status != STATUS_ok)
        count->value = NAN;
}

static enum quantity quantity_of(const char *event) {
    for (int i = 0; i < BASIC; i++)
        if (!strcmp(event, basic[i]) || !strcmp(event, basic_of_guest[i]))
            return i ? QUANTITY_instructions : QUANTITY_cycles;
    return QUANTITY_event;
}

// A group that found no room as a whole may find it in parts.
static int found_no_room(const struct perf_count *counts, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (counts[i].status == STATUS_not_counted || counts[i].status == STATUS_multiplexed)
            return 1;
    return 0;
}

static int slopes_of_group(const struct subject *subject, const char *const *events, size_t count,
                           struct execution *execution, struct error *error) {
    struct perf_count once[GROUP_OF_OWN], twice[GROUP_OF_OWN];
    const struct engine_job *job = subject->job;
    unsigned long n = (unsigned long)(job->iterations / SLOPE_PART_OF_A_RUN) + 1;
    if (count_group(subject, events, count, n, once, error))
        return -1;
    if (count > 1 && found_no_room(once, count))
        return slopes_of_group(subject, events, 1, execution, error) ||
                       slopes_of_group(subject, events + 1, count - 1, execution, error)
                   ? -1
                   : 0;
    if (count_group(subject, events, count, 2 * n, twice, error))
        return -1;
    for (size_t i = 0; i < count; i++)
        add_slope(job, events[i], quantity_of(events[i]), n, &once[i], &twice[i], execution);
    return 0;
}

int perf_stat_guest_slopes(const struct guest_options *options, const struct engine_job *job,
                           int ring, struct execution *execution, struct error *error) {
    const struct subject subject = {.job = job, .guest = options, .ring = ring};
    return slopes_of_group(&subject, basic_of_guest, BASIC, execution, error);
}

int perf_stat_slopes(const struct engine_settings *settings, const struct engine_probe *probe,
                     const struct engine_job *job, struct execution *execution,
                     struct error *error) {
    const struct subject subject = {.job = job, .settings = settings};
    if (probe->has_pmu && slopes_of_group(&subject, basic, BASIC, execution, error))
        return -1;
    // The sweep's own events two at a time: that fits the counters of every CPU that has
    // any, beside the NMI watchdog's.
    const char *group[GROUP_OF_OWN];
    size_t count = 0;
    for (size_t i = 0; i < settings->event_count; i++) {
        if (probe->counted_events >> i & 1)
            group[count++] = settings->events[i];
        bool full = count == GROUP_OF_OWN || (count && i + 1 == settings->event_count);
        if (full && slopes_of_group(&subject, group, count, execution, error))
            return -1;
        count = full ? 0 : count;
    }
    return 0;
}

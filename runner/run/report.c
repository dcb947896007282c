// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/run/report.h"

#include "common/disk.h"
#include "common/memory.h"
#include "common/printable.h"
#include "common/units.h"
#include "runner/run/cross_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// For an estimate: one slice with its part of the checks is some 20 segments of 1.3 microseconds, a
// program's start and the statistics about 5 ms, perf stat's start about 15 ms. A neighbour adds to
// it. Measured runs print the real split.
static const double seconds_a_slice = 30e-6, seconds_a_start = 5e-3, seconds_a_perf = 15e-3;
// The kernel's verifier, some times an execution.
static const double seconds_a_load = 0.4;

// The CPUs that share the first core.
static void list_siblings(const struct measurement *run, char *text, size_t size) {
    text[0] = '\0';
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((unsigned)cpu, &run->siblings[0]))
            printable_add(text, size, "%d", cpu);
}

// What was found of the first core when the run began.
static void write_core(const struct measurement *run, FILE *stream) {
    const struct width_level *level = &run->found[0];
    char siblings[256];
    list_siblings(run, siblings, sizeof siblings);
    table_write_number(stream, "width_level", level->cycles);
    table_write_pair(stream, "width_level_how", level->how);
    table_write_number(stream, "quiet_share", level->share);
    table_write_pair(stream, "siblings_found", siblings);
}

static int write_environment(struct measurement *run, const char *revision, struct error *error) {
    char *text, time[32], seed[24];
    size_t length;
    const struct settings *settings = run->settings;
    const struct engine_probe *probe = &run->probes[0];
    FILE *stream = text_open(&text, &length);
    struct machine machine;
    machine_describe(run->cores[0].cpu, &machine);
    record_time(time);
    snprintf(seed, sizeof seed, "%lld", settings->seed);
    table_write_pair(stream, "key", "value");
    table_write_pair(stream, "run_id", settings->run_id);
    table_write_pair(stream, "begun_utc", time);
    table_write_pair(stream, "project_revision", revision);
    table_write_pair(stream, "sweep", settings->sweep);
    table_write_pair(stream, "sweep_sha256", settings->plan_sha256);
    table_write_pair(stream, "schedule_seed", seed); // all its digits: they make the order again
    table_write_number(stream, "blocks", (double)settings->blocks);
    table_write_number(stream, "most_blocks", (double)settings->most_blocks);
    table_write_number(stream, "slices", (double)settings->slices);
    table_write_number(stream, "precision", settings->precision);
    table_write_number(stream, "cpu", run->cores[0].cpu);
    table_write_pair(stream, "engine", settings->engine);
    table_write_pair(stream, "accel", probe->accel);
    table_write_pair(stream, "privilege", privilege_name(probe->privilege));
    table_write_pair(stream, "privilege_reason", probe->privilege_reason);
    table_write_pair(stream, "perf", probe->has_perf ? "perf stat works" : probe->reason);
    table_write_pair(stream, "pmu", probe->pmu_reason);
    if (run->kernel_engine)
        table_write_pair(stream, "programs_of_the_kernel",
                         run->kernel_probes[0].usable ? "can be loaded"
                                                      : run->kernel_probes[0].reason);
    write_core(run, stream);
    machine_write_environment(&machine, run->cores[0].cpu, stream);
    text_close(stream);
    int failed = store_write_file(run->store, "environment.csv", text, length, error);
    free(text);
    return failed;
}

// All that a run keeps of its build; one from before the last two has none of them.
static int copy_from_build(const struct measurement *run, struct error *error) {
    static const char *const names[] = {"variants.csv", "proof.csv", "differences.csv",
                                        "sweep.json"};
    int failed = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names && !failed; i++) {
        struct path path = path_make("%s/%s", run->plan->directory, names[i]);
        if (i < 2 || access(path.text, F_OK) == 0)
            failed = store_copy_file(run->store, path.text, names[i], error);
    }
    return failed;
}

int report_begin(struct measurement *run, const char *revision, struct error *error) {
    if (run->history.count)
        return 0; // resumed: they are there
    return write_environment(run, revision, error) || copy_from_build(run, error);
}

static int write_summary(const struct measurement *run, struct error *error) {
    char *text;
    size_t length;
    FILE *stream = text_open(&text, &length);
    rows_write_header(stream, FILE_summary);
    for (size_t core = 0; core < run->core_count; core++) {
        const struct record_run record = {.settings = run->settings,
                                          .machine = &run->machines[core],
                                          .plan = run->plan,
                                          .engine = run->engine,
                                          .probe = &run->probes[core]};
        for (size_t i = 0; i < run->plan->count; i++)
            record_summary(&record, &run->plan->rows[i], run->cores[core].cpu,
                           &run->tallies[core * run->plan->count + i], stream);
    }
    text_close(stream);
    int failed = store_write_file(run->store, "summary.csv", text, length, error);
    free(text);
    return failed;
}

static const char *plural(size_t count) {
    return count == 1 ? "" : "s";
}

// Variants without a value, grouped by what stands in their row.
struct missing {
    enum status status;
    char detail[640];
    size_t count;
    char names[400];
};

static void add_name(struct missing *group, const char *name) {
    size_t used = strlen(group->names);
    group->count++;
    if (used + strlen(name) + 8 < sizeof group->names)
        snprintf(group->names + used, sizeof group->names - used, "%s%s", used ? ", " : "", name);
    else if (used + 5 < sizeof group->names && !strstr(group->names, ", ..."))
        strcat(group->names, ", ...");
}

// What a moment did to them is one reason, whatever the numbers in it.
static bool same_reason(enum status status, const char *one, const char *other) {
    return status_wants_retry(status) || strcmp(one, other) == 0;
}

static void add_missing(struct missing *groups, size_t *count, size_t capacity, enum status status,
                        const char *detail, const char *name) {
    size_t at = 0;
    while (at < *count &&
           (groups[at].status != status || !same_reason(status, groups[at].detail, detail)))
        at++;
    if (at == capacity)
        at = capacity - 1; // one group too many: counted with the last
    if (at == *count) {
        groups[(*count)++] = (struct missing){.status = status};
        snprintf(groups[at].detail, sizeof groups[at].detail, "%s", detail);
    }
    add_name(&groups[at], name);
}

struct outcome {
    size_t with_value, predicted, failed;
    size_t of_the_moment;    // measured again at another time they may come out better
    struct missing unstable; // they have values
};

// Every (core, variant) counted; those without a value go to the groups.
static struct outcome judge(const struct measurement *run, struct missing *groups, size_t *count,
                            size_t capacity) {
    struct outcome outcome = {0};
    for (size_t i = 0; i < run->core_count * run->plan->count; i++) {
        const struct variant *variant = &run->plan->rows[i % run->plan->count];
        const struct tally *tally = tallies_cycles(&run->tallies[i]);
        struct pooled pooled = {.status = STATUS_unavailable};
        if (tally)
            tally_pool(tally, run->settings->precision, &pooled);
        outcome.of_the_moment += status_wants_retry(pooled.status);
        if (!isnan(pooled.cycles.value) && tally) {
            outcome.with_value++;
            if (pooled.status == STATUS_unstable)
                add_name(&outcome.unstable, variant->name);
            continue;
        }
        int predicted = pooled.status == STATUS_refused || pooled.status == STATUS_emulated;
        outcome.predicted += predicted;
        outcome.failed += !predicted;
        add_missing(groups, count, capacity, pooled.status, tally ? pooled.detail : "not reached",
                    variant->name);
    }
    return outcome;
}

static void print_split(const struct measurement *run, double seconds) {
    char whole[32], starting[32], running[32], syncing[32];
    fprintf(
        stderr,
        "%zu execution%s in %s: %s starting perf or QEMU, %s in the variants, %s syncing files\n",
        run->executions, plural(run->executions),
        units_format_seconds(seconds, whole, sizeof whole),
        units_format_seconds(run->seconds_starting, starting, sizeof starting),
        units_format_seconds(run->seconds_running, running, sizeof running),
        units_format_seconds(run->store->seconds_syncing, syncing, sizeof syncing));
}

// How much of the slices of all variants was quiet, as a part; NaN: not known.
static double quiet_part(const struct measurement *run) {
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < run->core_count * run->plan->count; i++) {
        const struct tally *tally = tallies_cycles(&run->tallies[i]);
        double quiet = tally ? tally_quiet(tally) : NAN;
        count += !isnan(quiet);
        sum += isnan(quiet) ? 0 : quiet;
    }
    return count ? sum / (double)count : NAN;
}

static void print_quiet(const struct measurement *run) {
    char siblings[256];
    double quiet = quiet_part(run);
    list_siblings(run, siblings, sizeof siblings);
    if (isnan(quiet))
        fprintf(stderr, "whether there was a neighbour is not known");
    else
        fprintf(stderr, "%.0f %% of the slices were quiet", 100 * quiet);
    fprintf(stderr, "%s%s\n", *siblings ? "; the core is shared with CPU " : "", siblings);
}

// Where much came out badly for the moment: what disturbed, as far as it is known, and what helps.
static void print_remedy(const struct measurement *run, const struct outcome *outcome) {
    enum { MUCH = 10 }; // one in so many
    size_t all = run->core_count * run->plan->count;
    if (!outcome->of_the_moment || MUCH * outcome->of_the_moment < all)
        return;
    fprintf(stderr, "disturbed: %zu of %zu variant%s; ", outcome->of_the_moment, all, plural(all));
    print_quiet(run);
    fprintf(stderr,
            "remedy: wait for a quieter time, take another CPU (--cpu N; ./asmsweep doctor names "
            "the quietest) or more executions (--blocks N; at least %lld now)\n",
            run->settings->blocks);
}

int report_end(struct measurement *run, double seconds, struct error *error) {
    enum { GROUPS = 24 };
    static struct missing groups[GROUPS];
    size_t count = 0;
    // A summary must not hold what is in no row of the other files.
    if (!run->tallies || run->not_stored)
        return 0;
    if (write_summary(run, error))
        return -1;
    struct outcome outcome = judge(run, groups, &count, GROUPS);
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "no value, %s: %zu variant%s (%s): %s\n", status_name(groups[i].status),
                groups[i].count, plural(groups[i].count), groups[i].names, groups[i].detail);
    if (outcome.unstable.count)
        fprintf(stderr,
                "unstable, with two modes or an interval wider than %.2g %%: %zu variant%s "
                "(%s)\n",
                100 * run->settings->precision, outcome.unstable.count,
                plural(outcome.unstable.count), outcome.unstable.names);
    print_remedy(run, &outcome);
    fprintf(stderr, "%zu value%s, %zu predicted to have none here, %zu failed\n",
            outcome.with_value, plural(outcome.with_value), outcome.predicted, outcome.failed);
    if (run->cross_check)
        cross_check_report(run, stderr);
    print_split(run, seconds);
    if (run->cut_short || run->out_of_budget)
        fprintf(stderr, "%s; resume it with: ./asmsweep run --resume -o %s\n",
                run->cut_short ? "interrupted" : "the budget is spent", run->store->directory);
    if (run->cut_short)
        return 1;
    if (!outcome.with_value)
        return 3;
    return outcome.failed ? 1 : 0;
}

int report_dry_run(const struct measurement *run) {
    size_t runnable = 0, loaded = 0;
    for (size_t i = 0; i < run->plan->count; i++) {
        const struct variant *variant = &run->plan->rows[i];
        bool kernel = variant->target == TARGET_bpf && run->kernel_engine;
        const struct engine_probe *probe = kernel ? &run->kernel_probes[0] : &run->probes[0];
        bool runs = !variant->unproved && probe->usable && probe->target == variant->target &&
                    (variant->needs == NEEDS_none || probe->privilege == PRIVILEGE_real);
        runnable += runs;
        loaded += runs && kernel;
    }
    double one = (double)run->settings->slices * seconds_a_slice + seconds_a_start;
    double all = (double)runnable * ((double)run->settings->blocks * one +
                                     (run->probes[0].has_perf ? seconds_a_perf : 0)) +
                 (double)loaded * (double)run->settings->blocks * seconds_a_load;
    char text[32];
    printf(
        "%s: %zu variant%s, %zu of them can run here, %lld block%s, seed %lld, CPU %d: about %s\n",
        run->settings->sweep, run->plan->count, plural(run->plan->count), runnable,
        run->settings->blocks, plural((size_t)run->settings->blocks), run->settings->seed,
        run->cores[0].cpu, units_format_seconds(all, text, sizeof text));
    return 0;
}

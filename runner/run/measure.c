// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/run/measure.h"

#include "common/memory.h"
#include "common/units.h"
#include "runner/host/disturbance.h"
#include "runner/host/process.h"
#include "runner/run/cross_check.h"
#include "runner/run/patience.h"
#include "runner/run/schedule.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// One block of one core while it runs: what the sink needs.
struct block {
    struct measurement *run;
    struct record_run record;
    struct disturbance *watch;
    struct engine_settings *settings;
    struct tallies *tallies; // of this core
    struct turn {
        bool wanted, done; // done: measured in it before a resume
        size_t slot;
    } * turns; // by variant
    size_t core, done, planned;
    size_t wanted;    // variants this block has, also those measured before a resume
    size_t disturbed; // of them those without a value because the core was shared
    long number;
    double started;
    struct error *error;
    int failed;
};

static size_t variant_index(const struct plan *plan, const char *name) {
    size_t index = 0;
    while (index < plan->count && strcmp(plan->rows[index].name, name))
        index++;
    return index;
}

// Give the tallies what an earlier part of this run measured in this block.
static void replay(struct block *block) {
    struct history *history = &block->run->history;
    const struct measurements_row *rows = history->rows.row;
    const struct plan *plan = block->run->plan;
    for (; history->next < history->count; history->next++) {
        const struct journal_line *line = &history->lines[history->next];
        if ((size_t)line->core != block->core || line->block != block->number)
            return;
        size_t index = variant_index(plan, line->variant);
        for (; history->next_row < history->rows.count; history->next_row++) {
            const struct measurements_row *row = &rows[history->next_row];
            if (strcmp(row->variant, line->variant) || row->block != line->block ||
                strcmp(row->core_type, block->record.machine->core_type))
                break;
            if (index < plan->count)
                tallies_add(&block->tallies[index], row);
        }
        if (index < plan->count)
            block->turns[index].done = true;
    }
}

static void show_progress(const struct block *block) {
    if (!block->run->progress)
        return;
    char left[32] = "";
    double spent = machine_read_tsc().seconds - block->started;
    size_t blocks_left = (size_t)(block->run->settings->blocks - block->number - 1);
    if (block->number >= block->run->settings->blocks)
        blocks_left = 0;
    double rate = block->done ? spent / (double)block->done : 0;
    units_format_seconds(
        rate * (double)(block->planned - block->done + blocks_left * block->run->plan->count), left,
        sizeof left);
    fprintf(stderr, "\r\033[Kblock %ld of %lld: %zu done, %zu left; about %s to go",
            block->number + 1, block->run->settings->blocks, block->done,
            block->planned - block->done, left);
    if (block->done == block->planned)
        fputs("\r\033[K", stderr);
    fflush(stderr);
}

const char *measure_why_lost(const struct engine_probe *probe) {
    return probe->has_pmu ? "no counter of this engine tells it" : probe->pmu_reason;
}

// Events that were asked for and do not count here: a row each that says so.
static void add_lost_events(const struct block *block, struct execution *execution) {
    const struct measurement *run = block->run;
    const struct engine_probe *probe = block->record.probe;
    struct engine_count *count;
    if (execution->status != STATUS_ok || block->record.engine == run->cross_check)
        return;
    for (size_t i = 0; i < run->event_count; i++)
        if (!(probe->counted_events >> i & 1) &&
            (count = execution_add_count(execution, QUANTITY_event, "pmu", run->events[i])))
            ends_with(count, STATUS_not_supported, "%s", measure_why_lost(probe));
}

static int was_executed(const struct execution *execution) {
    bool could_run = execution->status != STATUS_refused && execution->status != STATUS_unproved;
    // Emulated is what the engine knows beforehand, or what an execution showed.
    return could_run && (execution->status != STATUS_emulated || execution->seconds_run > 0);
}

static int append(struct block *block, const struct execution *execution, const char *disturbance) {
    char *rows, *slices;
    size_t rows_length, slices_length;
    FILE *measurements = text_open(&rows, &rows_length);
    FILE *samples = text_open(&slices, &slices_length);
    size_t slot = block->turns[execution->index].slot;
    record_execution(&block->record, execution, block->number, (long)slot, disturbance,
                     measurements, samples, &block->tallies[execution->index]);
    text_close(measurements);
    text_close(samples);
    struct journal_line line = {
        .core = (int)block->core, .block = block->number, .slot = (long)slot};
    snprintf(line.variant, sizeof line.variant, "%s",
             block->run->plan->rows[execution->index].name);
    int failed = store_append(block->run->store, &line, rows, rows_length, slices, slices_length,
                              was_executed(execution), block->error);
    free(rows);
    free(slices);
    return failed;
}

static int sink(const struct execution *execution, void *context) {
    struct block *block = context;
    struct measurement *run = block->run;
    char disturbance[200];
    disturbance_describe(block->watch, execution->switches, execution->migrations, disturbance,
                         sizeof disturbance);
    if (!was_executed(execution)) // then nothing was disturbed
        disturbance[0] = '\0';
    struct execution whole = *execution;
    add_lost_events(block, &whole);
    if (append(block, &whole, disturbance)) {
        block->failed = run->not_stored = 1;
        return 1;
    }
    block->done++;
    run->executions++;
    run->seconds_starting += execution->seconds_started;
    run->seconds_running += execution->seconds_run;
    block->settings->patience = patience_of(block->run);
    show_progress(block);
    // The first block is always finished: every variant has at least one value.
    if (block->number > 0 && run->deadline > 0 && machine_read_tsc().seconds > run->deadline)
        run->out_of_budget = 1;
    return run->out_of_budget;
}

// A variant that failed its proof is not executed; its row says so.
static int sink_unproved(struct block *block, size_t index) {
    struct execution execution = execution_of(&(struct engine_job){.index = index}, -1);
    execution.privilege = PRIVILEGE_not_needed;
    ends_with(&execution, STATUS_unproved, "not executed: %s",
              block->run->plan->rows[index].unproved_reason);
    return sink(&execution, block);
}

// The cross-check's blocks stand behind all others.
static int is_cross_check(const struct block *block) {
    return block->record.engine == block->run->cross_check;
}

// Is there something to measure in this block? The usual number of blocks has all variants, further
// ones those whose interval is too wide yet. The cross-check measures all once; then those only
// that it contradicts: between two calls of hyperfine the machine changes in ways that the runs
// within one do not show.
static bool is_wanted(const struct block *block, size_t index) {
    const struct settings *settings = block->run->settings;
    const struct tallies *tallies = &block->tallies[index];
    double cycles[2], seen;
    if (block->number < settings->blocks || block->number == settings->most_blocks ||
        block->record.contended)
        return true;
    if (is_cross_check(block))
        return cross_check_judge(tallies, settings->precision, cycles, &seen) ==
               CROSS_CHECK_disagrees;
    return tallies_too_wide(tallies, settings->precision);
}

// Before the block's own executions are in the tallies.
static void mark_wanted(struct block *block) {
    const struct measurement *run = block->run;
    block->wanted = block->disturbed = 0;
    for (size_t i = 0; i < run->plan->count; i++) {
        if (!(block->turns[i].wanted = is_wanted(block, i)))
            continue;
        block->wanted++;
        block->disturbed += tallies_lack_quiet(&block->tallies[i], run->settings->precision);
    }
}

// The variants left to measure, in the block's order, in jobs[]; how many.
static size_t list_jobs(struct block *block, struct engine_job *jobs) {
    const struct measurement *run = block->run;
    size_t count = 0, *order = memory_zero(run->plan->count, sizeof *order);
    schedule_block((uint64_t)run->settings->seed, (int)block->core, block->number, run->plan->count,
                   order);
    for (size_t slot = 0; slot < run->plan->count; slot++) {
        struct turn *turn = &block->turns[order[slot]];
        turn->slot = slot;
        if (turn->wanted && !turn->done)
            jobs[count++] = plan_job(run->plan, order[slot]);
    }
    free(order);
    return count;
}

// Most of what is left lacks quiet slices: a further block begins at a better moment.
static void wait_for_quiet(const struct block *block) {
    long further = block->number - (long)block->run->settings->blocks;
    if (further >= 0 && !is_cross_check(block) && !block->record.contended &&
        2 * block->disturbed > block->wanted)
        patience_wait(block->run, block->core, further);
}

// Measure jobs[0..count); those that failed their proof only get a row.
static int execute(struct block *block, struct engine_settings *settings, struct engine_job *jobs,
                   size_t count, struct error *error) {
    size_t proved = 0;
    block->settings = settings; // rows of the unproved come through the same sink
    for (size_t i = 0; i < count && !block->failed; i++)
        if (block->run->plan->rows[jobs[i].index].unproved)
            sink_unproved(block, jobs[i].index);
        else
            jobs[proved++] = jobs[i];
    if (!proved || block->failed || block->run->out_of_budget)
        return 0;
    settings->evidence = block->number == 0;
    block->settings->patience = patience_of(block->run);
    return engine_measure(block->record.engine, settings, block->record.probe, jobs, proved, sink,
                          block, error);
}

static int run_block(struct block *block, struct engine_settings *settings, struct error *error) {
    size_t variants = block->run->plan->count;
    struct engine_job *jobs = memory_zero(variants, sizeof *jobs);
    block->turns = memory_zero(variants, sizeof *block->turns);
    mark_wanted(block);
    replay(block);
    block->planned = list_jobs(block, jobs);
    block->done = 0;
    if (block->planned)
        wait_for_quiet(block);
    block->started = machine_read_tsc().seconds;
    int failed = execute(block, settings, jobs, block->planned, error);
    // A signal behind the last execution of all cuts nothing: the next block finds nothing to do.
    block->run->cut_short = process_interrupted() && block->done < block->planned;
    free(jobs);
    free(block->turns);
    return failed || block->failed ? -1 : 0;
}

// A virtual machine may have moved to another host since the last block.
static int recheck(const struct block *block, struct error *error) {
    struct machine now;
    machine_describe(block->run->cores[block->core].cpu, &now);
    const char *changed = machine_difference(block->record.machine, &now);
    if (!changed)
        return 0;
    return error_set(error, ERROR_INCOMPLETE, block->run->store->directory, 0,
                     "%s changed during the run (a migration?): the run ends here, its rows so "
                     "far are kept; start anew",
                     changed);
}

struct engine_settings measure_settings(const struct measurement *run, size_t core) {
    return (struct engine_settings){.cpu = run->cores[core].cpu,
                                    .slices = (size_t)run->settings->slices,
                                    .timeout = run->settings->timeout,
                                    .events = run->events,
                                    .event_count = run->event_count,
                                    .guest_kernel = run->guest_kernel,
                                    .calibrator = run->calibrator ? run->calibrator->path : NULL,
                                    .calibrator_cycles = run->calibrator_cycles,
                                    .calibrator_iterations =
                                        run->calibrator ? run->calibrator->iterations : 0,
                                    .accel = *run->settings->accel ? run->settings->accel : NULL,
                                    .ring = (int)run->settings->ring};
}

// Further blocks take at most so many times what the usual ones took; what only few variants want,
// at least some seconds.
#define FURTHER_TIMES 2
#define FURTHER_SECONDS 15.0

// Is there time for a further block? *usual: seconds that the usual ones took, 0 before their end.
static bool is_in_time(const struct block *block, double started, double *usual) {
    if (block->number < block->run->settings->blocks ||
        block->number >= block->run->settings->most_blocks)
        return true;
    double seconds = machine_read_tsc().seconds - started;
    if (!*usual)
        *usual = seconds;
    return seconds - *usual <= fmax(FURTHER_SECONDS, FURTHER_TIMES * *usual);
}

// Blocks from block->number up to `end`, or until nothing is wanted any more.
static int run_blocks(struct block *block, struct engine_settings *settings, long end,
                      struct error *error) {
    struct measurement *run = block->run;
    double started = machine_read_tsc().seconds, usual = 0;
    for (; block->number < end && is_in_time(block, started, &usual); block->number++) {
        if (recheck(block, error))
            return -1;
        disturbance_block(block->watch);
        block->record.level = patience_level(run, block->core);
        if (run_block(block, settings, error))
            return -1;
        if (run->cut_short || run->out_of_budget || !block->wanted)
            break;
    }
    return 0;
}

static bool is_over(const struct measurement *run) {
    return run->cut_short || run->out_of_budget;
}

// Through the cross-check, in the same files.
static int run_cross_check(struct block *block, struct engine_settings *settings,
                           struct error *error) {
    struct measurement *run = block->run;
    struct engine_probe probe;
    struct record_run record = block->record;
    run->cross_check->probe(settings, &probe);
    block->record.engine = run->cross_check;
    block->record.probe = &probe;
    block->number = (long)run->settings->most_blocks;
    int failed = run_blocks(block, settings, block->number + CROSS_CHECK_BLOCKS, error);
    block->record = record;
    return failed;
}

// The usual number of blocks again, beside a busy neighbour.
static int run_contended(struct block *block, struct engine_settings *settings,
                         struct error *error) {
    struct measurement *run = block->run;
    struct neighbour *neighbour =
        neighbour_start(neighbour_first(&run->siblings[block->core]), error);
    if (!neighbour)
        return -1;
    neighbour_work(neighbour, true);
    block->record.contended = true;
    block->number = (long)run->settings->most_blocks + CROSS_CHECK_BLOCKS;
    int failed = run_blocks(block, settings, block->number + (long)run->settings->blocks, error);
    neighbour_stop(neighbour);
    return failed;
}

static int measure_core(struct measurement *run, size_t core, struct error *error) {
    struct disturbance watch;
    struct engine_settings settings = measure_settings(run, core);
    struct block block = {.run = run, .watch = &watch, .core = core, .error = error};
    long most = (long)run->settings->most_blocks;
    block.tallies = run->tallies + core * run->plan->count;
    block.record = (struct record_run){.settings = run->settings,
                                       .machine = &run->machines[core],
                                       .plan = run->plan,
                                       .engine = run->engine,
                                       .probe = &run->probes[core],
                                       .like = &run->history.rows};
    disturbance_start(settings.cpu, &watch);
    if (run_blocks(&block, &settings, most, error))
        return -1;
    if (run->cross_check && !is_over(run) && run_cross_check(&block, &settings, error))
        return -1;
    return run->settings->contended && !is_over(run) ? run_contended(&block, &settings, error) : 0;
}

int measure(struct measurement *run, struct error *error) {
    run->started = machine_read_tsc().seconds;
    run->tallies = memory_zero(run->core_count * run->plan->count, sizeof *run->tallies);
    for (size_t core = 0; core < run->core_count; core++) {
        machine_describe(run->cores[core].cpu, &run->machines[core]);
        if (measure_core(run, core, error))
            return -1;
        if (run->cut_short || run->out_of_budget)
            break;
    }
    return 0;
}

void measure_free(struct measurement *run) {
    for (size_t i = 0; run->tallies && i < run->core_count * run->plan->count; i++)
        tallies_free(&run->tallies[i]);
    free(run->tallies);
    free(run->history.lines);
    rows_free(&run->history.rows);
}

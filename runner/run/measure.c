// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/run/measure.h"

#include "common/memory.h"
#include "runner/host/process.h"
#include "runner/run/block.h"
#include "runner/run/cross_check.h"
#include "runner/run/patience.h"
#include "runner/run/schedule.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// What executes variants of a kind, for this block's rows: the engine that was asked for, or the
// one that takes programs of the kernel.
static void use_engine(struct block *block, enum target target) {
    const struct measurement *run = block->run;
    if (block_is_cross_check(block))
        return;
    bool kernel = target == TARGET_bpf && run->kernel_engine;
    block->record.engine = kernel ? run->kernel_engine : run->engine;
    block->record.probe = kernel ? &run->kernel_probes[block->core] : &run->probes[block->core];
}

// Is there something to measure in this block? The usual number of blocks has all variants, further
// ones those whose interval is too wide yet. The cross-check measures all once; then those only
// that it contradicts: between two calls of hyperfine the machine changes in ways that the runs
// within one do not show.
static bool is_wanted(const struct block *block, size_t index) {
    const struct settings *settings = block->run->settings;
    const struct tallies *tallies = &block->tallies[index];
    double cycles[2], seen;
    if (block_is_cross_check(block) && block->run->plan->rows[index].target != TARGET_x86)
        return false;
    if (block->number < settings->blocks || block->number == settings->most_blocks ||
        block->record.contended)
        return true;
    if (block_is_cross_check(block))
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
    if (further >= 0 && !block_is_cross_check(block) && !block->record.contended &&
        2 * block->disturbed > block->wanted)
        patience_wait(block->run, block->core, further);
}

// One that would be refused anyway is refused, proved or not.
static bool is_unproved(struct block *block, const struct engine_job *job) {
    use_engine(block, job->target);
    return block->run->plan->rows[job->index].unproved && block->record.probe->usable;
}

// jobs[0..count), all proved, by their engines, in order.
static int execute_proved(struct block *block, const struct engine_job *jobs, size_t count,
                          struct error *error) {
    size_t from = 0, to;
    int failed = 0;
    for (; from < count && !failed && !block->failed && !block->run->out_of_budget &&
           !process_interrupted();
         from = to) {
        for (to = from; to < count && jobs[to].target == jobs[from].target;)
            to++;
        use_engine(block, jobs[from].target);
        failed = engine_measure(block->record.engine, block->settings, block->record.probe,
                                jobs + from, to - from, block_sink, block, error);
    }
    return failed;
}

// Measure jobs[0..count); those that failed their proof only get a row.
static int execute(struct block *block, struct engine_settings *settings, struct engine_job *jobs,
                   size_t count, struct error *error) {
    size_t proved = 0;
    block->settings = settings; // rows of the unproved come through the same sink
    for (size_t i = 0; i < count && !block->failed; i++)
        if (is_unproved(block, &jobs[i]))
            block_sink_unproved(block, jobs[i].index);
        else
            jobs[proved++] = jobs[i];
    if (!proved || block->failed || block->run->out_of_budget)
        return 0;
    settings->evidence = block->number == 0 && !block->run->no_perf;
    settings->level = block->record.level;
    settings->patience = patience_of(block->run);
    return execute_proved(block, jobs, proved, error);
}

static int run_block(struct block *block, struct engine_settings *settings, struct error *error) {
    size_t variants = block->run->plan->count;
    struct engine_job *jobs = memory_zero(variants, sizeof *jobs);
    block->turns = memory_zero(variants, sizeof *block->turns);
    mark_wanted(block);
    block_replay(block);
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
                                    .level = run->found[core].cycles,
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
    code_free(&run->code);
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/run/block.h"

#include "common/memory.h"
#include "common/units.h"
#include "runner/run/patience.h"

#include <stdlib.h>
#include <string.h>

static size_t variant_index(const struct plan *plan, const char *name) {
    size_t index = 0;
    while (index < plan->count && strcmp(plan->rows[index].name, name))
        index++;
    return index;
}

void block_replay(struct block *block) {
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

int block_sink(const struct execution *execution, void *context) {
    struct block *block = context;
    struct measurement *run = block->run;
    char disturbance[200];
    disturbance_describe(block->watch, execution->switches, execution->migrations, disturbance,
                         sizeof disturbance);
    if (!was_executed(execution)) // then nothing was disturbed
        disturbance[0] = '\0';
    struct execution whole = *execution;
    add_lost_events(block, &whole);
    if (code_keep(run->store, run->plan->rows[execution->index].name, &whole, &run->code,
                  block->error) ||
        append(block, &whole, disturbance)) {
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

bool block_is_cross_check(const struct block *block) {
    return block->record.engine == block->run->cross_check;
}

int block_sink_unproved(struct block *block, size_t index) {
    struct execution execution = execution_of(&(struct engine_job){.index = index}, -1);
    execution.privilege = PRIVILEGE_not_needed;
    ends_with(&execution, STATUS_unproved, "not executed: %s",
              block->run->plan->rows[index].unproved_reason);
    return block_sink(&execution, block);
}

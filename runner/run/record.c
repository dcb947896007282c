// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/run/record.h"

#include "common/printable.h"
#include "runner/engine/emulated.h"
#include "runner/estimate/beside.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

enum { PLACE_SIZE = 19 }; // of an address as text

static struct machine_keys keys_of(const struct machine *machine) {
#define KEY(file, name, type, unit) .name = machine->name,
    return (struct machine_keys){KEYS_machine_keys(machine, KEY)};
#undef KEY
}

void record_time(char text[32]) {
    time_t now = time(NULL);
    struct tm parts;
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
}

// What the stopwatch itself noticed that the row should name.
static void describe_stopwatch(const struct stopwatch_value *value, char *text, size_t size) {
    printable_add(text, size, "%s", value->detail);
    if (fabs(value->clock_drift) > 0.01)
        printable_add(text, size, "clock drifted %+.1f %%",
                      100 * (1 / (1 + value->clock_drift) - 1));
    if (value->disturbed > 0.05)
        printable_add(text, size, "%.0f %% of the slices disturbed", 100 * value->disturbed);
    if (value->status >= STATUS_unstable && value->quiet < 0.5)
        printable_add(text, size, "%.0f %% of the slices quiet", 100 * value->quiet);
}

static void take_check(const struct check *check, struct samples_row *row) {
    bool is = check->times > 0;
    row->times = is ? (long long)check->times : -1;
    row->times_before = is ? (long long)check->ticks[CHECK_before] : -1;
    row->times_loop = is ? (long long)check->ticks[CHECK_loop] : -1;
    row->times_after = is ? (long long)check->ticks[CHECK_after] : -1;
    row->times_interrupted = is ? (long long)check->interrupted : -1;
}

// Time alone proves no exit from a virtual machine (RDSEED takes thousands of cycles on bare metal,
// too), so it warns: this much an instruction, in the mean over the loop's.
static const double slow_instruction = 200;

static void describe_slowness(const struct record_run *run, const struct variant *variant,
                              double cycles, char *text, size_t size) {
    double instructions = mix_total(variant->mix);
    if (instructions > 0 && cycles / instructions > slow_instruction &&
        strcmp(run->machine->hypervisor, "none") != 0)
        printable_add(text, size, "slow: in a virtual machine it may be the hypervisor that works");
}

static void write_slices(const struct record_run *run, const struct execution *execution,
                         long block, FILE *stream) {
    const struct slices *slices = &execution->slices;
    struct samples_row row;
    rows_empty(FILE_samples, &row);
    row.run_id = run->settings->run_id;
    row.block = block;
    row.variant = run->plan->rows[execution->index].name;
    row.engine = run->engine->name;
    row.n_add = slices->n[SEGMENT_add];
    row.n_rol = slices->n[SEGMENT_rol];
    row.n_imul = slices->n[SEGMENT_imul];
    row.n_loop = slices->n[SEGMENT_loop];
    row.n_width = slices->n[SEGMENT_width_before];
    row.n_watch = slices->n[SEGMENT_watch_before];
    for (size_t i = 0; i < slices->count; i++) {
        const struct slice *slice = &slices->slices[i];
        row.slice = (long long)i;
#define TICKS(name)                                                                                \
    row.name##_n = (long long)slice->ticks[SEGMENT_##name][0];                                     \
    row.name##_2n = (long long)slice->ticks[SEGMENT_##name][1]
        TICKS(add);
        TICKS(rol);
        TICKS(imul);
        TICKS(loop);
        TICKS(width_before);
        TICKS(width_after);
        TICKS(watch_before);
        TICKS(watch_after);
#undef TICKS
        row.interrupted = slices->sees_interrupts ? (long long)slice->interrupted : -1;
        take_check(&slice->check, &row);
        rows_write(stream, FILE_samples, &row, NULL);
    }
}

// One value of an execution: a row of measurements.csv, and into the tallies.
static void put(const struct record_run *run, const struct measurements_row *row, FILE *stream,
                struct tallies *tallies) {
    rows_write(stream, FILE_measurements, row, run->like);
    tallies_add(tallies, row);
}

// What all rows of an execution share. `time` has room for record_time, `place` for an address.
static struct measurements_row begin(const struct record_run *run,
                                     const struct execution *execution, char *time,
                                     char place[PLACE_SIZE]) {
    const struct variant *variant = &run->plan->rows[execution->index];
    struct measurements_row row;
    record_time(time);
    rows_empty(FILE_measurements, &row);
    row.run_id = run->settings->run_id;
    row.time_utc = time;
    row.machine_keys = keys_of(run->machine);
    row.variant_keys = variant->variant_keys;
    if (execution->loop_address) {
        snprintf(place, PLACE_SIZE, "0x%" PRIx64, execution->loop_address);
        row.loop_address = place;
        row.loop_bytes = execution->loop_bytes;
    }
    row.engine_keys = (struct engine_keys){run->engine->name, run->probe->accel, run->probe->ring,
                                           execution->privilege};
    row.cpu = execution->cpu;
    row.per = "iteration";
    row.hint = execution->status == STATUS_timed_out ? variant->hint : "";
    row.restores = execution->code ? execution->code->restores : "";
    return row;
}

// The cycles of the slices into the row; what the stopwatch noticed goes behind the detail.
static void take_slices(const struct record_run *run, const struct execution *execution,
                        struct measurements_row *row, char *detail, size_t size) {
    struct stopwatch_value value;
    uint64_t seed =
        (uint64_t)run->settings->seed + (uint64_t)row->block * 1000003 + execution->index;
    stopwatch_evaluate(&execution->slices, run->plan->rows[execution->index].excluded_chain,
                       execution->own_level ? execution->level : run->level, seed, &value);
    row->value = value.cycles.value;
    row->ci_low = value.cycles.low;
    row->ci_high = value.cycles.high;
    row->spread = value.spread;
    row->samples = (long long)value.samples;
    row->quiet = value.quiet;
    row->width = value.width;
    row->excess = value.excess;
    row->early = value.early;
    row->later = value.later;
    row->remarks = value.remarks;
    row->status = status_worse(execution->status, value.status);
    describe_stopwatch(&value, detail, size);
    describe_slowness(run, &run->plan->rows[execution->index], row->value, detail, size);
}

// The same of slices that none of which is quiet, on purpose.
static void take_contended(const struct record_run *run, const struct execution *execution,
                           struct measurements_row *row) {
    uint64_t seed =
        (uint64_t)run->settings->seed + (uint64_t)row->block * 1000003 + execution->index;
    struct interval cycles =
        beside_evaluate(&execution->slices, run->plan->rows[execution->index].excluded_chain, seed);
    row->value = cycles.value;
    row->ci_low = cycles.low;
    row->ci_high = cycles.high;
    row->samples = (long long)execution->slices.count;
}

void record_execution(const struct record_run *run, const struct execution *execution, long block,
                      long slot, const char *disturbance, FILE *measurements, FILE *samples,
                      struct tallies *tallies) {
    char time[32], place[PLACE_SIZE], detail[400] = "";
    struct measurements_row row = begin(run, execution, time, place);
    row.block = block;
    row.slot = slot;
    // An engine without slices gives its cycles as a count.
    if (execution->slices.count || !execution->count) {
        row.quantity = run->contended ? QUANTITY_contended_cycles : QUANTITY_cycles;
        row.source = run->engine->source;
        row.status = execution->status;
        printable_add(detail, sizeof detail, "%s", execution->detail);
        printable_add(detail, sizeof detail, "%s", row.hint);
        if (execution->slices.count && run->contended) {
            take_contended(run, execution, &row);
        } else if (execution->slices.count) {
            take_slices(run, execution, &row, detail, sizeof detail);
            write_slices(run, execution, block, samples);
        }
        printable_add(detail, sizeof detail, "%s", disturbance);
        row.detail = detail;
        put(run, &row, measurements, tallies);
    }
    for (size_t i = 0; i < execution->count && !run->contended; i++) {
        const struct engine_count *count = &execution->counts[i];
        row.value_keys =
            (struct value_keys){.quantity = count->quantity,
                                .source = count->source,
                                .per = "iteration",
                                .value = count->value,
                                .ci_low = count->low,
                                .ci_high = count->high,
                                .spread = NAN,
                                .samples = isnan(count->samples) ? -1 : (long long)count->samples,
                                .status = count->status,
                                .detail = count->detail};
        row.event = count->quantity == QUANTITY_event ? count->event : "";
        row.quiet = row.width = row.excess = row.early = row.later = NAN;
        row.remarks = 0;
        put(run, &row, measurements, tallies);
    }
}

// A tally pooled into the row.
static void take_pooled(const struct tally *tally, const struct pooled *pooled,
                        struct summary_row *row) {
    bool have = !isnan(pooled->cycles.value);
    row->engine_keys = tally->engine_keys;
    row->value_keys = (struct value_keys){
        .quantity = tally->quantity,
        .source = tally->source,
        .per = "iteration",
        .value = pooled->cycles.value,
        .ci_low = pooled->cycles.low,
        .ci_high = pooled->cycles.high,
        .spread = have && tally->spreads ? tally->spread_sum / (double)tally->spreads : NAN,
        .samples = have ? tally->samples : -1,
        .status = pooled->status,
        .detail = pooled->detail};
    row->event = tally->event;
    row->restores = tally->restores;
    row->executions = (long long)tally->count;
    row->quiet = tally_quiet(tally);
    row->remarks = have ? tally_remarks(tally) : 0;
    row->between_sd = have ? pooled->between_sd : NAN;
    row->within_sd = have ? pooled->within_sd : NAN;
}

void record_summary(const struct record_run *run, const struct variant *variant, int cpu,
                    const struct tallies *tallies, FILE *summary) {
    char time[32];
    struct summary_row row;
    record_time(time);
    rows_empty(FILE_summary, &row);
    row.run_id = run->settings->run_id;
    row.time_utc = time;
    row.machine_keys = keys_of(run->machine);
    row.variant_keys = variant->variant_keys;
    row.plan_keys = variant->plan_keys;
    row.mix_source = variant->mix_source;
    row.cpu = cpu;
    for (size_t i = 0; i < tallies->count; i++) {
        struct pooled pooled;
        tally_pool(&tallies->items[i], run->settings->precision, &pooled);
        take_pooled(&tallies->items[i], &pooled, &row);
        row.hint = row.status == STATUS_timed_out ? variant->hint : "";
        rows_write(summary, FILE_summary, &row, NULL);
    }
}

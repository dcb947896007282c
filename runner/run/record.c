// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/run/record.h"

#include "common/table.h"
#include "common/units.h"
#include "runner/estimate/slices.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum { NUMBER = 32, MAX_COLUMNS = 64 };

// One row being filled: cells by the column's own number, texts owned by the caller.
struct row {
    const char *cells[MAX_COLUMNS];
};

#define SET(row, file, name, text)                                                                 \
    ((row)->cells[rows_column_index(COLUMN_##file##_##name)] = (text))

// The keys that measurements.csv and summary.csv share.
#define SET_KEYS(row, file, run, variant, time)                                                    \
    do {                                                                                           \
        const struct machine *machine_ = (run)->machine;                                           \
        SET(row, file, run_id, (run)->settings->run_id);                                           \
        SET(row, file, time_utc, time);                                                            \
        SET(row, file, host, machine_->host);                                                      \
        SET(row, file, cpu_vendor, machine_->cpu_vendor);                                          \
        SET(row, file, cpu_family, machine_->cpu_family);                                          \
        SET(row, file, cpu_model, machine_->cpu_model);                                            \
        SET(row, file, cpu_stepping, machine_->cpu_stepping);                                      \
        SET(row, file, cpu_name, machine_->cpu_name);                                              \
        SET(row, file, microcode, machine_->microcode);                                            \
        SET(row, file, core_type, machine_->core_type);                                            \
        SET(row, file, hypervisor, machine_->hypervisor);                                          \
        SET(row, file, kernel, machine_->kernel);                                                  \
        SET(row, file, sweep, (run)->plan->sweep);                                                 \
        SET(row, file, family, (variant)->family);                                                 \
        SET(row, file, variant, (variant)->name);                                                  \
        SET(row, file, parameters, (variant)->parameters);                                         \
        SET(row, file, mix, (variant)->mix);                                                       \
        SET(row, file, loop_sha256, (variant)->loop_sha256);                                       \
        SET(row, file, loop_address, (variant)->loop_address);                                     \
        SET(row, file, loop_bytes, (variant)->loop_bytes);                                         \
        SET(row, file, jcc_erratum, (variant)->jcc_erratum);                                       \
        SET(row, file, per, "iteration");                                                          \
    } while (0)

static void write_row(FILE *stream, enum csv_file file, const struct row *row) {
    size_t count;
    rows_columns(file, &count);
    table_write_row(stream, row->cells, count);
}

void record_time(char text[32]) {
    time_t now = time(NULL);
    struct tm parts;
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
}

// A value as the cell shows it, and back: tallies hold what the file holds.
static double shown(double value, char text[NUMBER]) {
    units_format_value(value, text, NUMBER);
    double back;
    return units_scan_number(text, &back) ? NAN : back;
}

// What the stopwatch itself noticed that the row should name.
static void describe_stopwatch(const struct stopwatch_value *value, char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "%s", value->detail);
    if (fabs(value->clock_drift) > 0.01 && used < size)
        used += (size_t)snprintf(text + used, size - used, "%sclock drifted %+.1f %%",
                                 used ? "; " : "", -100 * value->clock_drift);
    if (value->disturbed > 0.05 && used < size)
        snprintf(text + used, size - used, "%s%.0f %% of the slices disturbed", used ? "; " : "",
                 100 * value->disturbed);
}

static void join_details(char *to, size_t size, const char *const *parts, size_t count) {
    size_t used = 0;
    to[0] = '\0';
    for (size_t i = 0; i < count; i++)
        if (*parts[i] && used < size)
            used += (size_t)snprintf(to + used, size - used, "%s%s", used ? "; " : "", parts[i]);
}

// One row of measurements.csv, also into the tallies.
struct value_row {
    const char *quantity, *source, *event;
    double value, low, high, spread, samples;
    enum status status;
    const char *detail;
};

static void write_value(const struct record_run *run, const struct execution *execution, long block,
                        long slot, const struct value_row *value, FILE *stream,
                        struct tallies *tallies) {
    const struct variant *variant = &run->plan->rows[execution->index];
    char time[32], value_text[NUMBER], low[NUMBER], high[NUMBER], spread[NUMBER], samples[NUMBER];
    char block_text[24], slot_text[24], cpu[24] = "", ring[4];
    struct tally_row counted = {.engine = run->engine->name,
                                .quantity = value->quantity,
                                .source = value->source,
                                .event = value->event,
                                .accel = run->probe->accel,
                                .ring = ring,
                                .privilege = privilege_name(execution->privilege),
                                .status = status_name(value->status),
                                .detail = value->detail,
                                .value = shown(value->value, value_text),
                                .low = shown(value->low, low),
                                .high = shown(value->high, high),
                                .spread = shown(value->spread, spread),
                                .samples = shown(value->samples, samples)};
    record_time(time);
    snprintf(block_text, sizeof block_text, "%ld", block);
    snprintf(slot_text, sizeof slot_text, "%ld", slot);
    snprintf(ring, sizeof ring, "%d", run->probe->ring);
    if (execution->cpu >= 0)
        snprintf(cpu, sizeof cpu, "%d", execution->cpu);
    struct row row = {0};
    SET_KEYS(&row, measurements, run, variant, time);
    SET(&row, measurements, engine, counted.engine);
    SET(&row, measurements, accel, counted.accel);
    SET(&row, measurements, ring, ring);
    SET(&row, measurements, privilege, counted.privilege);
    SET(&row, measurements, block, block_text);
    SET(&row, measurements, slot, slot_text);
    SET(&row, measurements, cpu, cpu);
    SET(&row, measurements, quantity, counted.quantity);
    SET(&row, measurements, source, counted.source);
    SET(&row, measurements, value, value_text);
    SET(&row, measurements, ci_low, low);
    SET(&row, measurements, ci_high, high);
    SET(&row, measurements, spread, spread);
    SET(&row, measurements, samples, samples);
    SET(&row, measurements, status, counted.status);
    SET(&row, measurements, detail, value->detail);
    write_row(stream, FILE_measurements, &row);
    tallies_add(tallies, &counted);
}

static void write_slices(const struct record_run *run, const struct execution *execution,
                         long block, FILE *stream) {
    const struct slices *slices = &execution->slices;
    for (size_t i = 0; i < slices->count; i++) {
        fprintf(stream, "%s,%ld,%s,%s,%zu", run->settings->run_id, block,
                run->plan->rows[execution->index].name, run->engine->name, i);
        for (int leg = 0; leg < LEG_COUNT; leg++)
            fprintf(stream, ",%u", slices->n[leg]);
        for (int leg = 0; leg < LEG_COUNT; leg++)
            fprintf(stream, ",%llu,%llu", (unsigned long long)slices->slices[i].ticks[leg][0],
                    (unsigned long long)slices->slices[i].ticks[leg][1]);
        fputs("\r\n", stream);
    }
}

void record_execution(const struct record_run *run, const struct execution *execution, long block,
                      long slot, const char *disturbance, FILE *measurements, FILE *samples,
                      struct tallies *tallies) {
    const struct variant *variant = &run->plan->rows[execution->index];
    char noticed[300] = "", detail[400];
    const char *hint = execution->status == STATUS_timed_out ? variant->hint : "";
    struct value_row row = {.quantity = "cycles",
                            .source = run->engine->source,
                            .event = "",
                            .value = NAN,
                            .low = NAN,
                            .high = NAN,
                            .spread = NAN,
                            .samples = NAN,
                            .status = execution->status,
                            .detail = detail};
    if (execution->slices.count) {
        struct stopwatch_value value;
        uint64_t seed =
            (uint64_t)run->settings->seed + (uint64_t)block * 1000003 + execution->index;
        stopwatch_evaluate(&execution->slices, variant->panel_excluded, seed, &value);
        row.value = value.cycles.value;
        row.low = value.cycles.low;
        row.high = value.cycles.high;
        row.spread = value.spread;
        row.samples = (double)value.samples;
        row.status = status_worse(execution->status, value.status);
        describe_stopwatch(&value, noticed, sizeof noticed);
        write_slices(run, execution, block, samples);
    }
    join_details(detail, sizeof detail,
                 (const char *const[]){execution->detail, hint, noticed, disturbance}, 4);
    // An engine without slices gives its cycles as a count.
    if (execution->slices.count || !execution->count)
        write_value(run, execution, block, slot, &row, measurements, tallies);
    for (size_t i = 0; i < execution->count; i++) {
        const struct engine_count *count = &execution->counts[i];
        struct value_row other = {.quantity = quantity_name(count->quantity),
                                  .source = count->source,
                                  .event = count->quantity == QUANTITY_event ? count->event : "",
                                  .value = count->value,
                                  .low = count->low,
                                  .high = count->high,
                                  .spread = NAN,
                                  .samples = count->samples,
                                  .status = count->status,
                                  .detail = count->detail};
        write_value(run, execution, block, slot, &other, measurements, tallies);
    }
}

void record_summary(const struct record_run *run, const struct variant *variant, int cpu_number,
                    const struct tallies *tallies, FILE *summary) {
    char time[32], cpu[24] = "";
    record_time(time);
    if (cpu_number >= 0)
        snprintf(cpu, sizeof cpu, "%d", cpu_number);
    for (size_t i = 0; i < tallies->count; i++) {
        const struct tally *tally = &tallies->items[i];
        struct pooled pooled;
        tally_pool(tally, run->settings->precision, &pooled);
        char value[NUMBER], low[NUMBER], high[NUMBER], spread[NUMBER], samples[NUMBER];
        char between[NUMBER], within[NUMBER], executions[24];
        int have = !isnan(pooled.cycles.value);
        shown(pooled.cycles.value, value);
        shown(pooled.cycles.low, low);
        shown(pooled.cycles.high, high);
        shown(have && tally->spreads ? tally->spread_sum / (double)tally->spreads : NAN, spread);
        shown(have ? tally->samples : NAN, samples);
        shown(have ? pooled.between_sd : NAN, between);
        shown(have ? pooled.within_sd : NAN, within);
        snprintf(executions, sizeof executions, "%zu", tally->count);
        struct row row = {0};
        SET_KEYS(&row, summary, run, variant, time);
        SET(&row, summary, engine, tally->engine);
        SET(&row, summary, accel, tally->accel);
        SET(&row, summary, ring, tally->ring);
        SET(&row, summary, privilege, tally->privilege);
        SET(&row, summary, cpu, cpu);
        SET(&row, summary, quantity, tally->quantity);
        SET(&row, summary, source, tally->source);
        SET(&row, summary, value, value);
        SET(&row, summary, ci_low, low);
        SET(&row, summary, ci_high, high);
        SET(&row, summary, spread, spread);
        SET(&row, summary, samples, samples);
        SET(&row, summary, status, status_name(pooled.status));
        SET(&row, summary, detail, pooled.detail);
        SET(&row, summary, executions, executions);
        SET(&row, summary, between_sd, between);
        SET(&row, summary, within_sd, within);
        SET(&row, summary, group, variant->group);
        SET(&row, summary, groups, variant->groups);
        SET(&row, summary, order, variant->order);
        SET(&row, summary, context, variant->context);
        SET(&row, summary, twin_of, variant->twin_of);
        SET(&row, summary, mix_source, variant->mix_source);
        SET(&row, summary, event, tally->event);
        write_row(summary, FILE_summary, &row);
    }
}

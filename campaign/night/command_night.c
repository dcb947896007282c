// SPDX-License-Identifier: GPL-3.0-or-later
// The two looks at a night: who is to be measured again, and what the night came to.
#include "campaign/night/commands.h"

#include "campaign/night/night.h"
#include "common/options.h"
#include "common/replace.h"
#include "common/rows.h"
#include "common/table.h"
#include "common/units.h"
#include "results/solve.h"

#include <math.h>
#include <string.h>

// As long as asmsweep-run --only may be; more candidates than fit are the whole sweep.
#define ONLY_LONGEST 4000

static size_t count_candidates(const struct comparison *first) {
    size_t count = 0;
    for (size_t i = 0; i < first->count; i++)
        count += night_is_candidate(&first->change[i]);
    return count;
}

// "NAME<TAB>VARIANT,VARIANT" for a sweep with candidates.
static void write_sweep(const struct night_sweep *sweep, const struct comparison *first,
                        FILE *stream) {
    char list[ONLY_LONGEST] = "";
    size_t used = 0;
    for (size_t i = 0; i < first->count; i++) {
        if (!night_is_candidate(&first->change[i]))
            continue;
        const char *name = first->change[i].now->variant;
        if (used + strlen(name) + 2 > sizeof list) {
            snprintf(list, sizeof list, "*");
            break;
        }
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? "," : "", name);
    }
    fprintf(stream, "%s\t%s\n", sweep->name, list);
}

// The night that a command line names. 0, or -1 with *error.
static int read_night(int argc, char **argv, const char *usage, const char *about,
                      const char **folder, struct night *night, struct error *error) {
    double minimum = COMPARE_MINIMUM;
    const struct option_row rows[] = {
        {"minimum", 0, OPTION_PART, &minimum, "PART", 0, 0,
         "the smallest change to report, e.g. 2% (default 1%, or the noise floor)"},
    };
    const struct option_list list = {"asmsweep-night", usage, about, rows,
                                     sizeof rows / sizeof *rows};
    *night = (struct night){0};
    return options_parse(&list, argc, argv, folder, 1, 1, error) ||
                   night_read(*folder, minimum, night, error)
               ? -1
               : 0;
}

int command_candidates(int argc, char **argv, struct error *error) {
    struct night night;
    const char *folder;
    int status = read_night(argc, argv, "candidates NIGHT [--minimum PART]",
                            "What a night has to measure again.", &folder, &night, error);
    for (size_t i = 0; i < night.count && status == 0; i++)
        if (count_candidates(&night.first[i]) > 0)
            write_sweep(&night.sweep[i], &night.first[i], stdout);
    night_free(&night);
    return status;
}

enum { COLUMNS = 32, NUMBER = 32 };

struct row {
    const char *cells[COLUMNS];
    char numbers[COLUMNS][NUMBER];
};

#define SET(row, name, text) ((row)->cells[rows_column_index(COLUMN_night_##name)] = (text))
#define SET_NUMBER(row, name, value)                                                               \
    SET(row, name,                                                                                 \
        units_format_value(value, (row)->numbers[rows_column_index(COLUMN_night_##name)], NUMBER))

static void write_row(const struct row *row, FILE *stream) {
    size_t count;
    rows_columns(FILE_night, &count);
    table_write_row(stream, row->cells, count);
}

// The size of a change: from fresh executions where there are any, else tonight's.
static void set_change(struct row *row, const struct change *first, const struct change *second) {
    const struct change *shown = second != NULL && !isnan(second->part) ? second : first;
    SET_NUMBER(row, base_cycles, shown->base != NULL ? shown->base->cycles : NAN);
    SET_NUMBER(row, cycles, shown->now->cycles);
    SET_NUMBER(row, ci_low, shown->now->ci_low);
    SET_NUMBER(row, ci_high, shown->now->ci_high);
    SET_NUMBER(row, part, shown->part);
    SET_NUMBER(row, part_low, shown->part_low);
    SET_NUMBER(row, part_high, shown->part_high);
    SET_NUMBER(row, p, shown->p_holm);
    SET_NUMBER(row, first_part, first->part);
    SET_NUMBER(row, first_p, first->p_holm);
}

static const char *explanation(enum night_kind kind, const struct change *first,
                               const struct change *second) {
    if (kind == NIGHT_unconfirmed)
        return second == NULL || second->now == NULL || !second->now->has_value
                   ? "gave no value when measured again"
                   : "not so when measured again";
    if (kind == NIGHT_baseline)
        return first->verdict == VERDICT_other_loop ? "the loop's bytes changed" : "a new loop";
    if (kind == NIGHT_missing && first->verdict == VERDICT_lost && second != NULL &&
        second->now->has_value)
        return "no value at first; had one when measured again";
    return first->now->detail;
}

static void write_change(const struct night *night, size_t at, size_t place, enum night_kind wanted,
                         FILE *stream) {
    const struct night_sweep *sweep = &night->sweep[at];
    const struct change *first = &night->first[at].change[place];
    const struct change *second = night_is_candidate(first) ? night_second(night, at, first) : NULL;
    enum night_kind kind = night_judge(first, second);
    // Where nothing at all could be compared the sweep's own row says so once.
    if (kind != wanted || (kind == NIGHT_baseline && sweep->base.newest[0] == '\0'))
        return;
    struct row row = {0};
    SET(&row, kind, night_kind_name(kind));
    SET(&row, sweep, sweep->name);
    SET(&row, variant, first->now->variant);
    SET(&row, core_type, first->now->key[KEY_core_type]);
    SET(&row, engine, first->now->key[KEY_engine]);
    SET(&row, ring, first->now->key[KEY_ring]);
    set_change(&row, first, second);
    // The order of now's loops is that of missing_since.
    for (size_t i = 0; i < sweep->now.count; i++)
        if (&sweep->now.loop[i] == first->now)
            SET(&row, since, sweep->base.missing_since[i]);
    SET(&row, status, status_name(first->now->status));
    SET(&row, detail, explanation(kind, first, second));
    SET(&row, base_run, first->base != NULL ? first->base->key[KEY_run_id] : "");
    SET(&row, run_id, first->now->key[KEY_run_id]);
    write_row(&row, stream);
}

static void write_sweep_row(const struct night *night, size_t at, bool baseline, FILE *stream) {
    const struct night_sweep *sweep = &night->sweep[at];
    const struct noise_floor noise = solve_noise(&sweep->now);
    bool is_new = sweep->base.newest[0] == '\0';
    if (baseline && !is_new)
        return;
    struct row row = {0};
    SET(&row, kind, night_kind_name(baseline ? NIGHT_baseline : NIGHT_sweep));
    SET(&row, sweep, sweep->name);
    if (baseline)
        SET(&row, detail,
            sweep->base.changed[0] != '\0' ? sweep->base.changed : "the first run on this CPU");
    else
        SET(&row, detail, sweep->base.skipped);
    SET(&row, base_run,
        sweep->base.loops.count > 0 && !is_new ? strrchr(sweep->base.newest, '/') + 1 : "");
    SET(&row, run_id, sweep->now.loop[0].key[KEY_run_id]);
    SET_NUMBER(&row, compared, (double)night->first[at].compared);
    SET_NUMBER(&row, minimum, night->first[at].minimum);
    SET_NUMBER(&row, noise, noise.rms);
    SET_NUMBER(&row, noise_largest, noise.largest);
    SET(&row, folder, sweep->run);
    write_row(&row, stream);
}

static int write_night(const struct night *night, const char *path, struct error *error) {
    struct replacement file;
    size_t count;
    const char *const *columns = rows_columns(FILE_night, &count);
    if (replace_begin(path, &file, error) != 0)
        return -1;
    table_write_row(file.stream, columns, count);
    for (int kind = 0; kind < NIGHT_KIND_COUNT; kind++)
        for (size_t at = 0; at < night->count; at++) {
            if (kind == NIGHT_baseline || kind == NIGHT_sweep)
                write_sweep_row(night, at, kind == NIGHT_baseline, file.stream);
            for (size_t place = 0; place < night->first[at].count; place++)
                write_change(night, at, place, (enum night_kind)kind, file.stream);
        }
    return replace_end(&file, 0, error);
}

static size_t count_changes(const struct night *night) {
    size_t changes = 0;
    for (size_t at = 0; at < night->count; at++)
        for (size_t i = 0; i < night->first[at].count; i++) {
            const struct change *first = &night->first[at].change[i];
            if (night_is_candidate(first))
                changes += night_judge(first, night_second(night, at, first)) <= NIGHT_lost;
        }
    return changes;
}

int command_verdict(int argc, char **argv, struct error *error) {
    struct night night;
    const char *folder;
    char path[4200];
    int status =
        read_night(argc, argv, "verdict NIGHT [--minimum PART]",
                   "What a night came to; exit 4 if something changed.", &folder, &night, error);
    if (status == 0) {
        snprintf(path, sizeof path, "%s/night.csv", folder);
        status = write_night(&night, path, error);
    }
    if (status == 0) {
        printf("%s\n", path);
        size_t changes = count_changes(&night);
        if (changes > 0)
            status = error_set(error, ERROR_CHANGED, NULL, 0, "%zu changed", changes);
    }
    night_free(&night);
    return status;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-night: the two looks at a night: who is to be measured again, and what the night came
// to. `nightly` beside this calls both.
#include "campaign/night/night.h"
#include "common/disk.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/program.h"
#include "common/replace.h"
#include "common/rows.h"
#include "results/solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// As long as asmsweep-run --only may be; more candidates than fit are the whole sweep.
#define ONLY_LONGEST 4000

// A sweep with candidates: what of it has to be measured again.
static void write_sweep(const struct night_sweep *sweep, const struct comparison *first,
                        FILE *stream) {
    char *list;
    size_t length, found = 0;
    FILE *names = text_open(&list, &length);
    for (size_t i = 0; i < first->count; i++)
        if (night_is_candidate(&first->change[i]))
            fprintf(names, "%s%s", found++ > 0 ? "," : "", first->change[i].now->row->variant);
    text_close(names);
    if (found > 0)
        fprintf(stream, "%s\t%s\n", sweep->name, length < ONLY_LONGEST ? list : "*");
    free(list);
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

// A night's folder: the candidates, a line "SWEEP<TAB>VARIANT,VARIANT" for each sweep that has
// some; "*" for more than fit.
static int command_candidates(int argc, char **argv, struct error *error) {
    struct night night;
    const char *folder;
    int status = read_night(argc, argv, "candidates NIGHT [--minimum PART]",
                            "What a night has to measure again.", &folder, &night, error);
    for (size_t i = 0; i < night.count && status == 0; i++)
        write_sweep(&night.sweep[i], &night.first[i], stdout);
    night_free(&night);
    return status;
}

static const char *const kind_names[] = {
#define NIGHT_KIND(name, meaning) #name,
#include "campaign/night/night_kinds.def"
#undef NIGHT_KIND
};

enum night_reason {
#define NIGHT_REASON(name, meaning) REASON_##name,
#include "campaign/night/night_reasons.def"
#undef NIGHT_REASON
};

static const struct {
    const char *name, *meaning;
} reasons[] = {
#define NIGHT_REASON(name, meaning) {#name, meaning},
#include "campaign/night/night_reasons.def"
#undef NIGHT_REASON
};

// The size of a change: from fresh executions where there are any, else tonight's.
static void set_change(struct night_row *row, const struct change *first,
                       const struct change *second) {
    const struct change *shown = second != NULL && !isnan(second->part) ? second : first;
    row->base_cycles = shown->base != NULL ? shown->base->cycles : NAN;
    row->cycles = shown->now->cycles;
    row->ci_low = shown->now->ci_low;
    row->ci_high = shown->now->ci_high;
    row->part = shown->part;
    row->part_low = shown->part_low;
    row->part_high = shown->part_high;
    row->p = shown->p_holm;
    row->first_part = first->part;
    row->first_p = first->p_holm;
}

static void give_reason(struct night_row *row, enum night_reason reason) {
    row->reason = reasons[reason].name;
    row->detail = reasons[reason].meaning;
}

// Why the kind, as a word and in words.
static void explain(struct night_row *row, enum night_kind kind, const struct change *first,
                    const struct change *second) {
    bool again = second != NULL && second->now != NULL && second->now->has_value;
    row->detail = first->now->row->detail;
    if (kind == NIGHT_unconfirmed)
        give_reason(row, again ? REASON_not_again : REASON_no_value_again);
    else if (kind == NIGHT_baseline)
        give_reason(row,
                    first->verdict == VERDICT_other_loop ? REASON_other_loop : REASON_new_loop);
    else if (kind == NIGHT_missing && first->verdict == VERDICT_lost && again)
        give_reason(row, REASON_value_again);
}

static void write_change(const struct night *night, size_t at, size_t place, enum night_kind wanted,
                         FILE *stream) {
    const struct night_sweep *sweep = &night->sweep[at];
    const struct change *first = &night->first[at].change[place];
    const struct change *second = night_is_candidate(first) ? night_second(night, at, first) : NULL;
    enum night_kind kind = night_judge(first, second);
    struct night_row row;
    // Where nothing at all could be compared the sweep's own row says so once.
    if (kind != wanted || (kind == NIGHT_baseline && sweep->base.newest[0] == '\0'))
        return;
    const struct summary_row *now = first->now->row;
    rows_empty(FILE_night, &row);
    row.kind = kind_names[kind];
    row.sweep = sweep->name;
    row.variant = now->variant;
    row.core_type = now->core_type;
    row.engine = now->engine;
    row.ring = now->ring;
    set_change(&row, first, second);
    // The order of now's loops is that of missing_since.
    row.since = sweep->base.missing_since[first->now - sweep->now.loop];
    row.status = status_name(now->status);
    explain(&row, kind, first, second);
    row.base_run = first->base != NULL ? first->base->row->run_id : "";
    row.run_id = now->run_id;
    rows_write(stream, FILE_night, &row, NULL);
}

static void write_sweep_row(const struct night *night, size_t at, bool baseline, FILE *stream) {
    const struct night_sweep *sweep = &night->sweep[at];
    const struct noise_floor noise = solve_noise(&sweep->now);
    bool is_new = sweep->base.newest[0] == '\0';
    struct night_row row;
    if (baseline && !is_new)
        return;
    rows_empty(FILE_night, &row);
    row.kind = kind_names[baseline ? NIGHT_baseline : NIGHT_sweep];
    row.sweep = sweep->name;
    row.detail = sweep->base.skipped;
    if (baseline)
        give_reason(&row, sweep->base.changed[0] ? REASON_other_machine : REASON_first_run);
    if (baseline && sweep->base.changed[0] != '\0')
        row.detail = sweep->base.changed; // what of it
    row.base_run =
        sweep->base.loops.count > 0 && !is_new ? strrchr(sweep->base.newest, '/') + 1 : "";
    row.run_id = sweep->now.loop[0].row->run_id;
    row.compared = (long long)night->first[at].compared;
    row.minimum = night->first[at].minimum;
    row.noise = noise.rms;
    row.noise_largest = noise.largest;
    row.folder = sweep->run;
    rows_write(stream, FILE_night, &row, NULL);
}

static int write_night(const struct night *night, const char *path, struct error *error) {
    struct replacement file;
    if (replace_begin(path, &file, error) != 0)
        return -1;
    rows_write_header(file.stream, FILE_night);
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

// What the night came to, into night.csv in its folder; the path to stdout. -1 with ERROR_CHANGED
// if something changed.
static int command_verdict(int argc, char **argv, struct error *error) {
    struct night night;
    const char *folder;
    int status =
        read_night(argc, argv, "verdict NIGHT [--minimum PART]",
                   "What a night came to; exit 4 if something changed.", &folder, &night, error);
    if (status == 0)
        status = write_night(&night, PATH("%s/night.csv", folder), error);
    if (status == 0) {
        printf("%s/night.csv\n", folder);
        size_t changes = count_changes(&night);
        if (changes > 0)
            status = error_set(error, ERROR_CHANGED, NULL, 0, "%zu changed", changes);
    }
    night_free(&night);
    return status;
}

static const struct program_command commands[] = {
    {"candidates", "what a night has to measure again", command_candidates},
    {"verdict", "what a night came to; exit 4 if something changed", command_verdict},
};

int main(int argc, char **argv) {
    return program_run("asmsweep-night", commands, sizeof commands / sizeof *commands, argc, argv);
}

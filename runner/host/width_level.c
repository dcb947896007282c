// SPDX-License-Identifier: GPL-3.0-or-later
// From slices to the level of a core that nobody shares, and the file that remembers it.
#include "runner/host/width.h"

#include "common/disk.h"
#include "common/generation.h"
#include "common/memory.h"
#include "common/replace.h"
#include "common/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// How far add and rol may be apart in a slice: a TSC that counts in steps of 25 ticks makes 1 %.
static const double chains_apart = 0.02;
// Whole slices of a level are this close together, a part.
static const double breadth = 0.004;
// A level in the mean of its slices is good for this, a part; a whole-number imul, too.
static const double level_tolerance = 0.005, imul_tolerance = 0.001;
// Slices that make a level, and the part of all that they are.
enum { LEVEL_SLICES = 30 };
static const double level_part = 0.01;
// A loop is no faster than its core is wide, and takes less than a fifth more than that.
static const double most_over_width = 1.2;

struct width_known width_known_of(const struct machine *machine) {
    const char *name = generation_name(machine->cpu_vendor, machine->cpu_family, machine->cpu_model,
                                       machine->core_type);
    const struct generation_width *width = generation_width(name);
    return (struct width_known){name, width ? width->width : 0,
                                width && width->level > 0 ? width->level : NAN, NAN};
}

// Ticks that n iterations of the leg took.
static double leg_ticks(const struct width_slice *slice, enum width_leg leg) {
    return (double)slice->ticks[leg][1] - (double)slice->ticks[leg][0];
}

static double width_ticks(const struct width_slice *slice) {
    return leg_ticks(slice, WIDTH_before) + leg_ticks(slice, WIDTH_after);
}

static double chain_ticks(const struct width_slice *slice) {
    return leg_ticks(slice, WIDTH_add) + leg_ticks(slice, WIDTH_rol);
}

// Cycles of `ticks` ticks of the width loop, or of imul, beside `unit` ticks of the chains.
static double as_width(double ticks, double unit) {
    double iterations = width_n[WIDTH_before] + width_n[WIDTH_after];
    return ticks / iterations / unit * WIDTH_LINKS * (width_n[WIDTH_add] + width_n[WIDTH_rol]);
}

static double as_imul(double ticks, double unit) {
    return ticks / width_n[WIDTH_imul] / unit * (width_n[WIDTH_add] + width_n[WIDTH_rol]);
}

double width_cycles(const struct width_slice *slice) {
    for (int leg = 0; leg < WIDTH_LEGS; leg++)
        if (slice->ticks[leg][1] <= slice->ticks[leg][0] ||
            slice->ticks[leg][1] / 6 > slice->ticks[leg][0])
            return NAN;
    double ratio = leg_ticks(slice, WIDTH_add) / leg_ticks(slice, WIDTH_rol);
    if (fabs(ratio - 1) > chains_apart)
        return INFINITY;
    return as_width(width_ticks(slice), chain_ticks(slice));
}

void width_count(const struct width_slice *slices, size_t count, const struct width_level *level,
                 struct width_count *all) {
    for (size_t i = 0; i < count && !isnan(level->cycles); i++) {
        double cycles = width_cycles(&slices[i]);
        all->slices += !isnan(cycles);
        all->quiet += cycles <= level->cycles * (1 + WIDTH_TOLERANCE);
    }
}

double width_share(const struct width_count *all) {
    return all->slices ? (double)all->quiet / (double)all->slices : NAN;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Where enough of the sorted values stand close together for the first time; NaN: nowhere.
static double lowest_cluster(const double *values, size_t count) {
    size_t need = (size_t)fmax(LEVEL_SLICES, level_part * (double)count);
    for (size_t i = 0; i + need <= count; i++)
        if (values[i + need - 1] <= values[i] * (1 + breadth))
            return values[i];
    return NAN;
}

static double all_ticks(const struct width_slice *slice) {
    double ticks = 0;
    for (int leg = 0; leg < WIDTH_LEGS; leg++)
        ticks += (double)slice->ticks[leg][0] + (double)slice->ticks[leg][1];
    return ticks;
}

// The level of the fastest slices, in which nothing was slowed: neither the width loop nor the
// chains, which lose a part of a percent to neighbours that the width loop does not feel. By their
// whole time, as a choice by the ratio of two legs would move that ratio.
static void find_lowest(const struct width_slice *slices, size_t count, struct width_level *level) {
    double *values = memory_zero(count, sizeof *values);
    double width = 0, chains = 0, imul = 0;
    size_t sound = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(width_cycles(&slices[i])))
            values[sound++] = all_ticks(&slices[i]);
    qsort(values, sound, sizeof *values, compare);
    double lowest = lowest_cluster(values, sound);
    free(values);
    for (size_t i = 0; i < count; i++) {
        double ticks = all_ticks(&slices[i]);
        if (!isfinite(width_cycles(&slices[i])) ||
            !(ticks >= lowest && ticks <= lowest * (1 + breadth)))
            continue;
        width += width_ticks(&slices[i]);
        chains += chain_ticks(&slices[i]);
        imul += leg_ticks(&slices[i], WIDTH_imul);
    }
    level->seen = as_width(width, chains); // NaN: there are none
    level->imul = as_imul(imul, chains);
}

static bool has_whole_imul(const struct width_level *level) {
    double whole = round(level->imul);
    return whole >= 3 && whole <= 6 && fabs(level->imul / whole - 1) <= imul_tolerance;
}

// Nothing is listed and nothing remembered: the chains must tell it, and the width allow it.
static void judge_unlisted(const struct width_known *known, struct width_level *level) {
    double least = level->least, most = level->most;
    if (isnan(level->seen))
        snprintf(level->how, sizeof level->how, "no two slices agree");
    else if (!has_whole_imul(level))
        snprintf(level->how, sizeof level->how,
                 "imul takes %.4f cycles where the width loop is fastest (%.2f), no whole number: "
                 "the core was shared throughout",
                 level->imul, level->seen);
    else if (level->seen < least * (1 - level_tolerance) || level->seen > most)
        snprintf(level->how, sizeof level->how,
                 "%.2f cycles cannot be: %s is %d wide, so it takes %.2f to %.2f", level->seen,
                 known->generation, known->width, least, most);
    else {
        level->cycles = level->seen;
        level->seen_now = true;
        snprintf(level->how, sizeof level->how, "seen with imul at %.4f cycles%s%s", level->imul,
                 known->width ? ", possible for the width of " : "; this CPU's width is not listed",
                 known->generation);
    }
}

// A level is known: only a lower one with whole imuls is better.
static void judge_known(double cycles, const char *whence, struct width_level *level) {
    level->cycles = cycles;
    level->seen_now = fabs(level->seen / cycles - 1) <= level_tolerance;
    if (level->seen < cycles * (1 - level_tolerance) && has_whole_imul(level)) {
        level->cycles = level->seen;
        level->seen_now = true;
        snprintf(level->how, sizeof level->how, "seen with imul at %.4f cycles, lower than %s",
                 level->imul, whence);
    } else if (level->seen_now)
        snprintf(level->how, sizeof level->how, "%s, and seen (%.3f, imul at %.4f)", whence,
                 level->seen, level->imul);
    else
        snprintf(level->how, sizeof level->how, "%s; not seen now: the lowest is %.2f", whence,
                 level->seen);
}

void width_judge(const struct width_slice *slices, size_t count, const struct width_known *known,
                 struct width_level *level) {
    char whence[80];
    double least = known->width ? WIDTH_INSTRUCTIONS / (double)known->width : 0;
    double remembered =
        known->remembered >= least * (1 - level_tolerance) ? known->remembered : NAN;
    *level = (struct width_level){.cycles = NAN, .seen = NAN, .imul = NAN, .share = NAN};
    level->least = known->width ? least : NAN;
    level->most = known->width ? least * most_over_width : NAN;
    find_lowest(slices, count, level);
    snprintf(whence, sizeof whence, "listed for %s", known->generation);
    if (isnan(known->listed) || remembered < known->listed * (1 - level_tolerance)) {
        snprintf(whence, sizeof whence, "remembered for this CPU");
        judge_known(remembered, whence, level);
    } else
        judge_known(known->listed, whence, level);
    if (isnan(level->cycles))
        judge_unlisted(known, level);
    struct width_count all = {0};
    width_count(slices, count, level, &all);
    level->share = width_share(&all);
}

static bool is_of(const struct levels_row *row, const struct machine *machine) {
    return !strcmp(row->cpu_vendor, machine->cpu_vendor) &&
           !strcmp(row->cpu_family, machine->cpu_family) &&
           !strcmp(row->cpu_model, machine->cpu_model) &&
           !strcmp(row->cpu_stepping, machine->cpu_stepping) &&
           !strcmp(row->core_type, machine->core_type);
}

double width_recall(const char *path, const struct machine *machine) {
    struct rows rows;
    struct error ignored; // no file, or a damaged one: nothing is remembered
    double cycles = NAN;
    rows_read(path, FILE_levels, NULL, &rows, &ignored);
    const struct levels_row *row = rows.row;
    for (size_t i = 0; i < rows.count; i++)
        if (is_of(&row[i], machine))
            cycles = row[i].level;
    rows_free(&rows);
    return cycles;
}

int width_remember(const char *path, const struct machine *machine, double cycles,
                   struct error *error) {
    struct rows rows;
    struct replacement file;
    struct error ignored; // of what is replaced
    const struct levels_row kept = {machine->cpu_vendor,   machine->cpu_family, machine->cpu_model,
                                    machine->cpu_stepping, machine->core_type,  cycles};
    if (replace_begin(path, &file, error))
        return -1;
    rows_read(path, FILE_levels, NULL, &rows, &ignored);
    const struct levels_row *row = rows.row;
    rows_write_header(file.stream, FILE_levels);
    for (size_t i = 0; i < rows.count; i++)
        if (!is_of(&row[i], machine))
            rows_write(file.stream, FILE_levels, &row[i], NULL);
    rows_write(file.stream, FILE_levels, &kept, NULL);
    rows_free(&rows);
    return replace_end(&file, 0, error);
}

const char *width_memory(void) {
    static char path[4200];
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    path[0] = '\0';
    if (length <= 0)
        return path;
    program[length] = '\0';
    for (int up = 0; up < 2; up++) { // build/programs/bin/asmsweep-run
        char *slash = strrchr(program, '/');
        if (slash)
            *slash = '\0';
    }
    if (!access(PATH("%s/CMakeCache.txt", program), F_OK))
        snprintf(path, sizeof path, "%s/levels.csv", program);
    return path;
}

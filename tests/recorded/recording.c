// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/recorded/recording.h"

#include "common/table.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINKS = 32 };

const struct recorded_loop recorded_loops[RECORDED_LOOPS] = {
    {"add_chain32", "32 add, chain", 32, RECORDED_STEADY, SEGMENT_add},
    {"xor_chain32", "32 xor, chain", 32, RECORDED_STEADY, CHAINS_all},
    {"div_chain", "16 lea, chain", 16, RECORDED_STEADY, CHAINS_all},
    {"crc32_chain16", "16 crc32, chain", 48, RECORDED_STEADY, CHAINS_all},
    {"imul_chain16", "16 imul, chain", 48, RECORDED_STEADY, SEGMENT_imul},
    {"mulps_chain8", "8 mulps, chain", 32, RECORDED_STEADY, CHAINS_all},
    {"imul_tp", "24 imul", 24, RECORDED_STEADY, SEGMENT_imul},
    {"addps_tp", "20 addps", 10, RECORDED_STEADY, CHAINS_all},
    {"nop16", "16 nop", 3, RECORDED_STEADY, CHAINS_all},
    {"nop64", "64 nop", 11.5, RECORDED_STEADY, CHAINS_all},
    {"mixed", "imul hides 12", 3, RECORDED_STEADY, CHAINS_all},
    {"adds_indep", "24 add", 5.82, RECORDED_LOOSE, CHAINS_all},
    {"loads", "24 loads", 12.08, RECORDED_LOOSE, CHAINS_all},
    {"stores", "16 stores", 16.02, RECORDED_LOOSE, CHAINS_all},
    {"push_pop16", "16 push, pop", 8.02, RECORDED_LOOSE, CHAINS_all},
    {"lock_add4", "4 lock add", 72.06, RECORDED_LOOSE, CHAINS_all},
    {"pushfq_popfq8", "8 pushfq, popfq", 226.1, RECORDED_LOOSE, CHAINS_all},
    {"push_popfq14", "14 push, popfq", 417.2, RECORDED_LOOSE, CHAINS_all},
};

static const char *const heads[] = {"block",  "seconds",        "loop",          "n_add",  "n_rol",
                                    "n_imul", "n_width_before", "n_width_after", "n_loop", NULL};

static void *allocate(size_t count, size_t size) {
    void *block = calloc(count, size);
    if (!block)
        abort();
    return block;
}

static int is_loop(const char *name, size_t *loop) {
    for (*loop = 0; *loop < RECORDED_LOOPS; ++*loop)
        if (!strcmp(name, recorded_loops[*loop].name))
            return 1;
    return 0;
}

// An iteration count of a row; 0 is none.
static uint32_t count_in(const struct table *table, size_t row, const char *head) {
    long long count;
    return units_scan_integer(table_cell(table, row, head), 1, 1 << 20, &count) ? 0
                                                                                : (uint32_t)count;
}

static int describe(const struct table *table, size_t row, struct recorded *execution) {
    struct slices *slices = &execution->slices;
    long long round;
    if (!is_loop(table_cell(table, row, "loop"), &execution->loop) ||
        units_scan_integer(table_cell(table, row, "block"), 0, RECORDED_ROUNDS - 1, &round))
        return -1;
    execution->round = (int)round;
    execution->seconds = strtod(table_cell(table, row, "seconds"), NULL);
    for (int chain = 0; chain < SEGMENT_loop; chain++)
        slices->links[chain] = LINKS;
    slices->n[SEGMENT_add] = count_in(table, row, "n_add");
    slices->n[SEGMENT_rol] = count_in(table, row, "n_rol");
    slices->n[SEGMENT_imul] = count_in(table, row, "n_imul");
    slices->n[SEGMENT_loop] = count_in(table, row, "n_loop");
    slices->n[SEGMENT_width_before] = count_in(table, row, "n_width_before");
    slices->n[SEGMENT_width_after] = count_in(table, row, "n_width_after");
    slices->count = RECORDED_SLICES;
    slices->slices = allocate(RECORDED_SLICES, sizeof *slices->slices);
    for (int segment = 0; segment <= SEGMENT_width_after; segment++)
        if (!slices->n[segment])
            return -1;
    return 0;
}

static int read_executions(const char *folder, struct recording *recording, struct error *error) {
    char path[4096];
    struct table table;
    snprintf(path, sizeof path, "%s/executions.csv", folder);
    if (table_read(path, heads, &table, error)) {
        table_free(&table);
        return -1;
    }
    recording->executions = allocate(table.rows + 1, sizeof *recording->executions);
    int failed = 0;
    for (size_t row = 0; row < table.rows && !failed; row++) {
        recording->count++;
        failed = describe(&table, row, &recording->executions[row]);
        if (failed)
            error_set(error, ERROR_INPUT, path, table_line(row), "no execution");
    }
    if (!failed && table.rows != RECORDED_ROUNDS * RECORDED_LOOPS)
        failed = error_set(error, ERROR_INPUT, path, 0, "not %d executions",
                           RECORDED_ROUNDS * RECORDED_LOOPS);
    table_free(&table);
    return failed;
}

// A line of a column. By hand: there are 2.6 million.
static int read_line(FILE *stream, uint64_t *ticks) {
    int c = getc_unlocked(stream), digits = 0;
    for (*ticks = 0; c >= '0' && c <= '9' && digits < 18; c = getc_unlocked(stream), digits++)
        *ticks = *ticks * 10 + (uint64_t)(c - '0');
    return digits && c == '\n' ? 0 : -1;
}

static int read_column(const char *folder, int column, struct recording *recording,
                       struct error *error) {
    static const char *const pairs[] = {"add",  "rol",          "imul",
                                        "loop", "width_before", "width_after"}; // enum segment
    char path[4096];
    snprintf(path, sizeof path, "%s/%s_%s", folder, pairs[column / 2], column % 2 ? "2n" : "n");
    FILE *stream = fopen(path, "r");
    if (!stream)
        return error_errno(error, ERROR_INPUT, path, "cannot be read");
    size_t line = 0, lines = recording->count * RECORDED_SLICES;
    int failed = 0;
    for (; line < lines && !failed; line++)
        failed = read_line(stream, &recording->executions[line / RECORDED_SLICES]
                                        .slices.slices[line % RECORDED_SLICES]
                                        .ticks[column / 2][column % 2]);
    if (failed)
        error_set(error, ERROR_INPUT, path, line, "not a number");
    else if (getc_unlocked(stream) != EOF)
        failed = error_set(error, ERROR_INPUT, path, line + 1, "more lines than slices");
    fclose(stream);
    return failed;
}

int recording_read(const char *folder, struct recording *recording, struct error *error) {
    *recording = (struct recording){0};
    int failed = read_executions(folder, recording, error);
    for (int column = 0; column < 2 * (SEGMENT_width_after + 1) && !failed; column++)
        failed = read_column(folder, column, recording, error);
    if (failed)
        recording_free(recording);
    return failed;
}

void recording_free(struct recording *recording) {
    for (size_t i = 0; i < recording->count; i++) {
        free(recording->executions[i].slices.slices);
    }
    free(recording->executions);
    *recording = (struct recording){0};
}

static double difference(const uint64_t ticks[2]) {
    return (double)ticks[1] - (double)ticks[0];
}

static double link_ticks(const struct recorded *execution, size_t at, int segment) {
    const struct slices *slices = &execution->slices;
    return difference(slices->slices[at].ticks[segment]) / slices->n[segment] /
           slices->links[segment];
}

static double unit(const struct recorded *execution, size_t at) {
    return (link_ticks(execution, at, SEGMENT_add) + link_ticks(execution, at, SEGMENT_rol)) / 2;
}

double recorded_cycles(const struct recorded *execution, size_t at) {
    const struct slices *slices = &execution->slices;
    return difference(slices->slices[at].ticks[SEGMENT_loop]) / slices->n[SEGMENT_loop] /
           unit(execution, at);
}

int recorded_is_quiet(const struct recorded *execution, size_t at) {
    double cycle = unit(execution, at);
    for (int width = SEGMENT_width_before; width <= SEGMENT_width_after; width++) {
        double cycles = difference(execution->slices.slices[at].ticks[width]) /
                        execution->slices.n[width] / cycle;
        if (!(fabs(cycles / WIDTH_QUIET - 1) <= 0.03))
            return 0;
    }
    return fabs(link_ticks(execution, at, SEGMENT_add) / link_ticks(execution, at, SEGMENT_rol) -
                1) <= 0.02;
}

size_t recorded_quiet_count(const struct recorded *execution) {
    size_t quiet = 0;
    for (size_t at = 0; at < execution->slices.count; at++)
        quiet += (size_t)recorded_is_quiet(execution, at);
    return quiet;
}

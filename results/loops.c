// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/loops.h"

#include "common/memory.h"
#include "results/runs.h"
#include "results/whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define Z95 1.959963984540054
// No interval is believed to be narrower than this part of the value: a zero width would get
// infinite weight.
#define SIGMA_LEAST 1e-5

static bool wanted(const struct summary_row *row) {
    return row->quantity == QUANTITY_cycles && strcmp(row->engine, "hyperfine") != 0 &&
           strcmp(row->accel, "tcg") != 0;
}

static int read_value(const struct table *table, size_t at, struct loop *loop,
                      struct error *error) {
    const struct summary_row *row = loop->row;
    loop->has_value = status_keeps_value(row->status);
    if (!loop->has_value) {
        loop->cycles = loop->ci_low = loop->ci_high = loop->sigma = NAN;
        return 0;
    }
    if (!(row->value > 0 && row->ci_low <= row->ci_high))
        return error_set(error, ERROR_INPUT, table->path, table_line(at),
                         "status %s, but value \"%s\" [\"%s\", \"%s\"]; the file was changed, "
                         "measure again",
                         status_name(row->status), table_cell(table, at, "value"),
                         table_cell(table, at, "ci_low"), table_cell(table, at, "ci_high"));
    loop->cycles = row->value;
    loop->ci_low = row->ci_low;
    loop->ci_high = row->ci_high;
    loop->sigma = fmax((row->ci_high - row->ci_low) / (2 * Z95), SIGMA_LEAST * fabs(row->value));
    return 0;
}

// Runs from before the column was there took what they had for claims.
static int read_mix_source(const struct table *table, size_t at, struct loop *loop,
                           struct error *error) {
    const char *text = loop->row->mix_source;
    loop->mix_found = strcmp(text, "found") == 0;
    if (loop->mix_found || *text == '\0' || strcmp(text, "claimed") == 0)
        return 0;
    return error_set(error, ERROR_INPUT, table->path, table_line(at),
                     "mix_source is \"%s\", not claimed, found or empty; was the file made by "
                     "another version?",
                     text);
}

static int read_mix(const struct table *table, size_t at, struct loop *loop, struct error *error) {
    const struct summary_row *row = loop->row;
    if (read_mix_source(table, at, loop, error) != 0)
        return -1;
    if (*row->mix == '\0')
        return 0; // neither claimed nor found in a binary: nothing to compute with
    if (mix_parse(row->mix, &loop->mix) != 0)
        return error_set(error, ERROR_INPUT, table->path, table_line(at),
                         "the mix \"%s\" of %s is not of the form 27*cli+1*sti", row->mix,
                         row->variant);
    if (!mix_strip_loop(&loop->mix))
        return 0; // a loop of another shape: a value, but nothing to compute with
    loop->empty = loop->mix.terms == 0;
    struct mix claimed;
    if (row->group[0] != '\0' && !isnan(row->groups) &&
        mix_of_group(row->group, row->groups, &claimed) == 0)
        loop->homogeneous = !loop->empty && mix_equal(&claimed, &loop->mix);
    return 0;
}

// Put a loop into the list, or in the place of the same loop's other source if it is better.
static void keep_better(struct loops *loops, const struct loop *loop) {
    const struct loop *other = loops_find(loops, loop, loop->row->variant);
    if (other == NULL)
        loops->loop[loops->count++] = *loop;
    else if (loop->has_value && (strcmp(loop->row->source, "pmu") == 0 || !other->has_value))
        loops->loop[other - loops->loop] = *loop;
}

int loops_read(const char *folder, struct loops *loops, struct error *error) {
    *loops = (struct loops){0};
    if (run_expect(folder, error) != 0 ||
        whole_read(folder, FILE_summary, false, &loops->rows, error) != 0)
        return -1;
    loops->loop = memory_zero(loops->rows.count, sizeof *loops->loop);
    struct summary_row *row = loops->rows.row;
    for (size_t at = 0; at < loops->rows.count; at++, row++) {
        struct loop loop = {.row = row};
        if (!(row->groups > 0))
            row->groups = NAN;
        if (!wanted(row))
            continue;
        if (read_value(&loops->rows.table, at, &loop, error) != 0 ||
            read_mix(&loops->rows.table, at, &loop, error) != 0)
            return -1;
        keep_better(loops, &loop);
    }
    return 0;
}

void loops_free(struct loops *loops) {
    free(loops->loop);
    rows_free(&loops->rows);
    *loops = (struct loops){0};
}

bool loop_is_solvable(const struct loop *loop) {
    return loop->mix.terms > 0 && (loop->homogeneous || !loop->mix_found);
}

bool loops_same_place(const struct loop *a, const struct loop *b) {
    return ROWS_SAME_PLACE(a->row, b->row);
}

const struct loop *loops_find(const struct loops *loops, const struct loop *like,
                              const char *variant) {
    for (size_t i = 0; i < loops->count; i++)
        // The variant first: of two loops of a run it is what differs.
        if (strcmp(loops->loop[i].row->variant, variant) == 0 &&
            loops_same_place(&loops->loop[i], like))
            return &loops->loop[i];
    return NULL;
}

bool loop_is_same(const struct loop *a, const struct loop *b) {
    return strcmp(a->row->variant, b->row->variant) == 0 && ROWS_SAME_ENGINE(a->row, b->row);
}

const struct loop *loops_find_same(const struct loops *loops, const struct loop *like) {
    for (size_t i = 0; i < loops->count; i++)
        if (loop_is_same(&loops->loop[i], like))
            return &loops->loop[i];
    return NULL;
}

struct costs_row *loops_cost(const struct loop *like, const struct loop *const *loop, size_t count,
                             enum method method, struct costs *costs) {
    struct costs_row *cost = costs_add(costs);
    const struct summary_row *row = like->row;
    cost->run_id = row->run_id;
    cost->machine_keys = row->machine_keys;
    cost->engine = row->engine;
    cost->ring = row->ring;
    cost->family = row->family;
    cost->order = row->order;
    cost->context = row->context;
    cost->method = method;
    for (size_t i = 0; i < count; i++)
        cost_rests_on(costs, cost, loop[i]->row->variant);
    return cost;
}

void loop_refuse(const struct loop *loop, struct costs *costs, struct costs_row *cost) {
    cost_refuse(costs, cost, loop->row->status, text_make("%s", loop->row->detail));
}

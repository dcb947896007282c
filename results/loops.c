// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/loops.h"

#include "common/units.h"
#include "results/runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define Z95 1.959963984540054
// No interval is believed to be narrower than this part of the value: a zero width would get
// infinite weight.
#define SIGMA_LEAST 1e-5

static bool wanted(const struct table *table, size_t row) {
    return strcmp(table_cell(table, row, "quantity"), "cycles") == 0 &&
           strcmp(table_cell(table, row, "engine"), "hyperfine") != 0 &&
           strcmp(table_cell(table, row, "accel"), "tcg") != 0;
}

static bool same_variant(const struct loop *a, const struct loop *b) {
    // The variant first: of two loops of a run it is what differs.
    return strcmp(a->variant, b->variant) == 0 && loops_same_place(a, b);
}

// A cell's number; NaN where it is empty.
static int read_number(const struct table *table, size_t row, const char *name, double *number,
                       struct error *error) {
    const char *text = table_cell(table, row, name);
    *number = NAN;
    if (*text == '\0' || units_scan_number(text, number) == 0)
        return 0;
    return error_set(error, ERROR_INPUT, table->path, table_line(row),
                     "%s is \"%s\", no number; the file was changed, measure again", name, text);
}

static int read_value(const struct table *table, size_t row, struct loop *loop,
                      struct error *error) {
    if (read_number(table, row, "value", &loop->cycles, error) != 0 ||
        read_number(table, row, "ci_low", &loop->ci_low, error) != 0 ||
        read_number(table, row, "ci_high", &loop->ci_high, error) != 0)
        return -1;
    loop->has_value = status_keeps_value(loop->status);
    if (!loop->has_value) {
        loop->cycles = loop->ci_low = loop->ci_high = loop->sigma = NAN;
        return 0;
    }
    if (!(loop->cycles > 0 && loop->ci_low <= loop->ci_high))
        return error_set(error, ERROR_INPUT, table->path, table_line(row),
                         "status %s, but value \"%s\" [\"%s\", \"%s\"]; the file was changed, "
                         "measure again",
                         status_name(loop->status), table_cell(table, row, "value"),
                         table_cell(table, row, "ci_low"), table_cell(table, row, "ci_high"));
    loop->sigma =
        fmax((loop->ci_high - loop->ci_low) / (2 * Z95), SIGMA_LEAST * fabs(loop->cycles));
    return 0;
}

// Runs from before the column was there took what they had for claims.
static int read_mix_source(const struct table *table, size_t row, struct loop *loop,
                           struct error *error) {
    const char *text = table_cell(table, row, "mix_source");
    loop->mix_found = strcmp(text, "found") == 0;
    if (loop->mix_found || *text == '\0' || strcmp(text, "claimed") == 0)
        return 0;
    return error_set(error, ERROR_INPUT, table->path, table_line(row),
                     "mix_source is \"%s\", not claimed, found or empty; was the file made by "
                     "another version?",
                     text);
}

static int read_mix(const struct table *table, size_t row, struct loop *loop, struct error *error) {
    const char *text = table_cell(table, row, "mix");
    if (read_mix_source(table, row, loop, error) != 0)
        return -1;
    if (*text == '\0')
        return 0; // neither claimed nor found in a binary: nothing to compute with
    if (mix_parse(text, &loop->mix) != 0)
        return error_set(error, ERROR_INPUT, table->path, table_line(row),
                         "the mix \"%s\" of %s is not of the form 27*cli+1*sti", text,
                         loop->variant);
    if (!mix_strip_loop(&loop->mix))
        return 0; // a loop of another shape: a value, but nothing to compute with
    loop->empty = loop->mix.terms == 0;
    struct mix claimed;
    if (loop->group[0] != '\0' && !isnan(loop->groups) &&
        mix_of_group(loop->group, loop->groups, &claimed) == 0)
        loop->homogeneous = !loop->empty && mix_equal(&claimed, &loop->mix);
    return 0;
}

static int read_loop(const struct table *table, size_t row, struct loop *loop,
                     struct error *error) {
#define KEY(name) loop->key[KEY_##name] = table_cell(table, row, #name);
    COST_KEYS(KEY)
#undef KEY
    loop->variant = table_cell(table, row, "variant");
    loop->family = table_cell(table, row, "family");
    loop->order = table_cell(table, row, "order");
    loop->context = table_cell(table, row, "context");
    loop->group = table_cell(table, row, "group");
    loop->twin_of = table_cell(table, row, "twin_of");
    loop->loop_sha256 = table_cell(table, row, "loop_sha256");
    if (read_number(table, row, "executions", &loop->executions, error) != 0 ||
        read_number(table, row, "groups", &loop->groups, error) != 0)
        return -1;
    if (!(loop->groups > 0))
        loop->groups = NAN;
    loop->detail = table_cell(table, row, "detail");
    int status = status_from_name(table_cell(table, row, "status"));
    if (status < 0)
        return error_set(error, ERROR_INPUT, table->path, table_line(row),
                         "\"%s\" is no status; was the file made by another version?",
                         table_cell(table, row, "status"));
    loop->status = (enum status)status;
    return read_value(table, row, loop, error) != 0 || read_mix(table, row, loop, error) != 0 ? -1
                                                                                              : 0;
}

// Put a loop into the list, or in the place of the same loop's other source if it is better.
static void keep_better(struct loops *loops, const struct loop *loop, bool pmu) {
    for (size_t i = 0; i < loops->count; i++) {
        if (!same_variant(&loops->loop[i], loop))
            continue;
        if (loop->has_value && (pmu || !loops->loop[i].has_value))
            loops->loop[i] = *loop;
        return;
    }
    loops->loop[loops->count++] = *loop;
}

int loops_read(const char *folder, struct loops *loops, struct error *error) {
    static const char *const required[] = {
        "run_id", "variant", "family", "mix",    "engine", "accel",  "ring",  "quantity", "source",
        "value",  "ci_low",  "status", "detail", "group",  "groups", "order", "context",  NULL};
    char path[4200];
    *loops = (struct loops){0};
    snprintf(path, sizeof path, "%s/summary.csv", folder);
    if (run_expect(folder, error) != 0 || table_read(path, required, &loops->table, error) != 0)
        return -1;
    loops->loop = calloc(loops->table.rows + 1, sizeof *loops->loop);
    if (loops->loop == NULL)
        return error_set(error, ERROR_INPUT, path, 0, "out of memory");
    for (size_t row = 0; row < loops->table.rows; row++) {
        struct loop loop = {0};
        if (!wanted(&loops->table, row))
            continue;
        if (read_loop(&loops->table, row, &loop, error) != 0)
            return -1;
        keep_better(loops, &loop, strcmp(table_cell(&loops->table, row, "source"), "pmu") == 0);
    }
    return 0;
}

void loops_free(struct loops *loops) {
    free(loops->loop);
    table_free(&loops->table);
    *loops = (struct loops){0};
}

bool loop_is_solvable(const struct loop *loop) {
    return loop->mix.terms > 0 && (loop->homogeneous || !loop->mix_found);
}

bool loops_same_place(const struct loop *a, const struct loop *b) {
    return keys_same_place(a->key, b->key);
}

const struct loop *loops_find(const struct loops *loops, const struct loop *like,
                              const char *variant) {
    for (size_t i = 0; i < loops->count; i++)
        if (loops_same_place(&loops->loop[i], like) && strcmp(loops->loop[i].variant, variant) == 0)
            return &loops->loop[i];
    return NULL;
}

bool loop_is_same(const struct loop *a, const struct loop *b) {
    static const enum cost_key keys[] = {KEY_core_type, KEY_engine, KEY_ring};
    if (strcmp(a->variant, b->variant) != 0)
        return false;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(a->key[keys[i]], b->key[keys[i]]) != 0)
            return false;
    return true;
}

void loop_keys(const struct loop *loop, struct cost *cost) {
    memcpy(cost->key, loop->key, sizeof cost->key);
    snprintf(cost->family, sizeof cost->family, "%s", loop->family);
    snprintf(cost->order, sizeof cost->order, "%s", loop->order);
    snprintf(cost->context, sizeof cost->context, "%s", loop->context);
}

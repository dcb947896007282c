// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/costs.h"

#include "common/memory.h"
#include "common/replace.h"
#include "common/table.h"
#include "common/units.h"
#include "results/item.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cost *costs_add(struct costs *costs) {
    costs->row = memory_more(costs->row, costs->count, sizeof *costs->row);
    struct cost *cost = &costs->row[costs->count++];
    *cost = (struct cost){.cycles = NAN,
                          .ci_low = NAN,
                          .ci_high = NAN,
                          .minuend = NAN,
                          .subtrahend = NAN,
                          .published = NAN,
                          .agrees = "",
                          .status = STATUS_ok};
    for (size_t k = 0; k < KEY_COUNT; k++)
        cost->key[k] = "";
    return cost;
}

void costs_free(struct costs *costs) {
    for (size_t i = 0; i < costs->count; i++)
        free(costs->row[i].variants);
    free(costs->row);
    *costs = (struct costs){0};
}

bool keys_same_place(const char *const a[KEY_COUNT], const char *const b[KEY_COUNT]) {
    static const enum cost_key keys[] = {KEY_run_id, KEY_core_type, KEY_engine, KEY_ring};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(a[keys[i]], b[keys[i]]) != 0)
            return false;
    return true;
}

void cost_rests_on(struct cost *cost, const char *variant) {
    char *before = cost->variants;
    cost->variants =
        before != NULL ? text_make("%s %s", before, variant) : text_make("%s", variant);
    free(before);
}

bool cost_has_variant(const struct cost *cost, const char *variant) {
    const char *names = cost->variants != NULL ? cost->variants : "";
    size_t length = strlen(variant);
    while (*names != '\0') {
        size_t size = strcspn(names, " ");
        if (size == length && memcmp(names, variant, size) == 0)
            return true;
        names += size + strspn(names + size, " ");
    }
    return false;
}

void cost_refuse(struct cost *cost, enum status status, const char *format, ...) {
    va_list arguments;
    cost->cycles = cost->ci_low = cost->ci_high = NAN;
    cost->status = status;
    va_start(arguments, format);
    vsnprintf(cost->detail, sizeof cost->detail, format, arguments);
    va_end(arguments);
}

// One row as cells in the order of columns.def.
static void write_cost(const struct cost *cost, FILE *stream) {
    const char *cell[COLUMN_COUNT] = {0};
    char cycles[32], low[32], high[32], published[32], minuend[32], subtrahend[32];
    char general[COST_TEXT];
#define CELL(name) cell[rows_column_index(COLUMN_costs_##name)]
#define KEY(name) CELL(name) = cost->key[KEY_##name];
    COST_KEYS(KEY)
#undef KEY
    CELL(family) = cost->family;
    CELL(order) = cost->order;
    CELL(context) = cost->context;
    CELL(item) = cost->item;
    if (cost->method == METHOD_iteration) // names a loop, which has no operands
        snprintf(general, sizeof general, "%s", cost->item);
    else
        item_general(cost->item, general, sizeof general);
    CELL(general) = general;
    CELL(cycles) = units_format_value(cost->cycles, cycles, sizeof cycles);
    CELL(ci_low) = units_format_value(cost->ci_low, low, sizeof low);
    CELL(ci_high) = units_format_value(cost->ci_high, high, sizeof high);
    CELL(method) = method_name(cost->method);
    CELL(additive) = additive_name(cost->additive);
    CELL(variants) = cost->variants != NULL ? cost->variants : "";
    CELL(published) = units_format_value(cost->published, published, sizeof published);
    CELL(minuend) = units_format_value(cost->minuend, minuend, sizeof minuend);
    CELL(subtrahend) = units_format_value(cost->subtrahend, subtrahend, sizeof subtrahend);
    CELL(published_source) = cost->published_source;
    CELL(agrees) = cost->agrees;
    CELL(status) = status_name(cost->status);
    CELL(detail) = cost->detail;
#undef CELL
    size_t count;
    rows_columns(FILE_costs, &count);
    table_write_row(stream, cell, count);
}

int costs_write(const struct costs *costs, const char *path, struct error *error) {
    struct replacement file;
    size_t count;
    const char *const *names = rows_columns(FILE_costs, &count);
    if (replace_begin(path, &file, error) != 0)
        return -1;
    table_write_row(file.stream, names, count);
    for (size_t i = 0; i < costs->count; i++)
        write_cost(&costs->row[i], file.stream);
    return replace_end(&file, 0, error);
}

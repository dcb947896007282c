// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/costs.h"

#include "common/replace.h"
#include "results/context.h"
#include "results/item.h"

#include <math.h>
#include <string.h>

struct costs_row *costs_add(struct costs *costs) {
    costs->rows.file = FILE_costs;
    struct costs_row *cost = rows_add(&costs->rows);
    cost->status = STATUS_ok;
    costs->row = costs->rows.row;
    costs->count = costs->rows.count;
    return cost;
}

void costs_free(struct costs *costs) {
    rows_free(&costs->rows);
    *costs = (struct costs){0};
}

void cost_rests_on(struct costs *costs, struct costs_row *cost, const char *variant) {
    cost->variants = *cost->variants == '\0'
                         ? variant
                         : rows_own(&costs->rows, text_make("%s %s", cost->variants, variant));
}

bool cost_has_variant(const struct costs_row *cost, const char *variant) {
    return context_among(variant, strlen(variant), cost->variants, ' ');
}

void cost_set(struct costs_row *cost, double cycles, double low, double high) {
    cost->cycles = cycles;
    cost->ci_low = low;
    cost->ci_high = high;
}

void cost_refuse(struct costs *costs, struct costs_row *cost, enum status status, char *why) {
    cost_set(cost, NAN, NAN, NAN);
    cost->status = status;
    cost->detail = rows_own(&costs->rows, why);
}

int costs_write(struct costs *costs, const char *path, struct error *error) {
    struct replacement file;
    char general[COST_TEXT];
    costs->rows.file = FILE_costs; // also of none
    if (replace_begin(path, &file, error) != 0)
        return -1;
    for (size_t i = 0; i < costs->count; i++) {
        struct costs_row *cost = &costs->row[i];
        item_general(cost->item, general, sizeof general);
        // An iteration names a loop, which has no operands.
        cost->general = cost->method == METHOD_iteration
                            ? cost->item
                            : rows_own(&costs->rows, text_make("%s", general));
    }
    rows_write_all(file.stream, &costs->rows);
    return replace_end(&file, 0, error);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Differences of two whole loops, never of summed instructions: the effect of an order, and those
// that the sweep asks for.
#include "results/solve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// `missing`: what to say where there is no loop `minus` (NULL).
static struct cost *add_difference(struct costs *costs, const struct loop *from,
                                   const struct loop *minus, const char *missing) {
    struct cost *cost = costs_add(costs);
    loop_keys(from, cost);
    cost->method = METHOD_difference;
    cost->order[0] = '\0'; // of two loops
    cost_rests_on(cost, from->variant);
    if (minus != NULL)
        cost_rests_on(cost, minus->variant);
    if (!from->has_value)
        cost_refuse(cost, from->status, "%s", from->detail);
    else if (minus == NULL)
        cost_refuse(cost, STATUS_unavailable, "%s", missing);
    else if (!minus->has_value)
        cost_refuse(cost, minus->status, "%s", minus->detail);
    else {
        double half = hypot(from->ci_high - from->ci_low, minus->ci_high - minus->ci_low) / 2;
        cost->minuend = from->cycles;
        cost->subtrahend = minus->cycles;
        cost->cycles = from->cycles - minus->cycles;
        cost->ci_low = cost->cycles - half;
        cost->ci_high = cost->cycles + half;
        cost->status = status_worse(from->status, minus->status);
        snprintf(cost->detail, sizeof cost->detail, "%.2f minus %.2f cycles per iteration",
                 from->cycles, minus->cycles);
    }
    return cost;
}

static bool other_order(const struct loop *a, const struct loop *b) {
    return loops_same_place(a, b) && strcmp(a->family, b->family) == 0 &&
           strcmp(a->context, b->context) == 0 && strcmp(a->order, b->order) != 0 &&
           a->mix.terms > 1 && mix_equal(&a->mix, &b->mix);
}

void solve_orders(const struct loops *loops, struct costs *costs) {
    for (size_t i = 0; i < loops->count; i++) {
        for (size_t j = i + 1; j < loops->count; j++) {
            const struct loop *a = &loops->loop[i], *b = &loops->loop[j];
            if (strcmp(a->order, b->order) > 0) { // one direction for each pair of names
                a = b;
                b = &loops->loop[i];
            }
            if (!other_order(a, b) || !a->has_value || !b->has_value)
                continue;
            struct cost *cost = add_difference(costs, b, a, "");
            char mix[COST_TEXT / 2];
            mix_print(&a->mix, mix, sizeof mix);
            snprintf(cost->item, sizeof cost->item, "order of %s", mix);
            snprintf(cost->order, sizeof cost->order, "%.100s minus %.100s", b->order, a->order);
        }
    }
}

void solve_differences(const struct loops *loops, const struct table *differences,
                       struct costs *costs) {
    for (size_t i = 0; i < loops->count; i++) {
        const struct loop *loop = &loops->loop[i];
        for (size_t row = 0; row < differences->rows; row++) {
            if (strcmp(table_cell(differences, row, "minuend"), loop->variant) != 0)
                continue;
            const struct loop *minus =
                loops_find(loops, loop, table_cell(differences, row, "subtrahend"));
            struct cost *cost =
                add_difference(costs, loop, minus, table_cell(differences, row, "missing"));
            snprintf(cost->item, sizeof cost->item, "%s", table_cell(differences, row, "item"));
        }
    }
}

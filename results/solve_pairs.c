// SPDX-License-Identifier: GPL-3.0-or-later
// Differences of two whole loops, never of summed instructions: the effect of an order, and those
// that the sweep asks for.
#include "results/solve.h"

#include <math.h>
#include <string.h>

// `missing`: what to say where there is no loop `minus` (NULL).
static struct costs_row *add_difference(struct costs *costs, const struct loop *from,
                                        const struct loop *minus, const char *missing) {
    const struct loop *const both[] = {from, minus};
    struct costs_row *cost =
        loops_cost(from, both, minus != NULL ? 2 : 1, METHOD_difference, costs);
    cost->order = ""; // of two loops
    if (!from->has_value)
        loop_refuse(from, costs, cost);
    else if (minus == NULL)
        cost_refuse(costs, cost, STATUS_unavailable, text_make("%s", missing));
    else if (!minus->has_value)
        loop_refuse(minus, costs, cost);
    else {
        double half = hypot(from->ci_high - from->ci_low, minus->ci_high - minus->ci_low) / 2;
        cost->minuend = from->cycles;
        cost->subtrahend = minus->cycles;
        double cycles = from->cycles - minus->cycles;
        cost_set(cost, cycles, cycles - half, cycles + half);
        cost->detail = rows_own(&costs->rows, text_make("%.2f minus %.2f cycles per iteration",
                                                        from->cycles, minus->cycles));
    }
    return cost;
}

static bool other_order(const struct loop *a, const struct loop *b) {
    return loops_same_place(a, b) && strcmp(a->row->family, b->row->family) == 0 &&
           strcmp(a->row->context, b->row->context) == 0 &&
           strcmp(a->row->order, b->row->order) != 0 && a->mix.terms > 1 &&
           mix_equal(&a->mix, &b->mix);
}

void solve_orders(const struct loops *loops, struct costs *costs) {
    for (size_t i = 0; i < loops->count; i++) {
        for (size_t j = i + 1; j < loops->count; j++) {
            const struct loop *a = &loops->loop[i], *b = &loops->loop[j];
            if (strcmp(a->row->order, b->row->order) > 0) { // one direction for each pair of names
                a = b;
                b = &loops->loop[i];
            }
            if (!other_order(a, b) || !a->has_value || !b->has_value)
                continue;
            struct costs_row *cost = add_difference(costs, b, a, "");
            char mix[COST_TEXT / 2];
            mix_print(&a->mix, mix, sizeof mix);
            cost->item = rows_own(&costs->rows, text_make("order of %s", mix));
            cost->order = rows_own(&costs->rows,
                                   text_make("%.100s minus %.100s", b->row->order, a->row->order));
        }
    }
}

void solve_differences(const struct loops *loops, const struct rows *differences,
                       struct costs *costs) {
    const struct differences_row *asked = differences->row;
    for (size_t i = 0; i < loops->count; i++) {
        const struct loop *loop = &loops->loop[i];
        for (size_t at = 0; at < differences->count; at++) {
            if (strcmp(asked[at].minuend, loop->row->variant) != 0)
                continue;
            const struct loop *minus = loops_find(loops, loop, asked[at].subtrahend);
            add_difference(costs, loop, minus, asked[at].missing)->item = asked[at].item;
        }
    }
}

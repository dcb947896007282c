// SPDX-License-Identifier: GPL-3.0-or-later
// Whole loops that no cost tells: their cycles an iteration as they were measured, so that
// nothing that was measured is missing from a table.
#include "results/solve.h"

#include <math.h>

// Is the loop told by a cost: by its value, or, where the loop itself has none, by its reason?
static bool is_told(const struct loop *loop, const struct costs_row *cost) {
    if (loop->has_value && isnan(cost->cycles))
        return false;
    return ROWS_SAME_PLACE(loop->row, cost) && cost_has_variant(cost, loop->row->variant);
}

char *loop_why_no_cost(const struct loop *loop) {
    const struct summary_row *row = loop->row;
    char body[2 * MIX_NAME], claimed[2 * MIX_NAME];
    struct mix group;
    if (loop->empty)
        return text_make("the empty loop: dec and jnz alone");
    if (loop->mix.terms == 0)
        return text_make("no cost of its own: its body is not known, or has no dec; jnz");
    if (isnan(row->groups) || row->group[0] == '\0')
        return text_make("no cost of its own: group and groups do not say what its unit is");
    if (mix_of_group(row->group, row->groups, &group) != 0)
        return text_make("no cost of its own: its group \"%.100s\" is no list of instructions",
                         row->group);
    if (loop->homogeneous)
        return text_make("its cost has no value");
    mix_print(&loop->mix, body, sizeof body);
    mix_print(&group, claimed, sizeof claimed);
    return text_make("no cost of its own: %g of its group is %s, its body is %s%s", row->groups,
                     claimed, body,
                     loop->mix_found ? "; it claims no mix to solve costs from (claims.mix)" : "");
}

static void add_iteration(const struct loop *loop, struct costs *costs) {
    struct costs_row *cost = loops_cost(loop, &loop, 1, METHOD_iteration, costs);
    cost->item = rows_own(&costs->rows, text_make("%.200s: one iteration", loop->row->variant));
    if (!loop->has_value) {
        loop_refuse(loop, costs, cost);
        return;
    }
    cost_set(cost, loop->cycles, loop->ci_low, loop->ci_high);
    cost->detail = rows_own(&costs->rows, loop_why_no_cost(loop));
}

void solve_iterations(const struct loops *loops, struct costs *costs) {
    size_t others = costs->count;
    for (size_t i = 0; i < loops->count; i++) {
        bool told = false;
        for (size_t k = 0; k < others && !told; k++)
            told = is_told(&loops->loop[i], &costs->row[k]);
        if (!told)
            add_iteration(&loops->loop[i], costs);
    }
}

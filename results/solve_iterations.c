// SPDX-License-Identifier: GPL-3.0-or-later
// Whole loops that no cost tells: their cycles an iteration as they were measured, so that
// nothing that was measured is missing from a table.
#include "results/solve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Is the loop told by a cost: by its value, or, where the loop itself has none, by its reason?
static bool is_told(const struct loop *loop, const struct cost *cost) {
    if (loop->has_value && isnan(cost->cycles))
        return false;
    return keys_same_place(loop->key, cost->key) && cost_has_variant(cost, loop->variant);
}

void loop_why_no_cost(const struct loop *loop, char *text, size_t size) {
    char body[2 * MIX_NAME], claimed[2 * MIX_NAME];
    struct mix group;
    mix_print(&loop->mix, body, sizeof body);
    if (loop->empty)
        snprintf(text, size, "the empty loop: dec and jnz alone");
    else if (loop->mix.terms == 0)
        snprintf(text, size, "no cost of its own: its body is not known, or has no dec; jnz");
    else if (isnan(loop->groups) || loop->group[0] == '\0')
        snprintf(text, size, "no cost of its own: group and groups do not say what its unit is");
    else if (mix_of_group(loop->group, loop->groups, &group) != 0)
        snprintf(text, size, "no cost of its own: its group \"%.100s\" is no list of instructions",
                 loop->group);
    else if (loop->homogeneous)
        snprintf(text, size, "its cost has no value");
    else {
        mix_print(&group, claimed, sizeof claimed);
        snprintf(text, size, "no cost of its own: %g of its group is %s, its body is %s%s",
                 loop->groups, claimed, body,
                 loop->mix_found ? "; it claims no mix to solve costs from (claims.mix)" : "");
    }
}

static void add_iteration(const struct loop *loop, struct costs *costs) {
    struct cost *cost = costs_add(costs);
    char why[COST_DETAIL];
    cost_rests_on(cost, loop->variant);
    loop_keys(loop, cost);
    cost->method = METHOD_iteration;
    snprintf(cost->item, sizeof cost->item, "%.200s: one iteration", loop->variant);
    if (!loop->has_value) {
        cost_refuse(cost, loop->status, "%s", loop->detail);
        return;
    }
    cost->cycles = loop->cycles;
    cost->ci_low = loop->ci_low;
    cost->ci_high = loop->ci_high;
    cost->status = loop->status;
    loop_why_no_cost(loop, why, sizeof why);
    snprintf(cost->detail, sizeof cost->detail, "%s%s%s", loop->detail,
             loop->detail[0] != '\0' ? "; " : "", why);
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

// SPDX-License-Identifier: GPL-3.0-or-later
// Differences of two whole loops: the effect of an order, what a restore costs inside its
// sequence, and from that the most POPF_IF may cost. Never from summed instructions.
#include "results/solve.h"

#include "results/context.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct cost *add_difference(struct costs *costs, const struct loop *from,
                                   const struct loop *minus) {
    struct cost *cost = costs_add(costs);
    if (cost == NULL)
        return NULL;
    loop_keys(from, cost);
    cost->method = METHOD_difference;
    cost->order[0] = '\0'; // of two loops
    if (cost_rests_on(cost, from->variant) != 0 ||
        (minus != NULL && cost_rests_on(cost, minus->variant) != 0))
        return NULL;
    if (!from->has_value)
        cost_refuse(cost, from->status, "%s", from->detail);
    else if (minus == NULL)
        cost_refuse(cost, STATUS_unavailable,
                    "the sweep has no loop of the same surroundings without the restore");
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

int solve_orders(const struct loops *loops, struct costs *costs) {
    for (size_t i = 0; i < loops->count; i++) {
        for (size_t j = i + 1; j < loops->count; j++) {
            const struct loop *a = &loops->loop[i], *b = &loops->loop[j];
            if (strcmp(a->order, b->order) > 0) { // one direction for each pair of names
                a = b;
                b = &loops->loop[i];
            }
            if (!other_order(a, b) || !a->has_value || !b->has_value)
                continue;
            struct cost *cost = add_difference(costs, b, a);
            if (cost == NULL)
                return -1;
            char mix[COST_TEXT / 2];
            mix_print(&a->mix, mix, sizeof mix);
            snprintf(cost->item, sizeof cost->item, "order of %s", mix);
            snprintf(cost->order, sizeof cost->order, "%.100s minus %.100s", b->order, a->order);
        }
    }
    return 0;
}

// The loop with the same surroundings and no restore: restore=none, the other keys equal, save
// those that only a restore has.
static const struct loop *surroundings(const struct loops *loops, const struct loop *loop) {
    static const char *const of_restore[] = {"restore", "branch", NULL};
    char wanted[COST_TEXT], found[COST_TEXT], restore[64];
    context_without(loop->context, of_restore, wanted, sizeof wanted);
    for (size_t i = 0; i < loops->count; i++) {
        const struct loop *other = &loops->loop[i];
        if (!loops_same_place(loop, other) || strcmp(loop->family, other->family) != 0 ||
            !context_get(other->context, "restore", restore, sizeof restore) ||
            strcmp(restore, "none") != 0)
            continue;
        context_without(other->context, of_restore, found, sizeof found);
        if (strcmp(wanted, found) == 0)
            return other;
    }
    return NULL;
}

// Today's restore, which POPF_IF has to beat.
#define TODAY "test_sti"

int solve_sequences(const struct loops *loops, struct costs *costs) {
    char restore[64], sequence[64];
    for (size_t i = 0; i < loops->count; i++) {
        const struct loop *loop = &loops->loop[i];
        if (!context_get(loop->context, "restore", restore, sizeof restore) ||
            !context_get(loop->context, "sequence", sequence, sizeof sequence) ||
            strcmp(restore, "none") == 0)
            continue;
        const struct loop *minus = surroundings(loops, loop);
        struct cost *cost = add_difference(costs, loop, minus);
        if (cost == NULL)
            return -1;
        snprintf(cost->item, sizeof cost->item, "restore by %s", restore);
        if (strcmp(restore, TODAY) != 0)
            continue;
        cost = add_difference(costs, loop, minus);
        if (cost == NULL)
            return -1;
        snprintf(cost->item, sizeof cost->item, "POPF_IF break-even");
    }
    return 0;
}

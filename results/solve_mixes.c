// SPDX-License-Identifier: GPL-3.0-or-later
// Solved costs: one system per (family, order, context) of loops that mix instructions.
#include "results/agree.h"
#include "results/solve.h"

#include "common/margin.h"
#include "results/context.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A design whose condition is above this tells its items apart by rounding only.
#define CONDITION_LIMIT 1e4

struct system {
    const struct loop **loop; // members
    size_t members;
    struct mix items;                // the items solved for, by the first instruction of each
    char names[MIX_TERMS][MIX_NAME]; // of the items: "push+popfq" joins several
    struct fit_input fit;            // of the members with a value
    const struct loop **valued;      // those
};

static bool in_system(const struct loop *a, const struct loop *b) {
    if (!loops_same_place(a, b) || strcmp(a->row->family, b->row->family) != 0 ||
        !loop_is_solvable(b))
        return false;
    // With one group and nothing else an order means nothing, and there is no filler to name:
    // such a loop belongs to each order and to each context that says more.
    if (b->homogeneous)
        return context_within(b->row->context, a->row->context);
    return strcmp(a->row->order, b->row->order) == 0 &&
           strcmp(a->row->context, b->row->context) == 0;
}

static bool many_mixes(const struct system *system) {
    for (size_t i = 1; i < system->members; i++)
        if (!mix_equal(&system->loop[0]->mix, &system->loop[i]->mix))
            return true;
    return false;
}

// Do two instructions stand in the same number in every loop?
static bool inseparable(const struct system *system, const char *a, const char *b) {
    for (size_t i = 0; i < system->members; i++)
        if (mix_count(&system->loop[i]->mix, a) != mix_count(&system->loop[i]->mix, b))
            return false;
    return true;
}

// An item for each instruction that stands anywhere; those that nothing tells apart are one.
static void find_items(struct system *system) {
    struct mix all = {0}, *items = &system->items;
    for (size_t i = 0; i < system->members; i++)
        for (size_t t = 0; t < system->loop[i]->mix.terms; t++) {
            const char *name = system->loop[i]->mix.term[t].name;
            mix_add(&all, name, strlen(name), 1);
        }
    items->terms = 0;
    for (size_t t = 0; t < all.terms; t++) {
        size_t same = 0;
        while (same < items->terms &&
               !inseparable(system, items->term[same].name, all.term[t].name))
            same++;
        char *name = system->names[same];
        size_t used = same < items->terms ? strlen(name) : 0;
        snprintf(name + used, sizeof system->names[same] - used, "%s%s", used > 0 ? "+" : "",
                 all.term[t].name);
        if (same == items->terms)
            items->term[items->terms++] = all.term[t];
    }
}

static void fill_numbers(struct system *system) {
    system->fit.rows = 0;
    system->fit.items = system->items.terms;
    for (size_t i = 0; i < system->members; i++) {
        const struct loop *loop = system->loop[i];
        if (!loop->has_value)
            continue;
        size_t row = system->fit.rows++;
        system->valued[row] = loop;
        system->fit.cycles[row] = loop->cycles;
        system->fit.sigma[row] = loop->sigma;
        for (size_t j = 0; j < system->items.terms; j++)
            system->fit.counts[row * system->items.terms + j] =
                mix_count(&loop->mix, system->items.term[j].name);
    }
}

static bool is_serial(const char *item) {
    static const char serial[] =
#define SERIAL(name) name ";"
#include "results/overlapping.def"
#undef SERIAL
        ;
    return context_among(item, strlen(item), serial, ';');
}

static bool all_serial(const struct system *system) {
    for (size_t i = 0; i < system->items.terms; i++)
        if (!is_serial(system->names[i]))
            return false;
    return true;
}

// Does nothing test an item: does it stand in the same number in every loop that gave a value, and
// in none of them alone? Whatever it cost, the loops would differ as they do; hidden behind the
// others or not, it leaves no misfit.
static bool nothing_tests(const struct system *system, size_t item) {
    for (size_t i = 0; i < system->fit.rows; i++) {
        const double *counts = system->fit.counts + i * system->items.terms;
        bool alone = true;
        for (size_t j = 0; j < system->items.terms; j++)
            alone = alone && (j == item || counts[j] == 0);
        if (alone || counts[item] != system->fit.counts[item])
            return false;
    }
    return true;
}

// Why item j has no cost of its own, for the caller to free; NULL if it has.
static char *why_not(const struct system *system, const struct fit *fit, size_t j, bool estimable) {
    if (!estimable || (fit->condition > CONDITION_LIMIT && isfinite(fit->condition)))
        return text_make("these loops do not determine it: rank %zu of %zu items, condition %.3g",
                         fit->rank, system->items.terms, fit->condition);
    if (fit->additive == ADDITIVE_no)
        return text_make("costs do not add: %s is off by %+.2f cycles, margin %.2f, p %.2g",
                         system->valued[fit->worst_row]->row->variant, fit->worst_residual,
                         fit->worst_margin, fit->p);
    if (fit->additive == ADDITIVE_untested && !all_serial(system))
        return text_make(
            "may overlap with its neighbours, and %zu loops for %zu items test nothing",
            system->fit.rows, system->items.terms);
    if (nothing_tests(system, j) && !is_serial(system->names[j]))
        return text_make(
            "may hide behind its neighbours: %g of it in every loop, nothing tests it; vary "
            "its count",
            system->fit.counts[j]);
    return NULL;
}

// Value or reason of item j.
static void fill_cost(const struct system *system, const struct fit *fit, size_t j,
                      const struct fit_item *item, struct costs *costs, struct costs_row *cost) {
    char *why = why_not(system, fit, j, item->estimable);
    cost->additive = fit->additive;
    if (fit->additive == ADDITIVE_yes && nothing_tests(system, j))
        cost->additive = ADDITIVE_untested; // the test was of the others
    if (why != NULL) {
        cost_refuse(costs, cost, STATUS_unavailable, why);
        return;
    }
    cost_set(cost, item->cycles, item->ci_low, item->ci_high);
    cost->detail = rows_own(
        &costs->rows, text_make("rank %zu, condition %.3g, worst residual %+.2f of margin %.2f; "
                                "dec;jnz %.2f to %.2f",
                                fit->rank, fit->condition, fit->worst_residual, fit->worst_margin,
                                fit->overhead_low, fit->overhead_high));
    bool hides = item->cycles <= margin_cycles;
    refuse_nothing(costs, cost, hides ? STATUS_implausible : STATUS_unavailable,
                   hides ? "its neighbours" : "");
}

static void add_costs(const struct loops *loops, struct system *system, const struct loop *first,
                      struct costs *costs) {
    struct fit fit = {0};
    struct fit_item item[MIX_TERMS] = {0};
    char *differ = agree_why_not(system->valued, system->fit.rows);
    system->fit.overhead_high = overhead_of(loops, first).high;
    if (system->fit.rows > 0)
        fit_solve(&system->fit, &fit, item);
    for (size_t j = 0; j < system->items.terms; j++) {
        struct costs_row *cost =
            loops_cost(first, system->loop, system->members, METHOD_solved, costs);
        cost->item = rows_own(&costs->rows, text_make("%s", system->names[j]));
        if (differ != NULL)
            cost_refuse(costs, cost, STATUS_unavailable, text_make("%s", differ));
        else if (system->fit.rows > 0)
            fill_cost(system, &fit, j, &item[j], costs, cost);
        else
            loop_refuse(first, costs, cost);
    }
    free(differ);
}

static void solve_system(const struct loops *loops, size_t first, struct system *system,
                         bool *taken, struct costs *costs) {
    system->members = 0;
    for (size_t i = 0; i < loops->count; i++) {
        if (!in_system(&loops->loop[first], &loops->loop[i]))
            continue;
        system->loop[system->members++] = &loops->loop[i];
        taken[i] = taken[i] || !loops->loop[i].homogeneous;
    }
    if (!many_mixes(system))
        return; // one mix says nothing about its parts
    find_items(system);
    if (system->items.terms < 2)
        return; // one item at several lengths is a direct cost
    fill_numbers(system);
    add_costs(loops, system, &loops->loop[first], costs);
}

void solve_mixes(const struct loops *loops, struct costs *costs) {
    size_t n = loops->count;
    double *numbers = memory_zero((MIX_TERMS + 2) * n, sizeof *numbers);
    bool *taken = memory_zero(n, sizeof *taken);
    const struct loop **members = memory_zero(2 * n, sizeof *members);
    struct system *system = memory_zero(1, sizeof *system);
    *system = (struct system){.loop = members,
                              .valued = members + n,
                              .fit = {0, 0, numbers + 2 * n, numbers, numbers + n, 0, 0}};
    for (size_t i = 0; i < n; i++) {
        const struct loop *loop = &loops->loop[i];
        if (!taken[i] && !loop->homogeneous && loop_is_solvable(loop))
            solve_system(loops, i, system, taken, costs);
    }
    free(members);
    free(system);
    free(taken);
    free(numbers);
}

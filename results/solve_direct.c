// SPDX-License-Identifier: GPL-3.0-or-later
// Direct costs: loops that hold one group and nothing else, at one or several lengths.
#include "results/agree.h"
#include "results/solve.h"

#include "common/margin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The homogeneous loops of one item in one context.
struct set {
    const struct loop **loop; // members
    size_t members;
    struct fit_input fit; // of those with a value
};

static bool same_item(const struct loop *a, const struct loop *b) {
    return b->homogeneous && loops_same_place(a, b) &&
           strcmp(a->row->family, b->row->family) == 0 &&
           strcmp(a->row->context, b->row->context) == 0 &&
           strcmp(a->row->group, b->row->group) == 0;
}

static void collect(const struct loops *loops, size_t first, struct set *set, bool *taken) {
    set->members = set->fit.rows = 0;
    for (size_t i = first; i < loops->count; i++) {
        const struct loop *loop = &loops->loop[i];
        if (taken[i] || !same_item(&loops->loop[first], loop))
            continue;
        taken[i] = true;
        set->loop[set->members++] = loop;
        if (!loop->has_value)
            continue;
        set->fit.counts[set->fit.rows] = loop->row->groups;
        set->fit.cycles[set->fit.rows] = loop->cycles;
        set->fit.sigma[set->fit.rows++] = loop->sigma;
    }
}

// Keep the longest loops only: the overhead weighs least there.
static void keep_longest(struct fit_input *fit) {
    double longest = 0;
    size_t kept = 0;
    for (size_t i = 0; i < fit->rows; i++)
        longest = fmax(longest, fit->counts[i]);
    for (size_t i = 0; i < fit->rows; i++) {
        if (fit->counts[i] < longest)
            continue;
        fit->counts[kept] = fit->counts[i];
        fit->cycles[kept] = fit->cycles[i];
        fit->sigma[kept++] = fit->sigma[i];
    }
    fit->rows = kept;
}

static bool one_length(const struct fit_input *fit) {
    for (size_t i = 1; i < fit->rows; i++)
        if (fit->counts[i] != fit->counts[0])
            return false;
    return true;
}

// Is the longest loop no longer than dec and jnz alone may be?
static bool hides(const struct set *set, struct overhead overhead) {
    size_t longest = 0;
    for (size_t i = 1; i < set->fit.rows; i++)
        if (set->fit.counts[i] > set->fit.counts[longest])
            longest = i;
    double cycles = set->fit.cycles[longest];
    return cycles - overhead.high <= margin_of(cycles);
}

static void fill_value(struct set *set, struct overhead overhead, struct costs *costs,
                       struct costs_row *cost) {
    struct fit fit;
    struct fit_item item;
    char shape[160] = "", axis[64];
    set->fit.overhead_high = overhead.high;
    fit_solve(&set->fit, &fit, &item);
    if (!one_length(&set->fit))
        cost->additive = fit.additive;
    agree_confounded(set->loop, set->members, axis, sizeof axis);
    if (cost->additive == ADDITIVE_no && axis[0] != '\0') {
        cost_refuse(costs, cost, STATUS_unavailable,
                    text_make("not proportional to the length, and its loops differ by %s, too: a "
                              "context that says %s gives each a row",
                              axis, axis));
        return;
    }
    if (cost->additive == ADDITIVE_no) {
        snprintf(shape, sizeof shape,
                 "not proportional to the length (off by %.2f cycles, margin %.2f): the longest "
                 "loop's cost; ",
                 fit.worst_residual, fit.worst_margin);
        keep_longest(&set->fit);
        fit_solve(&set->fit, &fit, &item);
    }
    cost_set(cost, item.cycles, item.ci_low, item.ci_high);
    cost->detail =
        rows_own(&costs->rows, text_make("%sdec;jnz add %.2f to %.2f cycles per iteration (%s)",
                                         shape, fit.overhead_low, fit.overhead_high,
                                         overhead.measured ? "empty loop" : "assumed"));
    refuse_nothing(costs, cost, STATUS_unavailable,
                   hides(set, overhead)
                       ? "the loop's own dec and jnz; more of it in an iteration would tell"
                       : "");
}

static void add_set(const struct loops *loops, struct set *set, struct costs *costs) {
    const struct loop *first = set->loop[0];
    struct costs_row *cost = loops_cost(first, set->loop, set->members, METHOD_direct, costs);
    cost->item = first->row->group;
    char *differ = agree_why_not(set->loop, set->members);
    if (set->fit.rows == 0)
        loop_refuse(first, costs, cost);
    else if (differ != NULL)
        cost_refuse(costs, cost, STATUS_unavailable, differ);
    else
        fill_value(set, overhead_of(loops, first), costs, cost);
}

void solve_direct(const struct loops *loops, struct costs *costs) {
    size_t n = loops->count;
    bool *taken = memory_zero(n, sizeof *taken);
    double *numbers = memory_zero(3 * n, sizeof *numbers);
    struct set set = {.loop = memory_zero(n, sizeof *set.loop),
                      .fit = {0, 1, numbers, numbers + n, numbers + 2 * n, 0, 0}};
    for (size_t i = 0; i < n; i++) {
        if (taken[i] || !loops->loop[i].homogeneous)
            continue;
        collect(loops, i, &set, taken);
        add_set(loops, &set, costs);
    }
    free(set.loop);
    free(numbers);
    free(taken);
}

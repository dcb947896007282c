// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/compare.h"

#include "common/memory.h"
#include "results/solve.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define Z95 1.959963984540054

// Insertion sort: some hundreds of loops, and no state has to reach a comparator.
static size_t sort_order(const double *p, size_t *order, size_t count) {
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(p[i]))
            continue;
        size_t at = used++;
        for (; at > 0 && p[order[at - 1]] > p[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    return used;
}

void holm_adjust(double *p, size_t *order, size_t count) {
    size_t used = sort_order(p, order, count);
    double largest = 0;
    for (size_t k = 0; k < used; k++) {
        largest = fmax(largest, fmin(1, p[order[k]] * (double)(used - k)));
        p[order[k]] = largest;
    }
}

// Degrees of freedom of a difference of means over executions. The intervals already carry
// Student's width, so using the t distribution once more errs towards fewer alarms.
static double freedom(const struct loop *a, const struct loop *b) {
    long long n = a->row->executions, m = b->row->executions; // below 0: not known
    return n < 0 || m < 0 || n + m < 3 ? 1 : (double)(n + m - 2);
}

static void measure(struct change *change) {
    const struct loop *a = change->base, *b = change->now;
    double sigma = hypot(a->sigma, b->sigma);
    change->part = b->cycles / a->cycles - 1;
    // Error of a quotient, first order.
    double half = Z95 * hypot(b->sigma / a->cycles, b->cycles * a->sigma / (a->cycles * a->cycles));
    change->part_low = fmax(-1, change->part - half); // nothing takes less than no time
    change->part_high = change->part + half;
    change->p = 2 * gsl_cdf_tdist_Q(fabs(b->cycles - a->cycles) / sigma, freedom(a, b));
    change->verdict = VERDICT_same;
}

// Has it no value because of what the machine did in that moment, and not because of what it is?
static bool lacks_a_moment(const struct loop *loop) {
    return !loop->has_value && status_wants_retry(loop->row->status);
}

static struct change pair(const struct loop *base, const struct loop *now) {
    struct change change = {.base = base,
                            .now = now,
                            .part = NAN,
                            .part_low = NAN,
                            .part_high = NAN,
                            .p = NAN,
                            .p_holm = NAN};
    if (now == NULL)
        change.verdict = VERDICT_removed;
    else if (base == NULL)
        change.verdict = VERDICT_added;
    else if (strcmp(base->row->loop_sha256, now->row->loop_sha256) != 0)
        change.verdict = VERDICT_other_loop;
    else if (base->has_value && now->has_value)
        measure(&change);
    else if (base->has_value != now->has_value && (lacks_a_moment(base) || lacks_a_moment(now)))
        change.verdict = VERDICT_unit;
    else if (base->has_value)
        change.verdict = VERDICT_lost;
    else
        change.verdict = now->has_value ? VERDICT_gained : VERDICT_without;
    return change;
}

static void decide(struct comparison *comparison, const double *p) {
    comparison->compared = 0;
    for (size_t i = 0; i < comparison->count; i++) {
        struct change *change = &comparison->change[i];
        change->p_holm = p[i];
        if (isnan(p[i]))
            continue;
        comparison->compared++;
        if (p[i] > COMPARE_ALARMS)
            change->verdict = VERDICT_same;
        else
            change->verdict =
                fabs(change->part) >= comparison->minimum ? VERDICT_changed : VERDICT_small;
    }
}

void compare_judge(struct comparison *comparisons, size_t count) {
    size_t loops = 0, at = 0;
    for (size_t i = 0; i < count; i++)
        loops += comparisons[i].count;
    double *p = memory_zero(loops, sizeof *p);
    size_t *order = memory_zero(loops, sizeof *order);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < comparisons[i].count; k++)
            p[at++] = comparisons[i].change[k].p;
    holm_adjust(p, order, loops);
    at = 0;
    for (size_t i = 0; i < count; at += comparisons[i++].count)
        decide(&comparisons[i], p + at);
    free(p);
    free(order);
}

void compare_loops(const struct loops *base, const struct loops *now, double minimum,
                   struct comparison *comparison) {
    size_t room = base->count + now->count;
    *comparison = (struct comparison){.change = memory_zero(room, sizeof *comparison->change),
                                      .minimum = minimum};
    const struct loops *both[] = {base, now};
    for (size_t i = 0; i < 2; i++) {
        double noise = solve_noise(both[i]).rms;
        if (!isnan(noise))
            comparison->minimum = fmax(comparison->minimum, noise);
    }
    for (size_t i = 0; i < base->count; i++)
        comparison->change[comparison->count++] =
            pair(&base->loop[i], loops_find_same(now, &base->loop[i]));
    for (size_t i = 0; i < now->count; i++)
        if (loops_find_same(base, &now->loop[i]) == NULL)
            comparison->change[comparison->count++] = pair(NULL, &now->loop[i]);
    compare_judge(comparison, 1);
}

void comparison_free(struct comparison *comparison) {
    free(comparison->change);
    *comparison = (struct comparison){0};
}

size_t comparison_changes(const struct comparison *comparison) {
    size_t changes = 0;
    for (size_t i = 0; i < comparison->count; i++)
        changes += comparison->change[i].verdict <= VERDICT_lost;
    return changes;
}

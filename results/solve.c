// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/solve.h"

#include "common/margin.h"
#include "results/carry.h"
#include "results/context.h"

#include <math.h>
#include <string.h>

struct overhead overhead_of(const struct loops *loops, const struct loop *like) {
    struct overhead overhead = {.high = 0, .measured = false, .variant = ""};
    char counter[16], other[16];
    context_get(like->row->context, "counter", counter, sizeof counter);
    for (size_t i = 0; i < loops->count; i++) {
        const struct loop *loop = &loops->loop[i];
        if (!loop->empty || !loop->has_value || !loops_same_place(loop, like))
            continue;
        context_get(loop->row->context, "counter", other, sizeof other);
        if (strcmp(counter, other) != 0)
            continue;
        if (loop->ci_high > overhead.high)
            overhead = (struct overhead){loop->ci_high, true, loop->row->variant};
    }
    if (!overhead.measured)
        overhead.high = strcmp(counter, "memory") == 0 ? OVERHEAD_MEMORY : OVERHEAD_ASSUMED;
    return overhead;
}

// As two decimals show it, and never as -0.00.
static double hundredths(double cycles) {
    return round(100 * cycles) / 100 + 0.0;
}

void refuse_nothing(struct costs *costs, struct costs_row *cost, enum status status,
                    const char *behind) {
    if (hundredths(cost->ci_low) > 0)
        return;
    double high = fmax(0, hundredths(cost->ci_high));
    char *why =
        *behind != '\0'
            ? text_make("not above 0: 0.00 to %.2f cycles; it hides behind %s", high, behind)
            : text_make("not told from 0: 0.00 to %.2f cycles; its loops are known too "
                        "badly, more executions may tell (--blocks)",
                        high);
    cost_refuse(costs, cost, status, why);
}

// One direct cost after another: does whole = first; second?
static bool is_composition(const struct costs_row *whole, const struct costs_row *first,
                           const struct costs_row *second) {
    size_t length = strlen(first->item);
    return strncmp(whole->item, first->item, length) == 0 &&
           strncmp(whole->item + length, "; ", 2) == 0 &&
           strcmp(whole->item + length + 2, second->item) == 0;
}

static bool is_part(const struct costs_row *part, const struct costs_row *whole) {
    return part != whole && part->method == METHOD_direct && !isnan(part->cycles) &&
           ROWS_SAME_PLACE(part, whole);
}

static void judge_composition(struct costs *costs, struct costs_row *whole,
                              const struct costs_row *first, const struct costs_row *second) {
    double sum = first->cycles + second->cycles;
    bool disjoint = whole->ci_low > first->ci_high + second->ci_high ||
                    whole->ci_high < first->ci_low + second->ci_low;
    bool apart = fabs(whole->cycles - sum) > margin_of(whole->cycles);
    whole->additive = disjoint && apart ? ADDITIVE_no : ADDITIVE_yes;
    whole->detail =
        rows_own(&costs->rows, text_make("its parts alone, %.160s and %.160s, sum to %.2f cycles",
                                         first->item, second->item, sum));
}

static void find_parts(struct costs *costs, struct costs_row *whole) {
    for (size_t i = 0; i < costs->count; i++) {
        const struct costs_row *first = &costs->row[i];
        for (size_t j = 0; j < costs->count && is_part(first, whole); j++) {
            const struct costs_row *second = &costs->row[j];
            if (is_part(second, whole) && is_composition(whole, first, second)) {
                judge_composition(costs, whole, first, second);
                return;
            }
        }
    }
}

// Direct rows whose group is one direct item in front of another: do the parts add up to it?
// Sets additive and detail where it was untested.
static void solve_compositions(struct costs *costs) {
    for (size_t i = 0; i < costs->count; i++) {
        struct costs_row *whole = &costs->row[i];
        char sequence[64]; // whole sequences differ from their parts in what surrounds them
        if (whole->method == METHOD_direct && !isnan(whole->cycles) &&
            whole->additive == ADDITIVE_untested && strchr(whole->item, ';') != NULL &&
            !context_get(whole->context, "sequence", sequence, sizeof sequence))
            find_parts(costs, whole);
    }
}

struct noise_floor solve_noise(const struct loops *loops) {
    struct noise_floor noise = {0, 0, 0};
    for (size_t i = 0; i < loops->count; i++) {
        const struct loop *copy = &loops->loop[i];
        if (copy->row->duplicate_of[0] == '\0' || !copy->has_value)
            continue;
        const struct loop *original = loops_find(loops, copy, copy->row->duplicate_of);
        if (original == NULL || !original->has_value)
            continue;
        double part =
            fabs(copy->cycles - original->cycles) / ((copy->cycles + original->cycles) / 2);
        noise.pairs++;
        noise.largest = fmax(noise.largest, part);
        noise.rms += part * part;
    }
    noise.rms = noise.pairs > 0 ? sqrt(noise.rms / (double)noise.pairs) : NAN;
    noise.largest = noise.pairs > 0 ? noise.largest : NAN;
    return noise;
}

void solve_all(const struct loops *loops, const struct rows *differences, struct costs *costs) {
    solve_direct(loops, costs);
    solve_mixes(loops, costs);
    solve_orders(loops, costs);
    solve_differences(loops, differences, costs);
    solve_iterations(loops, costs);
    solve_compositions(costs);
    carry_all(loops, costs);
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/carry.h"

#include "common/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A detail stays readable: so many loops are named in it, and so many reasons told.
enum { NAMES = 3, REASONS = 3 };

// The loops that a cost rests on, of which each is told once.
struct rest {
    const struct loop **loop;
    bool *told;
    size_t count;
};

static void find_loops(const struct loops *loops, const struct costs_row *cost, struct rest *rest) {
    rest->count = 0;
    for (size_t i = 0; i < loops->count; i++) {
        const struct loop *loop = &loops->loop[i];
        if (!ROWS_SAME_PLACE(loop->row, cost) || !cost_has_variant(cost, loop->row->variant))
            continue;
        rest->told[rest->count] = false;
        rest->loop[rest->count++] = loop;
    }
}

// And the remarks of them all.
static void take_worst(const struct rest *rest, struct costs_row *cost) {
    for (size_t i = 0; i < rest->count; i++) {
        const struct loop *loop = rest->loop[i];
        long long executions = loop->row->executions;
        if (!loop->has_value)
            continue;
        cost->status = status_worse(cost->status, loop->row->status);
        cost->remarks |= loop->row->remarks;
        if (executions >= 0 && (cost->executions < 0 || executions < cost->executions))
            cost->executions = executions;
    }
}

static bool has_something(const struct loop *loop) {
    return loop->row->status != STATUS_ok || loop->row->detail[0] != '\0';
}

// Of two loops the same is told in one breath. One without a value has no part in the cost,
// whatever its reason is.
static bool same_reason(const struct loop *a, const struct loop *b) {
    return a->row->status == b->row->status &&
           (!a->has_value || strcmp(a->row->detail, b->row->detail) == 0);
}

// "a, b and 2 more unstable: two modes: 3 and 4 cycles", of loop `first` and those like it. A cost
// that rests on one loop need not name it.
static void tell_reason(struct rest *rest, size_t first, FILE *stream) {
    const struct loop *loop = rest->loop[first];
    size_t named = 0, more = 0;
    fputs("; ", stream);
    for (size_t i = first; i < rest->count; i++) {
        if (rest->told[i] || !same_reason(loop, rest->loop[i]))
            continue;
        rest->told[i] = true;
        if (rest->count > 1 && named < NAMES)
            fprintf(stream, "%s%s", named++ > 0 ? ", " : "", rest->loop[i]->row->variant);
        else
            more += rest->count > 1;
    }
    if (more > 0)
        fprintf(stream, " and %zu more", more);
    bool plain = loop->row->status == STATUS_ok;
    if (named > 0)
        fputs(plain ? ": " : " ", stream);
    if (!loop->has_value)
        fprintf(stream, "without a value: %s", status_name(loop->row->status));
    else
        fprintf(stream, "%s%s%s", plain ? "" : status_name(loop->row->status),
                plain || loop->row->detail[0] == '\0' ? "" : ": ", loop->row->detail);
}

// What the loops' rows say, the worst first.
static void tell_reasons(struct rest *rest, FILE *stream) {
    size_t reasons = 0, left = 0;
    for (int status = 0; status < STATUS_COUNT; status++) {
        for (size_t i = 0; i < rest->count; i++) {
            if (rest->told[i] || (int)rest->loop[i]->row->status != status ||
                !has_something(rest->loop[i]))
                continue;
            if (reasons++ < REASONS)
                tell_reason(rest, i, stream);
            else
                left++;
        }
    }
    if (left > 0)
        fprintf(stream, "; remarks of %zu more", left);
}

// Nothing takes less than no time; a difference may.
static void tell_nothing(struct costs_row *cost, FILE *stream) {
    if (cost->ci_low > 0 || cost->ci_high < 0)
        return;
    if (cost->method != METHOD_difference)
        cost->ci_low = 0;
    fputs("; cannot be told from 0", stream);
}

static void carry(struct rest *rest, struct costs *costs, struct costs_row *cost) {
    char *text;
    size_t length;
    FILE *stream = text_open(&text, &length);
    take_worst(rest, cost);
    fputs(cost->detail, stream);
    tell_nothing(cost, stream);
    tell_reasons(rest, stream);
    text_close(stream);
    // What begins with a separator had nothing before it.
    cost->detail = rows_own(&costs->rows, text_make("%s", text + (text[0] == ';' ? 2 : 0)));
    free(text);
}

void carry_all(const struct loops *loops, struct costs *costs) {
    struct rest rest = {.loop = memory_zero(loops->count + 1, sizeof *rest.loop),
                        .told = memory_zero(loops->count + 1, sizeof *rest.told)};
    for (size_t i = 0; i < costs->count; i++) {
        if (isnan(costs->row[i].cycles))
            continue;
        find_loops(loops, &costs->row[i], &rest);
        carry(&rest, costs, &costs->row[i]);
    }
    free(rest.loop);
    free(rest.told);
}

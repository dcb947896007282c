// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/agree.h"

#include "common/margin.h"
#include "results/context.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AXIS 64
#define VALUE 128

// The next axis of "width=w32;n=8"; false at the end.
static bool next_axis(const char **parameters, char axis[AXIS]) {
    while (**parameters != '\0') {
        size_t length = strcspn(*parameters, "=;");
        bool named = (*parameters)[length] == '=' && length > 0 && length < AXIS;
        if (named)
            snprintf(axis, AXIS, "%.*s", (int)length, *parameters);
        *parameters += strcspn(*parameters, ";");
        *parameters += **parameters == ';';
        if (named)
            return true;
    }
    return false;
}

static bool same_value(const struct loop *a, const struct loop *b, const char *axis) {
    char first[VALUE], second[VALUE];
    return context_get(a->row->parameters, axis, first, sizeof first) ==
               context_get(b->row->parameters, axis, second, sizeof second) &&
           strcmp(first, second) == 0;
}

static bool same_body(const struct loop *a, const struct loop *b) {
    return a->has_value && b->has_value && mix_equal(&a->mix, &b->mix);
}

// How many margins two loops of one mix are apart; 0 where they agree.
static double apart(const struct loop *a, const struct loop *b) {
    double distance = fabs(a->cycles - b->cycles);
    double margin = margin_of(fmax(a->cycles, b->cycles));
    bool disjoint = a->ci_low > b->ci_high || b->ci_low > a->ci_high;
    return same_body(a, b) && disjoint && distance > margin ? distance / margin : 0;
}

// Do all loops agree that have the same value of the axis?
static bool explains(const struct loop *const *loop, size_t count, const char *axis) {
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            if (same_value(loop[i], loop[j], axis) && apart(loop[i], loop[j]) > 0)
                return false;
    return true;
}

static void add_axis(char *axes, size_t size, const char *axis) {
    size_t used = strlen(axes);
    snprintf(axes + used, size - used, "%s%s", used > 0 ? " and " : "", axis);
}

// The axes in which two loops differ: those that explain all differences, else all of them.
static void find_axes(const struct loop *const *loop, size_t count, const struct loop *a,
                      const struct loop *b, char *axes, size_t size) {
    char axis[AXIS], any[4 * AXIS] = "";
    const char *at = a->row->parameters;
    axes[0] = '\0';
    while (next_axis(&at, axis)) {
        if (same_value(a, b, axis))
            continue;
        add_axis(any, sizeof any, axis);
        if (explains(loop, count, axis))
            add_axis(axes, size, axis);
    }
    if (axes[0] == '\0')
        snprintf(axes, size, "%s", any);
}

char *agree_why_not(const struct loop *const *loop, size_t count) {
    const struct loop *a = NULL, *b = NULL;
    double most = 0;
    char axes[4 * AXIS];
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            double far = apart(loop[i], loop[j]);
            if (far <= most)
                continue;
            most = far;
            a = loop[i];
            b = loop[j];
        }
    }
    if (a == NULL)
        return NULL;
    find_axes(loop, count, a, b, axes, sizeof axes);
    if (axes[0] == '\0')
        return text_make("its loops differ, and their parameters do not say by what: %s takes %.2f "
                         "cycles an iteration, %s %.2f",
                         a->row->variant, a->cycles, b->row->variant, b->cycles);
    return text_make("its loops differ by %s: %s takes %.2f cycles an iteration, %s %.2f; a "
                     "context that says %s gives each a row",
                     axes, a->row->variant, a->cycles, b->row->variant, b->cycles, axes);
}

static bool is_number(const struct loop *loop, const char *axis) {
    char value[VALUE], *end;
    context_get(loop->row->parameters, axis, value, sizeof value);
    strtod(value, &end);
    return end != value && *end == '\0';
}

static bool is_confounded(const struct loop *const *loop, size_t count, const char *axis) {
    bool changes = false;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            if (!loop[i]->has_value || !loop[j]->has_value || same_value(loop[i], loop[j], axis))
                continue;
            if (same_body(loop[i], loop[j]) ||
                (is_number(loop[i], axis) && is_number(loop[j], axis)))
                return false;
            changes = true;
        }
    }
    return changes;
}

void agree_confounded(const struct loop *const *loop, size_t count, char *axis, size_t size) {
    char name[AXIS];
    const char *at = loop[0]->row->parameters;
    axis[0] = '\0';
    while (axis[0] == '\0' && next_axis(&at, name))
        if (is_confounded(loop, count, name))
            snprintf(axis, size, "%s", name);
}

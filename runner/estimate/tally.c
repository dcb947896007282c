// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/estimate/tally.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tally *find(struct tallies *tallies, const struct tally_row *row) {
    for (size_t i = 0; i < tallies->count; i++) {
        struct tally *tally = &tallies->items[i];
        if (!strcmp(tally->engine, row->engine) && !strcmp(tally->quantity, row->quantity) &&
            !strcmp(tally->source, row->source) && !strcmp(tally->event, row->event))
            return tally;
    }
    struct tally *moved = realloc(tallies->items, (tallies->count + 1) * sizeof *moved);
    if (!moved)
        abort();
    tallies->items = moved;
    struct tally *tally = &moved[tallies->count++];
    *tally = (struct tally){.worst = STATUS_ok};
    snprintf(tally->engine, sizeof tally->engine, "%s", row->engine);
    snprintf(tally->quantity, sizeof tally->quantity, "%s", row->quantity);
    snprintf(tally->source, sizeof tally->source, "%s", row->source);
    snprintf(tally->event, sizeof tally->event, "%s", row->event);
    return tally;
}

static void add_value(struct tally *tally, const struct tally_row *row) {
    if (tally->count == tally->capacity) {
        tally->capacity = tally->capacity ? 2 * tally->capacity : 8;
        tally->values = realloc(tally->values, tally->capacity * sizeof(double));
        tally->within_half = realloc(tally->within_half, tally->capacity * sizeof(double));
        if (!tally->values || !tally->within_half)
            abort();
    }
    tally->values[tally->count] = row->value;
    tally->within_half[tally->count++] = isnan(row->low) ? 0 : (row->high - row->low) / 2;
    if (!isnan(row->spread)) {
        tally->spread_sum += row->spread;
        tally->spreads++;
    }
    tally->samples += isnan(row->samples) ? 0 : row->samples;
}

// A row whose texts can all be compared and copied: what is not there is an empty cell.
static struct tally_row without_null(struct tally_row row) {
    const char **texts[] = {&row.engine, &row.quantity,  &row.source, &row.event, &row.accel,
                            &row.ring,   &row.privilege, &row.status, &row.detail};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!*texts[i])
            *texts[i] = "";
    return row;
}

void tallies_add(struct tallies *tallies, const struct tally_row *given) {
    const struct tally_row whole = without_null(*given), *row = &whole;
    struct tally *tally = find(tallies, row);
    int status = status_from_name(row->status);
    snprintf(tally->accel, sizeof tally->accel, "%s", row->accel);
    snprintf(tally->ring, sizeof tally->ring, "%s", row->ring);
    snprintf(tally->privilege, sizeof tally->privilege, "%s", row->privilege);
    tally->executions++;
    tally->two_modes += status == STATUS_unstable;
    if (!isnan(row->value))
        add_value(tally, row);
    if (status >= 0 && (enum status)status < tally->worst) {
        tally->worst = (enum status)status;
        snprintf(tally->detail, sizeof tally->detail, "%s", row->detail);
    } else if (!*tally->detail) {
        snprintf(tally->detail, sizeof tally->detail, "%s", row->detail);
    }
}

void tallies_free(struct tallies *tallies) {
    for (size_t i = 0; i < tallies->count; i++) {
        free(tallies->items[i].values);
        free(tallies->items[i].within_half);
    }
    free(tallies->items);
    *tallies = (struct tallies){0};
}

const struct tally *tallies_cycles(const struct tallies *tallies) {
    for (size_t i = 0; i < tallies->count; i++)
        if (!strcmp(tallies->items[i].quantity, "cycles"))
            return &tallies->items[i];
    return NULL;
}

// Put `text` behind what the detail says already.
static void add_detail(struct pooled *pooled, const char *text) {
    size_t used = strlen(pooled->detail);
    if (*text)
        snprintf(pooled->detail + used, sizeof pooled->detail - used, "%s%s", used ? "; " : "",
                 text);
}

// "2 of 5 executions: REASON" where some gave no value; the reason alone where none did.
static void describe_missing(const struct tally *tally, struct pooled *pooled) {
    char text[sizeof tally->detail + 64];
    if (tally->count)
        snprintf(text, sizeof text, "%zu of %zu executions %s: %s",
                 tally->executions - tally->count, tally->executions, status_name(tally->worst),
                 tally->detail);
    add_detail(pooled, tally->count ? text : tally->detail);
}

// Half of the executions must give a value. A panel that disagreed says nothing of the variant but
// that a neighbour was busy then: three executions in which it agreed are enough.
static int enough(const struct tally *tally) {
    if (tally->worst == STATUS_invalid_reference && tally->count >= 3)
        return 1;
    return tally->count && 2 * tally->count >= tally->executions;
}

void tally_pool(const struct tally *tally, double precision, struct pooled *pooled) {
    double modes[2];
    char text[96];
    stopwatch_pool(tally->values, tally->within_half, tally->count, precision, pooled);
    if (!enough(tally)) {
        pooled->status = tally->worst;
        pooled->cycles = (struct interval){NAN, NAN, NAN};
        pooled->detail[0] = '\0';
        describe_missing(tally, pooled);
        return;
    }
    if (tally->two_modes && 3 * tally->two_modes >= tally->executions)
        pooled->status = STATUS_unstable;
    if (tally->two_modes) {
        snprintf(text, sizeof text, "%zu of %zu executions with two modes", tally->two_modes,
                 tally->executions);
        add_detail(pooled, text);
    }
    if (stats_two_modes(tally->values, tally->count, 0.15, 0.02, modes)) {
        pooled->status = STATUS_unstable;
        snprintf(text, sizeof text, "two modes between executions: %.5g and %.5g", modes[0],
                 modes[1]);
        add_detail(pooled, text);
    }
    if (tally->count < tally->executions)
        describe_missing(tally, pooled);
    else
        add_detail(pooled, tally->detail);
}

static enum status pooled_status(const struct tally *cycles, double precision) {
    struct pooled pooled;
    tally_pool(cycles, precision, &pooled);
    return pooled.status;
}

int tallies_lack_panel(const struct tallies *tallies, double precision) {
    const struct tally *cycles = tallies_cycles(tallies);
    return cycles && pooled_status(cycles, precision) == STATUS_invalid_reference;
}

int tallies_too_wide(const struct tallies *tallies, double precision) {
    const struct tally *cycles = tallies_cycles(tallies);
    // Without a value there is hope only where a better moment may come.
    if (!cycles || (!cycles->count && cycles->worst != STATUS_invalid_reference))
        return 0;
    return status_wants_retry(pooled_status(cycles, precision));
}

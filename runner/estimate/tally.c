// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/estimate/tally.h"

#include "common/memory.h"
#include "common/printable.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Beside a neighbour the one-cycle chains lose a little that the width segments do not show: where
// no slice but the accepted was quiet, values of known chains were up to this part off.
#define SHARED_DOUBT 0.001

// Executions that are enough where the others were disturbed.
enum { FEWEST_EXECUTIONS = 3 };

static struct tally *find(struct tallies *tallies, const struct measurements_row *row) {
    for (size_t i = 0; i < tallies->count; i++) {
        struct tally *tally = &tallies->items[i];
        if (!strcmp(tally->engine_keys.engine, row->engine) && tally->quantity == row->quantity &&
            !strcmp(tally->source, row->source) && !strcmp(tally->event, row->event))
            return tally;
    }
    tallies->items = memory_more(tallies->items, tallies->count, sizeof *tallies->items);
    struct tally *tally = &tallies->items[tallies->count++];
    *tally = (struct tally){.quantity = row->quantity, .source = row->source, .worst = STATUS_ok};
    snprintf(tally->event, sizeof tally->event, "%s", row->event);
    return tally;
}

// A value as the file shows it: a run that is resumed, and reads it there, decides alike.
static double shown(double value) {
    char text[32];
    double back;
    return units_scan_number(units_format_value(value, text, sizeof text), &back) ? NAN : back;
}

static void add_value(struct tally *tally, const struct measurements_row *row) {
    tally->values = memory_more(tally->values, tally->count, sizeof *tally->values);
    tally->within_half = memory_more(tally->within_half, tally->count, sizeof *tally->within_half);
    tally->values[tally->count] = shown(row->value);
    tally->within_half[tally->count++] =
        isnan(row->ci_low) ? 0 : (shown(row->ci_high) - shown(row->ci_low)) / 2;
    if (!isnan(row->spread)) {
        tally->spread_sum += shown(row->spread);
        tally->spreads++;
    }
    tally->samples += row->samples > 0 ? row->samples : 0;
    tally->excess_sum += isnan(row->excess) ? 0 : fmax(0, shown(row->excess));
    for (int i = 0; i < REMARK_COUNT; i++)
        tally->remarks[i] += row->remarks >> i & 1;
}

// Which way the cost changed within an execution, and between what.
static void add_change(struct tally *tally, const struct measurements_row *row) {
    double early = shown(row->early), later = shown(row->later);
    if (!tally->not_constant++)
        snprintf(tally->change, sizeof tally->change, "%s", row->detail);
    if (isnan(early) || isnan(later)) // of an older run, or a number that became subnormal
        return;
    bool first = !tally->faster && !tally->slower;
    tally->faster += later < early;
    tally->slower += later >= early;
    tally->least = fmin(first ? INFINITY : tally->least, fmin(early, later));
    tally->most = fmax(first ? 0 : tally->most, fmax(early, later));
}

void tallies_add(struct tallies *tallies, const struct measurements_row *row) {
    struct tally *tally = find(tallies, row);
    tally->engine_keys = row->engine_keys;
    if (row->restores && *row->restores)
        tally->restores = row->restores;
    tally->executions++;
    tally->two_modes += row->status == STATUS_unstable;
    if (row->status == STATUS_not_constant)
        add_change(tally, row);
    if (!isnan(row->quiet)) {
        tally->quiet_sum += shown(row->quiet);
        tally->quiets++;
    }
    if (!isnan(shown(row->value)))
        add_value(tally, row);
    if (row->status < tally->worst || !*tally->detail)
        snprintf(tally->detail, sizeof tally->detail, "%s", row->detail);
    tally->worst = status_worse(tally->worst, row->status);
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
        if (tallies->items[i].quantity == QUANTITY_cycles)
            return &tallies->items[i];
    return NULL;
}

// "2 of 5 executions: REASON" where some gave no value; the reason alone where none did.
static void describe_missing(const struct tally *tally, struct pooled *pooled) {
    if (tally->count)
        printable_add(pooled->detail, sizeof pooled->detail, "%zu of %zu executions %s: %s",
                      tally->executions - tally->count, tally->executions,
                      status_name(tally->worst), tally->detail);
    else
        printable_add(pooled->detail, sizeof pooled->detail, "%s", tally->detail);
}

static bool is_a_moments(enum status status) {
    return status == STATUS_invalid_reference || status == STATUS_contended;
}

// Half of the executions must give a value. That the core was shared, or chains disagreed, says
// nothing of the variant but that a neighbour was busy then: three executions are enough.
static bool enough(const struct tally *tally) {
    if (is_a_moments(tally->worst) && tally->count >= FEWEST_EXECUTIONS)
        return true;
    return tally->count && 2 * tally->count >= tally->executions;
}

// Many events happen seldom or never, where a part of the value is nothing to reach: a part of one
// count an iteration will do. Says whether it does.
static bool settle_rare_event(const struct tally *tally, double precision, struct pooled *pooled) {
    if (tally->quantity != QUANTITY_event ||
        !(pooled->cycles.high - pooled->cycles.value <= precision))
        return false;
    pooled->status = STATUS_ok;
    pooled->detail[0] = '\0';
    return true;
}

unsigned tally_remarks(const struct tally *tally) {
    unsigned set = 0;
    if (tally->remarks[REMARK_width_only])
        set |= 1U << REMARK_width_only;
    if (tally->remarks[REMARK_near_only])
        set |= 1U << REMARK_near_only;
    return set;
}

double tally_quiet(const struct tally *tally) {
    return tally->quiets ? tally->quiet_sum / (double)tally->quiets : NAN;
}

static void pool_values(const struct tally *tally, double precision, struct pooled *pooled) {
    double modes[2], excess = tally->count ? tally->excess_sum / (double)tally->count : 0;
    if (tally->quiets)
        excess += SHARED_DOUBT * (1 - tally_quiet(tally));
    stopwatch_pool(tally->values, tally->within_half, tally->count, excess, precision, pooled);
    if (!settle_rare_event(tally, precision, pooled) &&
        stats_two_modes(tally->values, tally->count, 0.15, 0.02, modes)) {
        pooled->status = STATUS_unstable;
        printable_add(pooled->detail, sizeof pooled->detail,
                      "two modes between executions: %.5g and %.5g", modes[0], modes[1]);
    }
}

// Followed executions contradict each other, and a neighbour cannot be the reason.
static bool has_two_speeds(const struct tally *tally) {
    size_t constant = tally->count - tally->remarks[REMARK_not_followed];
    return tally->faster && (tally->slower || constant);
}

static void pool_two_speeds(const struct tally *tally, struct pooled *pooled) {
    struct interval *cycles = &pooled->cycles;
    if (!tally->count)
        *cycles = (struct interval){(tally->least + tally->most) / 2, tally->least, tally->most};
    cycles->low = fmin(cycles->low, tally->least);
    cycles->high = fmax(cycles->high, tally->most);
    pooled->status = STATUS_unstable;
    pooled->detail[0] = '\0';
    printable_add(pooled->detail, sizeof pooled->detail,
                  "two speeds, %.4g and %.4g cycles: in %zu of %zu executions later iterations "
                  "were faster, in %zu slower, in %zu neither",
                  tally->least, tally->most, tally->faster, tally->executions, tally->slower,
                  tally->count - tally->remarks[REMARK_not_followed]);
}

void tally_pool(const struct tally *tally, double precision, struct pooled *pooled) {
    pool_values(tally, precision, pooled);
    // Seen to change in a third of the executions that were followed, it is no constant. One alone
    // of several settles nothing: a neighbour may have come within its checks.
    size_t followed = tally->not_constant + tally->count - tally->remarks[REMARK_not_followed];
    bool seen = tally->not_constant && 3 * tally->not_constant >= followed;
    bool once = seen && tally->not_constant == 1 && tally->executions >= FEWEST_EXECUTIONS;
    bool changes = seen && !once;
    if (changes && has_two_speeds(tally)) {
        pool_two_speeds(tally, pooled);
        return;
    }
    // What no execution could follow may cost something else further on. Two modes cannot be
    // followed; they are unstable, with both named.
    bool modes = tally->two_modes && 3 * tally->two_modes >= tally->executions;
    bool untested = tally->count && tally->remarks[REMARK_not_followed] == tally->count && !modes;
    if (!enough(tally) || seen || untested) {
        pooled->status = changes                   ? STATUS_not_constant
                         : !enough(tally) && !once ? tally->worst
                                                   : STATUS_contended;
        pooled->cycles = (struct interval){NAN, NAN, NAN};
        pooled->detail[0] = '\0';
        if (seen)
            printable_add(pooled->detail, sizeof pooled->detail, "%s%s",
                          once ? "in one execution that was followed: " : "", tally->change);
        else if (enough(tally))
            printable_add(pooled->detail, sizeof pooled->detail, "%s",
                          remark_meaning(REMARK_not_followed));
        else
            describe_missing(tally, pooled);
        return;
    }
    if (modes)
        pooled->status = STATUS_unstable;
    if (tally->two_modes)
        printable_add(pooled->detail, sizeof pooled->detail, "%zu of %zu executions with two modes",
                      tally->two_modes, tally->executions);
    if (tally->count < tally->executions)
        describe_missing(tally, pooled);
    else
        printable_add(pooled->detail, sizeof pooled->detail, "%s", tally->detail);
    for (int i = 0; i < REMARK_COUNT; i++)
        if (tally_remarks(tally) >> i & 1)
            printable_add(pooled->detail, sizeof pooled->detail, "provisional: %s",
                          remark_meaning((enum remark)i));
}

static enum status pooled_status(const struct tally *cycles, double precision) {
    struct pooled pooled;
    tally_pool(cycles, precision, &pooled);
    return pooled.status;
}

int tallies_lack_quiet(const struct tallies *tallies, double precision) {
    const struct tally *cycles = tallies_cycles(tallies);
    return cycles && is_a_moments(pooled_status(cycles, precision));
}

int tallies_too_wide(const struct tallies *tallies, double precision) {
    const struct tally *cycles = tallies_cycles(tallies);
    // Without a value there is hope only where a better moment may come.
    if (!cycles || (!cycles->count && !is_a_moments(cycles->worst)))
        return 0;
    return status_wants_retry(pooled_status(cycles, precision));
}

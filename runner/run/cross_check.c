// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/run/cross_check.h"

#include "common/margin.h"

#include <math.h>
#include <string.h>

static const char cross_check_engine[] = "hyperfine";

int cross_check_find(struct measurement *run, struct error *error) {
    char why[320], engine[48];
    struct engine_probe probe;
    run->calibrator = plan_calibrator(run->plan, &run->calibrator_cycles, why, sizeof why);
    if (!run->settings->cross_check && !run->engine->needs_unit)
        return 0;
    snprintf(engine, sizeof engine, "--engine %s", run->engine->name);
    const char *what = run->settings->cross_check ? "--cross-check" : engine;
    if (!run->calibrator)
        return error_set(error, ERROR_INPUT, run->plan->directory, 0, "%s has no unit: %s", what,
                         why);
    if (!run->settings->cross_check)
        return 0;
    run->cross_check = engine_find(cross_check_engine);
    if (!run->cross_check)
        return error_set(
            error, ERROR_MISSING, NULL, 0,
            "--cross-check: this static runner has no hyperfine engine; use ./asmsweep run");
    run->cross_check->probe(&(struct engine_settings){.cpu = -1}, &probe);
    return probe.usable ? 0
                        : error_set(error, ERROR_MISSING, NULL, 0,
                                    "--cross-check: %s; run ./asmsweep setup, or leave it out",
                                    probe.reason);
}

static const struct tally *find_cycles(const struct tallies *tallies, int of_cross_check) {
    for (size_t i = 0; i < tallies->count; i++)
        if (tallies->items[i].quantity == QUANTITY_cycles &&
            (strcmp(tallies->items[i].engine_keys.engine, cross_check_engine) == 0) ==
                of_cross_check)
            return &tallies->items[i];
    return NULL;
}

enum cross_check_verdict cross_check_judge(const struct tallies *tallies, double precision,
                                           double cycles[2], double *seen) {
    const struct tally *tally[2] = {find_cycles(tallies, 0), find_cycles(tallies, 1)};
    struct pooled pooled[2];
    *seen = cycles[0] = cycles[1] = NAN;
    for (int i = 0; i < 2 && tally[i]; i++) {
        tally_pool(tally[i], precision, &pooled[i]);
        cycles[i] = pooled[i].cycles.value;
    }
    if (isnan(cycles[0]) || isnan(cycles[1]))
        return CROSS_CHECK_absent;
    // Of one execution of the cross-check its own interval is all that is known, of several how
    // much they differ. It is a ratio: upwards it is wider, and without end where its part is 1.
    double half = isnan(pooled[0].cycles.low) ? 0 : cycles[0] - pooled[0].cycles.low;
    double margin = margin_of(cycles[0]);
    *seen = (tally[1]->count > 1 ? cycles[1] - pooled[1].cycles.low : tally[1]->within_half[0]) /
            cycles[1];
    double low = cycles[1] * (1 - *seen), high = *seen < 1 ? cycles[1] / (1 - *seen) : INFINITY;
    if (low - (cycles[0] + half) > margin || cycles[0] - half - high > margin)
        return CROSS_CHECK_disagrees;
    int too_wide = *seen * cycles[0] > margin || fabs(cycles[1] - cycles[0]) > margin;
    return too_wide ? CROSS_CHECK_blind : CROSS_CHECK_agrees;
}

void cross_check_report(const struct measurement *run, FILE *stream) {
    char names[600] = "";
    size_t count[CROSS_CHECK_absent + 1] = {0}, used = 0;
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < run->core_count * run->plan->count; i++) {
        double cycles[2], seen;
        enum cross_check_verdict verdict =
            cross_check_judge(&run->tallies[i], run->settings->precision, cycles, &seen);
        count[verdict]++;
        if (verdict == CROSS_CHECK_blind) {
            least = fmin(least, seen);
            most = fmax(most, seen);
        }
        if (verdict == CROSS_CHECK_disagrees && used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s: %.4g and %.4g",
                                     used ? ", " : " (", run->plan->rows[i % run->plan->count].name,
                                     cycles[0], cycles[1]);
    }
    fprintf(stream,
            "cross-check: %zu agree within %.0f %% or %g cycle, %zu disagree%s%s, %zu could not be "
            "told",
            count[CROSS_CHECK_agrees], 100 * margin_part, margin_cycles,
            count[CROSS_CHECK_disagrees], names, used ? ")" : "", count[CROSS_CHECK_blind]);
    if (count[CROSS_CHECK_blind])
        fprintf(stream, " (the smallest difference it could have seen: %.2g %% to %.2g %%)",
                100 * least, 100 * most);
    fprintf(stream, count[CROSS_CHECK_absent] ? ", %zu have no value to compare\n" : "\n",
            count[CROSS_CHECK_absent]);
}

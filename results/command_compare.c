// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/options.h"
#include "results/commands.h"
#include "results/compare.h"
#include "results/runs.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name, *meaning;
} verdicts[] = {
#define VERDICT(name, meaning) {#name, meaning},
    COMPARE_VERDICTS(VERDICT)
#undef VERDICT
};

// Keys of the two runs that differ: a change may be theirs.
static void print_keys(const struct loops *base, const struct loops *now) {
    const struct machine_keys a = base->loop[0].row->machine_keys;
    const struct machine_keys b = now->loop[0].row->machine_keys;
#define DIFFERS(file, name, type, unit)                                                            \
    if (strcmp(#name, "core_type") != 0 && strcmp(a.name, b.name) != 0)                            \
        printf("differs: %s: %s, now %s\n", #name, a.name[0] ? a.name : "none",                    \
               b.name[0] ? b.name : "none");
    KEYS_machine_keys(machine, DIFFERS)
#undef DIFFERS
}

static void print_change(const struct change *change) {
    const struct loop *loop = change->now != NULL ? change->now : change->base;
    printf("  %s (%s, CPL%lld)", loop->row->variant, loop->row->engine, loop->row->ring);
    if (!isnan(change->part))
        printf(": %.2f to %.2f cycles, %+.2f %% [%+.2f, %+.2f], p %.2g", change->base->cycles,
               change->now->cycles, 100 * change->part, 100 * change->part_low,
               100 * change->part_high, change->p_holm);
    else if (change->verdict == VERDICT_lost)
        printf(": %.2f cycles, now %s: %s", change->base->cycles,
               status_name(change->now->row->status), change->now->row->detail);
    else if (change->verdict == VERDICT_gained)
        printf(": %s, now %.2f cycles", status_name(change->base->row->status),
               change->now->cycles);
    putchar('\n');
}

// Verdicts below this are counted but not listed one by one.
#define LISTED VERDICT_small

static void print_comparison(const struct comparison *comparison) {
    for (int verdict = 0; verdict < VERDICT_COUNT; verdict++) {
        size_t count = 0;
        for (size_t i = 0; i < comparison->count; i++)
            count += (int)comparison->change[i].verdict == verdict;
        if (count == 0)
            continue;
        printf("%s: %zu (%s)\n", verdicts[verdict].name, count, verdicts[verdict].meaning);
        for (size_t i = 0; i < comparison->count && verdict <= LISTED; i++)
            if ((int)comparison->change[i].verdict == verdict)
                print_change(&comparison->change[i]);
    }
    printf("method: %s; smallest change reported %.2f %%; %zu loops compared\n", COMPARE_METHOD,
           100 * comparison->minimum, comparison->compared);
}

// The loops of a run that has some.
static int read_loops(const char *directory, struct loops *loops, struct error *error) {
    if (loops_read(directory, loops, error) != 0)
        return -1;
    if (loops->count > 0)
        return 0;
    return error_set(error, ERROR_MISSING, PATH("%s/summary.csv", directory), 0,
                     "has no cycles to compare; %s", run_remedy(directory).text);
}

static int compare_runs(const struct loops *base, const struct loops *now, double minimum,
                        struct error *error) {
    struct comparison comparison;
    compare_loops(base, now, minimum, &comparison);
    print_keys(base, now);
    print_comparison(&comparison);
    size_t changes = comparison_changes(&comparison), compared = comparison.compared;
    comparison_free(&comparison);
    if (changes > 0)
        return error_set(error, ERROR_CHANGED, NULL, 0, "%zu of the loops changed", changes);
    if (compared == 0)
        return error_set(error, ERROR_MISSING, NULL, 0,
                         "no loop stands in both runs with the same bytes and a value");
    return 0;
}

int command_compare(int argc, char **argv, struct error *error) {
    struct loops base = {0}, now = {0};
    const char *directory[2];
    double minimum = COMPARE_MINIMUM;
    const struct option_row rows[] = {
        {"minimum", 0, OPTION_PART, &minimum, "PART", 0, 0,
         "the smallest change to report, e.g. 2% (default 1%, or the noise floor)"},
    };
    const struct option_list list = {"asmsweep", "compare BASE NEW [--minimum PART]",
                                     "what changed; exit 4 if something did", rows, 1};
    int failed = options_parse(&list, argc, argv, directory, 2, 2, error) ||
                 read_loops(directory[0], &base, error) || read_loops(directory[1], &now, error) ||
                 compare_runs(&base, &now, minimum, error);
    loops_free(&base);
    loops_free(&now);
    return failed ? -1 : 0;
}

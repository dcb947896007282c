// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/disk.h"
#include "common/options.h"
#include "common/replace.h"
#include "common/table.h"
#include "results/commands.h"
#include "results/published.h"
#include "results/runs.h"
#include "results/solve.h"
#include "results/whole.h"

#include <math.h>

static int write_notes(const char *directory, const struct loops *loops, struct error *error) {
    const struct noise_floor noise = solve_noise(loops);
    struct overhead overhead = {OVERHEAD_ASSUMED, false, ""};
    struct replacement file;
    char unfinished[RUN_UNFINISHED];
    run_unfinished(directory, unfinished);
    if (loops->count > 0)
        overhead = overhead_of(loops, &loops->loop[0]);
    if (replace_begin(PATH("%s/notes.csv", directory), &file, error) != 0)
        return -1;
    table_write_pair(file.stream, "key", "value");
    table_write_number(file.stream, "noise_pairs", (double)noise.pairs);
    table_write_number(file.stream, "noise_largest_percent", 100 * noise.largest);
    table_write_number(file.stream, "noise_rms_percent", 100 * noise.rms);
    table_write_number(file.stream, "overhead_high_cycles", overhead.high);
    table_write_pair(file.stream, "overhead_source",
                     overhead.measured ? overhead.variant : "assumed");
    table_write_pair(file.stream, "unfinished", unfinished);
    return replace_end(&file, 0, error);
}

// Set the published figures beside the costs that they speak of.
static int match_all(struct costs *costs, const struct published *published, const char *directory,
                     struct error *error) {
    struct rows proof;
    int failed = whole_read(directory, FILE_proof, true, &proof, error);
    for (size_t i = 0; i < costs->count && failed == 0; i++)
        published_match(published, &proof, costs, &costs->row[i]);
    rows_free(&proof);
    return failed;
}

static int solve_run(const struct loops *loops, const struct published *published,
                     const char *directory, struct error *error) {
    struct costs costs = {0};
    struct rows differences; // a run from before there were any, or that asks for none, has none
    const struct path path = path_make("%s/costs.csv", directory);
    size_t valued = 0;
    int failed = whole_read(directory, FILE_differences, true, &differences, error);
    if (!failed)
        solve_all(loops, &differences, &costs);
    if (!failed && published != NULL)
        failed = match_all(&costs, published, directory, error);
    for (size_t i = 0; i < costs.count; i++)
        valued += !isnan(costs.row[i].cycles);
    failed = failed || costs_write(&costs, path.text, error) != 0;
    if (!failed)
        printf("%s: %zu rows, %zu with a value\n", path.text, costs.count, valued);
    failed = failed || write_notes(directory, loops, error) != 0;
    costs_free(&costs);
    rows_free(&differences);
    return failed ? -1 : 0;
}

int command_solve(int argc, char **argv, struct error *error) {
    struct loops loops = {0};
    struct published published = {0};
    const char *directory, *folder = NULL;
    const struct option_row rows[] = {
        {"published", 0, OPTION_TEXT, &folder, "FOLDER", 0, 0,
         "published figures to set beside (results/published)"},
    };
    const struct option_list list = {"asmsweep-results", "solve DIR [--published FOLDER]",
                                     "costs of a run: summary.csv to costs.csv", rows, 1};
    int failed = options_parse(&list, argc, argv, &directory, 1, 1, error) ||
                 loops_read(directory, &loops, error) ||
                 (folder != NULL && published_read(folder, &published, error) != 0) ||
                 solve_run(&loops, folder != NULL ? &published : NULL, directory, error);
    published_free(&published);
    loops_free(&loops);
    return failed ? -1 : 0;
}

int command_published(int argc, char **argv, struct error *error) {
    struct published published = {0};
    const char *directory;
    const struct option_list list = {"asmsweep-results", "published FOLDER",
                                     "the published figures of a folder as costs.csv", NULL, 0};
    if (options_parse(&list, argc, argv, &directory, 1, 1, error) != 0)
        return -1;
    const struct path path = path_make("%s/costs.csv", directory);
    int failed = published_read(directory, &published, error) ||
                 costs_write(&published.costs, path.text, error);
    if (!failed)
        printf("%s: %zu rows\n", path.text, published.costs.count);
    published_free(&published);
    return failed ? -1 : 0;
}

int command_ended(int argc, char **argv, struct error *error) {
    const char *directory;
    const struct option_list list = {"asmsweep-results", "ended DIR",
                                     "did a run come to its own end?", NULL, 0};
    if (options_parse(&list, argc, argv, &directory, 1, 1, error) != 0)
        return -1;
    return run_ended(directory)
               ? 0
               : error_set(error, ERROR_INCOMPLETE, directory, 0, "did not come to its own end");
}

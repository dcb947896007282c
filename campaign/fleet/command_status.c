// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-fleet status, again and collect: where each generation is, another try for those
// missing, and the table over those that count.
#include "campaign/fleet/command.h"

#include "campaign/fleet/claims.h"
#include "campaign/fleet/tool.h"
#include "campaign/fleet/view.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/replace.h"

#include <stdlib.h>
#include <string.h>

struct place {
    const char *format, *root;
    int no_table;
    struct fleet fleet;
    struct view view;
};

// The options all three have, then those of collect alone.
static int read_place(int argc, char **argv, const char *usage, const char *about, int collect,
                      struct place *place, struct error *error) {
    const char *directory = NULL, *store = FLEET_STORE;
    const struct option_row rows[] = {
        {"store", 0, OPTION_TEXT, &store, "DIR", 0, 0,
         "without a DIR: the newest fleet in here (default " FLEET_STORE ")"},
        {"format", 0, OPTION_TEXT, &place->format, "NAME", 0, 0,
         "of the table (default text), as ./asmsweep table has them"},
        {"no-table", 0, OPTION_FLAG, &place->no_table, NULL, 0, 0,
         "print the runs' folders instead, one a line"},
        {"root", 0, OPTION_TEXT, &place->root, "DIR", 0, 0, "the project (default: built in)"},
    };
    const struct option_list list = {"asmsweep-fleet", usage, about, rows,
                                     collect ? sizeof rows / sizeof *rows : 1};
    *place = (struct place){.format = "text", .root = ASMSWEEP_ROOT};
    return options_parse(&list, argc, argv, &directory, 0, 1, error) ||
                   fleet_read(directory, store, &place->fleet, error) ||
                   view_make(&place->fleet, &place->view, error)
               ? -1
               : 0;
}

static int leave(struct place *place, int status) {
    view_free(&place->view);
    fleet_free(&place->fleet);
    return status;
}

int command_status(int argc, char **argv, struct error *error) {
    struct place place;
    int status = read_place(argc, argv, "status [DIR]",
                            "Where each generation is. Exit status 1 while something is missing.",
                            0, &place, error);
    if (!status) {
        view_print(&place.fleet, &place.view, stdout);
        status = view_missing(&place.view) ? ERROR_INCOMPLETE : 0;
    }
    return leave(&place, status);
}

// Those without values for which nothing is on its way.
static int submit_missing(struct fleet *fleet, const struct view *view, struct error *error) {
    size_t submitted = 0, refused = 0;
    if (!view->slurm_answers)
        return error_set(error, ERROR_MISSING, "squeue", 0,
                         "does not answer: what is on its way would be submitted twice");
    for (size_t i = 0; i < view->count; i++) {
        const struct generation *one = &view->generations[i];
        if (!stages[one->stage].missing || one->stage == STAGE_waiting ||
            one->stage == STAGE_running)
            continue;
        int failed = fleet_submit(fleet, one->name, one->claim, error);
        fprintf(stderr, "%s: %s%s\n", one->name, failed ? "not submitted: " : "submitted again",
                failed ? error->text : "");
        submitted += !failed;
        refused += !!failed;
    }
    if (!submitted && !refused)
        fprintf(stderr, "nothing to submit: every generation has values or is on its way\n");
    return refused ? ERROR_INCOMPLETE : 0;
}

int command_again(int argc, char **argv, struct error *error) {
    struct place place;
    int status =
        read_place(argc, argv, "again [DIR]",
                   "Submits once more what has no values and is not on its way.", 0, &place, error);
    return leave(&place, status ? status : submit_missing(&place.fleet, &place.view, error));
}

// collected.csv: one row a generation, those that are missing included, with empty fields.
static int write_collected(const struct fleet *fleet, const struct view *view,
                           struct error *error) {
    struct replacement file;
    const char *cells[3 + attempt_fields.count];
    if (replace_begin(PATH("%s/collected.csv", fleet->directory), &file, error))
        return -1;
    memcpy(cells, (const char *[]){"stage", "stage_detail", "run"}, 3 * sizeof *cells);
    for (size_t i = 0; i < attempt_fields.count; i++)
        cells[3 + i] = attempt_fields.list[i].name;
    table_write_row(file.stream, cells, 3 + attempt_fields.count);
    for (size_t i = 0; i < view->count; i++) {
        const struct generation *one = &view->generations[i];
        const struct attempt *chosen = generation_chosen(one);
        struct attempt row = chosen ? *chosen : (struct attempt){0};
        const int has_run = !stages[one->stage].missing;
        const struct path run = path_make("%s%s", has_run ? row.path : "", has_run ? "/run" : "");
        snprintf(row.generation, sizeof row.generation, "%s", one->name);
        snprintf(row.claim, sizeof row.claim, "%s", one->claim);
        memcpy(cells, (const char *[]){stages[one->stage].name, one->detail, run.text},
               3 * sizeof *cells);
        for (size_t field = 0; field < attempt_fields.count; field++)
            cells[3 + field] = field_text(&attempt_fields.list[field], &row);
        table_write_row(file.stream, cells, 3 + attempt_fields.count);
    }
    return replace_end(&file, 0, error);
}

// One table of all: a column a generation, under the name it was asked by.
static int print_table(const struct place *place, const struct words *runs, const char *labels,
                       struct error *error) {
    const struct path front = path_make("%s/asmsweep", place->root);
    struct words words = {0};
    struct process_result result;
    setenv("ASMSWEEP_PROGRAMS", tool_beside("..").text, 1);
    words_list(&words, (const char *const[]){front.text, "table", "--labels", labels, "--format",
                                             place->format, "--", NULL});
    words_list(&words, runs->argv);
    int failed = tool_run(words.argv, &result, error);
    if (!failed)
        fwrite(result.output, 1, result.output_length, stdout);
    process_free(&result);
    words_free(&words);
    return failed;
}

static int take_runs(const struct place *place, struct error *error) {
    struct words runs = {0};
    char *labels;
    size_t length;
    FILE *stream = text_open(&labels, &length);
    for (size_t i = 0; i < place->view.count; i++) {
        const struct generation *one = &place->view.generations[i];
        const struct attempt *chosen = generation_chosen(one);
        if (stages[one->stage].missing)
            continue;
        int unchecked = strcmp(chosen->claim_check, claims[CLAIM_confirmed].name);
        fprintf(stream, "%s%s%s", runs.count ? "," : "", one->name,
                unchecked ? " (unchecked)" : "");
        words_add(&runs, text_make("%s/run", chosen->path));
        if (place->no_table)
            puts(runs.argv[runs.count - 1]);
    }
    text_close(stream);
    int failed = !place->no_table && runs.count ? print_table(place, &runs, labels, error) : 0;
    words_free(&runs);
    free(labels);
    return failed;
}

int command_collect(int argc, char **argv, struct error *error) {
    struct place place;
    int status = read_place(argc, argv, "collect [DIR] [options]",
                            "Takes what came back, lists what is missing on stderr, prints the "
                            "table. Exit status 1 while something is missing.",
                            1, &place, error);
    status = status || write_collected(&place.fleet, &place.view, error) ? -1 : 0;
    if (!status) {
        view_print(&place.fleet, &place.view, stderr);
        status = take_runs(&place, error);
    }
    if (!status)
        status = view_missing(&place.view) ? ERROR_INCOMPLETE : 0;
    return leave(&place, status);
}

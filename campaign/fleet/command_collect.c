// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-fleet collect: the attempts that count, what is missing, and the table over them.
#include "campaign/fleet/command.h"

#include "campaign/fleet/claims.h"
#include "campaign/fleet/files.h"
#include "campaign/fleet/fleet.h"
#include "campaign/fleet/view.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/replace.h"
#include "common/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
    const char *directory, *store, *format, *root;
    int no_table;
};

static int parse(int argc, char **argv, struct request *request, struct error *error) {
    const struct option_row rows[] = {
        {"store", 0, OPTION_TEXT, &request->store, "DIR", 0, 0,
         "without a DIR: the newest fleet in here (default " FLEET_STORE ")"},
        {"format", 0, OPTION_TEXT, &request->format, "NAME", 0, 0,
         "of the table: text (default), markdown, latex, html, csv"},
        {"no-table", 0, OPTION_FLAG, &request->no_table, NULL, 0, 0,
         "print the runs' folders instead, one a line"},
        {"root", 0, OPTION_TEXT, &request->root, "DIR", 0, 0, "the project (default: built in)"},
    };
    const struct option_list list = {"asmsweep-fleet", "collect [DIR] [options]",
                                     "Takes what came back, lists what is missing on stderr, "
                                     "prints the table. Exit status 1 while "
                                     "something is missing.",
                                     rows, sizeof rows / sizeof *rows};
    *request = (struct request){.store = FLEET_STORE, .format = "text", .root = ASMSWEEP_ROOT};
    return options_parse(&list, argc, argv, &request->directory, 0, 1, error);
}

static int has_run(const struct generation *generation) {
    return !stage_missing(generation->stage);
}

static const struct attempt *chosen(const struct generation *generation) {
    return &generation->attempts[generation->chosen];
}

// collected.csv: one row a generation, those that are missing included, with empty fields.
static int write_collected(const struct fleet *fleet, const struct view *view,
                           struct error *error) {
    enum { COLUMNS = ATTEMPT_FIELDS + 3 };
    const char *fields[COLUMNS] = {"stage", "stage_detail", "run"};
    char *text, *path = text_make("%s/collected.csv", fleet->directory);
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        abort();
    for (size_t i = 0; i < ATTEMPT_FIELDS; i++)
        fields[3 + i] = attempt_field_names[i];
    table_write_row(stream, fields, COLUMNS);
    for (size_t i = 0; i < view->count; i++) {
        const struct generation *one = &view->generations[i];
        char *run = has_run(one) ? text_make("%s/run", chosen(one)->path) : NULL;
        fields[0] = stage_name(one->stage);
        fields[1] = one->detail;
        fields[2] = run;
        for (size_t field = 0; field < ATTEMPT_FIELDS; field++)
            fields[3 + field] = one->chosen < 0 ? NULL : attempt_field(chosen(one), field);
        fields[3 + ATTEMPT_generation] = one->name;
        fields[3 + ATTEMPT_claim] = one->claim;
        table_write_row(stream, fields, COLUMNS);
        free(run);
    }
    fclose(stream);
    int failed = replace_text(path, text, length, error);
    free(text);
    free(path);
    return failed;
}

static int solve(const char *run, const char *root, struct error *error) {
    char *program = files_beside("asmsweep-results");
    char *published = text_make("%s/results/published", root);
    const char *const argv[] = {program, "solve", run, "--published", published, NULL};
    struct process_result result;
    int failed = tool_run(argv, 0, &result, error);
    process_free(&result);
    free(program);
    free(published);
    return failed;
}

// Solve each run, then one table of all: a column a generation, under the name it was asked by.
static int print_table(const struct request *request, char *const *runs, size_t count,
                       const char *labels, struct error *error) {
    char *program = text_make("%s/results/tables/main.py", request->root);
    const char **argv = calloc(count + 10, sizeof *argv);
    struct process_result result = {0};
    size_t used = 0;
    int failed = 0;
    if (!argv)
        abort();
    argv[used++] = "/usr/bin/python3";
    argv[used++] = "-B";
    argv[used++] = program;
    argv[used++] = "--labels";
    argv[used++] = labels;
    argv[used++] = "--format";
    argv[used++] = request->format;
    argv[used++] = "--";
    for (size_t i = 0; !failed && i < count; i++) {
        failed = solve(runs[i], request->root, error);
        argv[used++] = runs[i];
    }
    failed = failed || tool_run(argv, 0, &result, error);
    if (!failed)
        fwrite(result.output, 1, result.output_length, stdout);
    process_free(&result);
    free(argv);
    free(program);
    return failed ? -1 : 0;
}

static int take_runs(const struct request *request, const struct view *view, struct error *error) {
    char **runs = calloc(view->count + 1, sizeof *runs), *labels = text_make("%s", "");
    size_t count = 0;
    if (!runs)
        abort();
    for (size_t i = 0; i < view->count; i++) {
        const struct generation *one = &view->generations[i];
        if (!has_run(one))
            continue;
        int unchecked = strcmp(chosen(one)->claim_check, claim_name(CLAIM_confirmed));
        char *longer = text_make("%s%s%s%s", labels, *labels ? "," : "", one->name,
                                 unchecked ? " (unchecked)" : "");
        free(labels);
        labels = longer;
        runs[count++] = text_make("%s/run", chosen(one)->path);
    }
    int failed = 0;
    if (request->no_table)
        for (size_t i = 0; i < count; i++)
            puts(runs[i]);
    else if (count)
        failed = print_table(request, runs, count, labels, error);
    for (size_t i = 0; i < count; i++)
        free(runs[i]);
    free(runs);
    free(labels);
    return failed;
}

int command_collect(int argc, char **argv, struct error *error) {
    struct request request;
    struct fleet fleet = {0};
    struct view view = {0};
    int status = parse(argc, argv, &request, error);
    if (!status)
        status = fleet_read(request.directory, request.store, &fleet, error) ||
                 view_make(&fleet, &view, error) || write_collected(&fleet, &view, error);
    if (!status) {
        view_print(&fleet, &view, stderr);
        status = take_runs(&request, &view, error);
    }
    if (!status)
        status = view_missing(&view) ? ERROR_INCOMPLETE : 0;
    else
        status = -1;
    view_free(&view);
    fleet_free(&fleet);
    return status;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-fleet status and again: where each generation is, and another try for those missing.
#include "campaign/fleet/command.h"

#include "campaign/fleet/fleet.h"
#include "campaign/fleet/view.h"
#include "common/options.h"

#include <stdio.h>

static int read_place(int argc, char **argv, const char *usage, const char *about,
                      struct fleet *fleet, struct error *error) {
    const char *directory = NULL, *store = FLEET_STORE;
    const struct option_row rows[] = {
        {"store", 0, OPTION_TEXT, &store, "DIR", 0, 0,
         "without a DIR: the newest fleet in here (default " FLEET_STORE ")"},
    };
    const struct option_list list = {"asmsweep-fleet", usage, about, rows,
                                     sizeof rows / sizeof *rows};
    return options_parse(&list, argc, argv, &directory, 0, 1, error) ||
                   fleet_read(directory, store, fleet, error)
               ? -1
               : 0;
}

int command_status(int argc, char **argv, struct error *error) {
    struct fleet fleet = {0};
    struct view view = {0};
    int status = read_place(argc, argv, "status [DIR]",
                            "Where each generation is. Exit status 1 while something is missing.",
                            &fleet, error);
    if (!status)
        status = view_make(&fleet, &view, error);
    if (!status) {
        view_print(&fleet, &view, stdout);
        status = view_missing(&view) ? ERROR_INCOMPLETE : 0;
    }
    view_free(&view);
    fleet_free(&fleet);
    return status;
}

// Those without values for which nothing is on its way.
static int submit_missing(struct fleet *fleet, const struct view *view, struct error *error) {
    size_t submitted = 0, refused = 0;
    if (!view->slurm_answers)
        return error_set(error, ERROR_MISSING, "squeue", 0,
                         "does not answer: what is on its way would be submitted twice");
    for (size_t i = 0; i < view->count; i++) {
        const struct generation *one = &view->generations[i];
        if (!stage_missing(one->stage) || one->stage == STAGE_waiting ||
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
    struct fleet fleet = {0};
    struct view view = {0};
    int status =
        read_place(argc, argv, "again [DIR]",
                   "Submits once more what has no values and is not on its way.", &fleet, error);
    if (!status)
        status = view_make(&fleet, &view, error);
    if (!status)
        status = submit_missing(&fleet, &view, error);
    view_free(&view);
    fleet_free(&fleet);
    return status;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-fleet submit: a build directory to a fleet's folder and one job a generation.
#include "campaign/fleet/command.h"

#include "campaign/fleet/pack.h"
#include "campaign/fleet/slurm.h"
#include "common/options.h"
#include "common/table.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct request {
    const char *build, *out, *store, *config;
};

static int parse(int argc, char **argv, struct request *request, struct fleet_settings *settings,
                 struct error *error) {
#define SETTING(name, argument, otherwise, text) const char *name = "";
#include "campaign/fleet/settings.def"
#undef SETTING
    const struct option_row rows[] = {
        {"out", 'o', OPTION_TEXT, &request->out, "DIR", 0, 0, "the fleet's folder"},
        {"store", 0, OPTION_TEXT, &request->store, "DIR", 0, 0,
         "without -o: DIR/UTC-TIME-SWEEP (default " FLEET_STORE ")"},
        {"config", 'c', OPTION_TEXT, &request->config, "FILE", 0, 0,
         "the settings below as NAME = \"VALUE\", one a line"},
#define SETTING(name, argument, otherwise, text)                                                   \
    {#name, 0, OPTION_TEXT, &name, argument, 0, 0, text},
#include "campaign/fleet/settings.def"
#undef SETTING
    };
    const struct option_list list = {"asmsweep-fleet", "submit BUILD-DIR [options]",
                                     "One job a generation of CPU that sinfo names, each with the "
                                     "same built variants.",
                                     rows, sizeof rows / sizeof *rows};
    if (options_parse(&list, argc, argv, &request->build, 1, 1, error))
        return -1;
#define SETTING(name, argument, otherwise, text)                                                   \
    if (snprintf(settings->name, SETTING_SIZE, "%s", name) >= SETTING_SIZE)                        \
        return error_set(error, ERROR_INPUT, NULL, 0, "--" #name " is too long");
#include "campaign/fleet/settings.def"
#undef SETTING
    return 0;
}

static int read_config(const char *path, struct fleet_settings *settings, struct error *error) {
    char *text = path ? disk_read(path, NULL, error) : NULL;
    int failed = path && (!text || fleet_settings_parse(path, text, settings, error));
    free(text);
    return failed || fleet_settings_complete(settings, error) ? -1 : 0;
}

static int read_sweep(const char *build, struct fleet *fleet, struct error *error) {
    static const char *const columns[] = {"sweep", "variant", NULL};
    struct table table;
    const struct path path = path_make("%s/variants.csv", build);
    int failed = table_read(path.text, columns, &table, error);
    if (!failed && !table.rows)
        failed =
            error_set(error, ERROR_INPUT, path.text, 0, "holds no variants; build the sweep again");
    if (!failed)
        snprintf(fleet->sweep, sizeof fleet->sweep, "%s", table_cell(&table, 0, "sweep"));
    table_free(&table);
    return failed;
}

static int make_folder(const char *out, const char *store, struct fleet *fleet,
                       struct error *error) {
    static const char *const folders[] = {"pack", "logs", "results"};
    const struct path folder =
        out ? path_make("%s", out) : path_make("%s/%s-%s", store, fleet->id, fleet->sweep);
    if (!access(PATH("%s/fleet.csv", folder.text), F_OK))
        return error_set(error, ERROR_INPUT, folder.text, 0,
                         "holds a fleet already; ./asmsweep fleet again %s submits what is "
                         "missing, another -o begins anew",
                         folder.text);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (disk_make_folders(PATH("%s/%s", folder.text, folders[i]), error))
            return -1;
    if (!realpath(folder.text, fleet->directory))
        return error_errno(error, ERROR_INPUT, folder.text, "cannot be found again");
    return 0;
}

// The pack, and for nodes that do not see it a tar of it.
static int make_pack(const char *build, struct fleet *fleet, struct error *error) {
    const struct path pack = path_make("%s/pack", fleet->directory);
    const struct path tar = path_make("%s/pack.tar", fleet->directory);
    const char *const argv[] = {"tar", "-C", fleet->directory, "-cf", tar.text, "pack", NULL};
    if (pack_make(build, pack.text, error) || pack_check(pack.text, fleet->pack_sha256, error))
        return -1;
    return strcmp(fleet->settings.shared, "no") ? 0 : tool_do(argv, error);
}

static int is_first(const struct slurm_nodes *nodes, size_t index) {
    for (size_t i = 0; i < index; i++)
        if (!strcmp(nodes->nodes[i].generation, nodes->nodes[index].generation))
            return 0;
    return 1;
}

static int has_usable_node(const struct slurm_nodes *nodes, const char *generation) {
    for (size_t i = 0; i < nodes->count; i++)
        if (!strcmp(nodes->nodes[i].generation, generation) &&
            slurm_state_usable(nodes->nodes[i].state))
            return 1;
    return 0;
}

// Returns whether Slurm took it.
static int submit_one(struct fleet *fleet, const struct slurm_nodes *nodes, const char *generation,
                      struct error *error) {
    char claim[64];
    fleet_settings_claim(&fleet->settings, generation, claim, sizeof claim);
    if (fleet_submit(fleet, generation, claim, error)) {
        fprintf(stderr, "%s: not submitted: %s\n", generation, error->text);
        return 0;
    }
    const char *job = fleet->submissions[fleet->count - 1].job;
    fprintf(stderr, "%s: submitted%s%s\n", generation, *job ? ", job " : " by srun", job);
    if (!has_usable_node(nodes, generation))
        fprintf(stderr, "%s: none of its nodes is up now; the job waits for one%s\n", generation,
                *fleet->settings.deadline ? " until the deadline"
                                          : ", for ever unless there is a --deadline");
    return 1;
}

// A job for each generation; one that Slurm refuses keeps none of the others back.
static int submit_all(struct fleet *fleet, const struct slurm_nodes *nodes, struct error *error) {
    size_t wanted = 0, taken = 0;
    for (size_t i = 0; i < nodes->count; i++) {
        const char *generation = nodes->nodes[i].generation;
        if (!is_first(nodes, i) || !*generation ||
            !fleet_settings_wants(&fleet->settings, generation))
            continue;
        wanted++;
        taken += submit_one(fleet, nodes, generation, error);
    }
    if (!wanted)
        return error_set(error, ERROR_MISSING, "sinfo", 0,
                         "no node%s%s has one of the generations as its first feature; see "
                         "docs/fleet.md",
                         *fleet->settings.partition ? " of partition " : "",
                         fleet->settings.partition);
    return taken < wanted ? ERROR_INCOMPLETE : 0;
}

// The time without its punctuation, and something for two in one second: names a folder and jobs.
static void make_id(struct fleet *fleet) {
    size_t used = 0;
    fleet_time(fleet->created_utc);
    for (const char *at = fleet->created_utc; *at; at++)
        if (*at != '-' && *at != ':')
            fleet->id[used++] = *at;
    snprintf(fleet->id + used, sizeof fleet->id - used, "-%05d", (int)getpid() % 100000);
}

int command_submit(int argc, char **argv, struct error *error) {
    struct request request = {.store = FLEET_STORE};
    struct fleet fleet = {0};
    struct slurm_nodes nodes = {0};
    int status = -1;
    make_id(&fleet);
    if (!parse(argc, argv, &request, &fleet.settings, error) &&
        !read_config(request.config, &fleet.settings, error) &&
        !read_sweep(request.build, &fleet, error) &&
        !slurm_nodes(fleet.settings.partition, &nodes, error) &&
        !make_folder(request.out, request.store, &fleet, error) &&
        !make_pack(request.build, &fleet, error) && !fleet_write(&fleet, error))
        status = submit_all(&fleet, &nodes, error);
    if (status >= 0)
        printf("%s\n", fleet.directory);
    free(nodes.nodes);
    fleet_free(&fleet);
    return status;
}

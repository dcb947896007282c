// SPDX-License-Identifier: GPL-3.0-or-later
#include "campaign/fleet/slurm.h"

#include "campaign/fleet/files.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 96 };

// An argument vector that grows; texts made for it are freed with it.
struct words {
    const char *argv[MOST_WORDS + 1];
    char *made[MOST_WORDS];
    size_t count, made_count;
};

static void add(struct words *words, const char *text) {
    if (words->count < MOST_WORDS)
        words->argv[words->count++] = text;
    words->argv[words->count] = NULL;
}

static void add_made(struct words *words, char *text) {
    if (words->made_count < MOST_WORDS) {
        words->made[words->made_count++] = text;
        add(words, text);
    } else {
        free(text);
    }
}

// --NAME=VALUE, unless the value is empty.
static void add_option(struct words *words, const char *name, const char *value) {
    if (value && *value)
        add_made(words, text_make("--%s=%s", name, value));
}

static void free_words(struct words *words) {
    for (size_t i = 0; i < words->made_count; i++)
        free(words->made[i]);
}

// What sinfo said, or that there is none, as one line that says where a fleet can be begun.
static int not_reached(struct error *error) {
    const struct error said = *error;
    return error_set(error, ERROR_MISSING, NULL, 0,
                     "Slurm cannot be reached from here; begin a fleet where sinfo lists the "
                     "nodes (docs/fleet.md): %s",
                     said.text);
}

int slurm_nodes(const char *partition, struct slurm_nodes *nodes, struct error *error) {
    struct words words = {0};
    struct process_result result;
    *nodes = (struct slurm_nodes){0};
    add(&words, "sinfo");
    add(&words, "-h");
    add(&words, "-N");
    add(&words, "-o");
    add(&words, SLURM_NODES_FORMAT);
    add_option(&words, "partition", partition);
    int failed = tool_run(words.argv, 0, &result, error)
                     ? not_reached(error)
                     : slurm_parse_nodes(result.output, nodes, error);
    process_free(&result);
    free_words(&words);
    return failed ? -1 : 0;
}

int slurm_jobs(const char *names, struct slurm_jobs *jobs, struct error *error) {
    struct words words = {0};
    struct process_result result;
    *jobs = (struct slurm_jobs){0};
    add(&words, "squeue");
    add(&words, "-h");
    add(&words, "-t");
    add(&words, "all");
    add(&words, "-o");
    add(&words, SLURM_JOBS_FORMAT);
    add_option(&words, "name", names);
    int failed =
        tool_run(words.argv, 0, &result, error) || slurm_parse_jobs(result.output, jobs, error);
    process_free(&result);
    free_words(&words);
    return failed ? -1 : 0;
}

// What sbatch and srun share: a whole node of the generation for one task.
static void add_request(struct words *words, const struct slurm_request *request) {
    const struct fleet_settings *settings = request->settings;
    add_option(words, "job-name", request->name);
    add_option(words, "constraint", request->generation);
    add(words, "--nodes=1");
    add(words, "--ntasks=1");
    add(words, "--exclusive");
    add_option(words, "partition", settings->partition);
    add_option(words, "account", settings->account);
    add_option(words, "time", settings->time);
    add_option(words, "deadline", settings->deadline);
    char *copy = text_make("%s", settings->sbatch), *rest = copy, *word;
    while ((word = strsep(&rest, " \t")))
        if (*word)
            add_made(words, text_make("%s", word));
    free(copy);
}

static void add_command(struct words *words, const char *const *command) {
    for (; *command; command++)
        add(words, *command);
}

static int check_room(const struct words *words, struct error *error) {
    if (words->count < MOST_WORDS)
        return 0;
    return error_set(error, ERROR_INPUT, NULL, 0,
                     "more than %d words for Slurm; shorten sbatch or run", MOST_WORDS);
}

int slurm_submit(const struct slurm_request *request, long long *id, struct error *error) {
    struct words words = {0};
    struct process_result result = {0};
    add(&words, "sbatch");
    add(&words, "--parsable");
    // A lost node's job begins again on its twin; the log of both is one file.
    add(&words, "--requeue");
    add(&words, "--open-mode=append");
    add_option(&words, "output", request->log);
    add_request(&words, request);
    add_command(&words, request->command);
    int failed = check_room(&words, error) || tool_run(words.argv, 0, &result, error) ||
                 slurm_parse_submitted(result.output, id, error);
    process_free(&result);
    free_words(&words);
    return failed ? -1 : 0;
}

int slurm_run(const struct slurm_request *request, int input, struct process_result *result,
              struct error *error) {
    struct words words = {0};
    *result = (struct process_result){0};
    add(&words, "srun");
    add_request(&words, request);
    add_command(&words, request->command);
    const struct process_request process = {
        .argv = words.argv, .cpu = -1, .input = input, .output_limit = TOOL_MOST_OUTPUT};
    int failed = check_room(&words, error) || process_run(&process, result, error);
    free_words(&words);
    return failed ? -1 : 0;
}

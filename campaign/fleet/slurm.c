// SPDX-License-Identifier: GPL-3.0-or-later
#include "campaign/fleet/slurm.h"

#include "common/memory.h"

#define LIST(words, ...) words_list(words, (const char *const[]){__VA_ARGS__, NULL})

// --NAME=VALUE, unless the value is empty.
static void add_option(struct words *words, const char *name, const char *value) {
    if (*value)
        words_add(words, text_make("--%s=%s", name, value));
}

int slurm_nodes(const char *partition, struct slurm_nodes *nodes, struct error *error) {
    struct words words = {0};
    struct process_result result;
    struct error said;
    *nodes = (struct slurm_nodes){0};
    LIST(&words, "sinfo", "-h", "-N", "-o", SLURM_NODES_FORMAT);
    add_option(&words, "partition", partition);
    int failed = tool_run(words.argv, &result, &said);
    if (failed)
        error_set(error, ERROR_MISSING, NULL, 0,
                  "Slurm cannot be reached from here; begin a fleet where sinfo lists the nodes "
                  "(docs/fleet.md): %s",
                  said.text);
    else
        failed = slurm_parse_nodes(result.output, nodes, error);
    process_free(&result);
    words_free(&words);
    return failed;
}

int slurm_jobs(const char *names, struct slurm_jobs *jobs, struct error *error) {
    struct words words = {0};
    struct process_result result;
    *jobs = (struct slurm_jobs){0};
    LIST(&words, "squeue", "-h", "-t", "all", "-o", SLURM_JOBS_FORMAT);
    add_option(&words, "name", names);
    int failed =
        tool_run(words.argv, &result, error) || slurm_parse_jobs(result.output, jobs, error);
    process_free(&result);
    words_free(&words);
    return failed ? -1 : 0;
}

// What sbatch and srun share: a whole node of the generation for one task, and the command.
static void add_request(struct words *words, const struct slurm_request *request) {
    const struct fleet_settings *settings = request->settings;
    add_option(words, "job-name", request->name);
    add_option(words, "constraint", request->generation);
    LIST(words, "--nodes=1", "--ntasks=1", "--exclusive");
    add_option(words, "partition", settings->partition);
    add_option(words, "account", settings->account);
    add_option(words, "time", settings->time);
    add_option(words, "deadline", settings->deadline);
    words_split(words, settings->sbatch);
    words_list(words, request->command);
    words_split(words, settings->run);
}

int slurm_submit(const struct slurm_request *request, long long *id, struct error *error) {
    struct words words = {0};
    struct process_result result;
    // A lost node's job begins again on another node; the log of both is one file.
    LIST(&words, "sbatch", "--parsable", "--requeue", "--open-mode=append");
    add_option(&words, "output", request->log);
    add_request(&words, request);
    int failed =
        tool_run(words.argv, &result, error) || slurm_parse_submitted(result.output, id, error);
    process_free(&result);
    words_free(&words);
    return failed ? -1 : 0;
}

int slurm_run(const struct slurm_request *request, int input, struct process_result *result,
              struct error *error) {
    struct words words = {0};
    LIST(&words, "srun");
    add_request(&words, request);
    const struct process_request process = {
        .argv = words.argv, .cpu = -1, .input = input, .output_limit = TOOL_MOST_OUTPUT};
    int failed = process_run(&process, result, error);
    words_free(&words);
    return failed;
}

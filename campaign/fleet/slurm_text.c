// SPDX-License-Identifier: GPL-3.0-or-later
#include "campaign/fleet/slurm_text.h"

#include "common/memory.h"
#include "common/units.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const struct field node_list[] = {
    FIELD_OF(struct slurm_node, name),
    FIELD_OF(struct slurm_node, generation),
    FIELD_OF(struct slurm_node, state),
};
static const struct fields node_fields = {node_list, 3, sizeof(struct slurm_node)};

static const struct field job_list[] = {
    FIELD_OF(struct slurm_job, job),   FIELD_OF(struct slurm_job, name),
    FIELD_OF(struct slurm_job, state), FIELD_OF(struct slurm_job, reason),
    FIELD_OF(struct slurm_job, node),
};
const struct fields slurm_job_fields = {job_list, 5, sizeof(struct slurm_job)};

// Take each line that is not empty apart at its bars; `take` gets as many texts as there are
// fields. 0, or -1 with *error.
static int each_line(const char *text, const char *program, const struct fields *fields,
                     int (*take)(char **texts, void *context), void *context, struct error *error) {
    char *copy = text_make("%s", text), *rest = copy, *line;
    int failed = 0;
    for (size_t number = 1; !failed && (line = strsep(&rest, "\n")); number++) {
        char *texts[8] = {NULL}, *at = line;
        int length = (int)strlen(line);
        size_t count = 0;
        while (count <= fields->count && at)
            texts[count++] = strsep(&at, "|");
        if (length && (count != fields->count || take(texts, context)))
            failed = error_set(error, ERROR_MISSING, program, number,
                               "not in the form that was asked for: '%.*s'", length,
                               text + (line - copy));
    }
    free(copy);
    return failed;
}

static int set_all(const struct fields *fields, void *item, char **texts) {
    for (size_t i = 0; i < fields->count; i++)
        if (field_set(&fields->list[i], item, texts[i]))
            return -1; // a cut name would name something else
    return 0;
}

int slurm_is_name(const char *text) {
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    return *text && *text != '.' && *text != '-' && !text[strspn(text, allowed)];
}

static int take_node(char **texts, void *context) {
    struct slurm_nodes *nodes = context;
    struct slurm_node node = {0};
    texts[1][strcspn(texts[1], ",")] = '\0';
    if (!strcmp(texts[1], "(null)"))
        texts[1] = "";
    if (set_all(&node_fields, &node, texts) || (*texts[1] && !slurm_is_name(texts[1])))
        return -1;
    for (size_t i = 0; i < nodes->count; i++)
        if (!strcmp(nodes->nodes[i].name, node.name))
            return 0;
    nodes->nodes = memory_more(nodes->nodes, nodes->count, sizeof node);
    nodes->nodes[nodes->count++] = node;
    return 0;
}

int slurm_parse_nodes(const char *text, struct slurm_nodes *nodes, struct error *error) {
    *nodes = (struct slurm_nodes){0};
    return each_line(text, "sinfo", &node_fields, take_node, nodes, error);
}

int slurm_job_number(struct slurm_job *job) {
    if (units_scan_integer(job->job, 1, INT64_MAX, &job->id))
        return -1;
    memset(job->job, 0, sizeof job->job); // the same number is the same bytes
    snprintf(job->job, sizeof job->job, "%lld", job->id);
    return 0;
}

static int take_job(char **texts, void *context) {
    struct slurm_jobs *jobs = context;
    struct slurm_job job = {0};
    texts[0][strcspn(texts[0], "_+")] = '\0'; // 12_3 of an array, 12+1 of a heterogeneous job
    if (set_all(&slurm_job_fields, &job, texts) || slurm_job_number(&job))
        return -1;
    jobs->jobs = memory_more(jobs->jobs, jobs->count, sizeof job);
    jobs->jobs[jobs->count++] = job;
    return 0;
}

int slurm_parse_jobs(const char *text, struct slurm_jobs *jobs, struct error *error) {
    *jobs = (struct slurm_jobs){0};
    return each_line(text, "squeue", &slurm_job_fields, take_job, jobs, error);
}

int slurm_state_usable(const char *state) {
    static const char *const unusable[] = {"down",       "drain",        "fail",          "error",
                                           "power_down", "powered_down", "powering_down", "maint",
                                           "unknown",    "future"};
    for (size_t i = 0; i < sizeof unusable / sizeof *unusable; i++)
        if (!strncmp(state, unusable[i], strlen(unusable[i])))
            return 0;
    return *state && !strchr(state, '*');
}

int slurm_state_alive(const char *state) {
    static const char *const alive[] = {
        "PENDING",      "RUNNING",     "CONFIGURING", "COMPLETING",    "REQUEUED",
        "REQUEUE_HOLD", "REQUEUE_FED", "RESIZING",    "RESV_DEL_HOLD", "SIGNALING",
        "SPECIAL_EXIT", "STAGE_OUT",   "STOPPED",     "SUSPENDED"};
    for (size_t i = 0; i < sizeof alive / sizeof *alive; i++)
        if (!strcmp(state, alive[i]))
            return 1;
    return 0;
}

int slurm_parse_submitted(const char *text, long long *id, struct error *error) {
    char last[128] = "";
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        if (length && length < sizeof last)
            snprintf(last, sizeof last, "%.*s", (int)length, text);
    }
    last[strcspn(last, "; \r")] = '\0';
    if (units_scan_integer(last, 1, INT64_MAX, id))
        return error_set(error, ERROR_MISSING, "sbatch", 0, "named no job: '%.80s'", last);
    return 0;
}

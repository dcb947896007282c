// SPDX-License-Identifier: GPL-3.0-or-later
#include "campaign/fleet/slurm_text.h"

#include "common/units.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 5 };

struct field {
    const char *text;
    size_t length;
};

// Cut one line at its bars into exactly `wanted` fields; returns 0, or -1 for any other number.
static int cut_fields(const char *line, size_t length, struct field *fields, size_t wanted) {
    size_t count = 0;
    const char *end = line + length, *at = line;
    for (;;) {
        const char *bar = memchr(at, '|', (size_t)(end - at));
        const char *stop = bar ? bar : end;
        if (count == wanted)
            return -1;
        fields[count++] = (struct field){at, (size_t)(stop - at)};
        if (!bar)
            return count == wanted ? 0 : -1;
        at = bar + 1;
    }
}

// Copy a field as text; -1 if it does not fit: a cut name would name something else.
static int copy_field(struct field field, char *text, size_t size) {
    if (field.length >= size)
        return -1;
    memcpy(text, field.text, field.length);
    text[field.length] = '\0';
    return 0;
}

// Call `take` with the fields of each line that is not empty. 0, or -1 with *error.
static int each_line(const char *text, const char *program, size_t wanted,
                     int (*take)(const struct field *fields, void *context), void *context,
                     struct error *error) {
    struct field fields[MOST_FIELDS];
    for (size_t line = 1; *text; line++) {
        size_t length = strcspn(text, "\n");
        if (length && (cut_fields(text, length, fields, wanted) || take(fields, context)))
            return error_set(error, ERROR_MISSING, program, line,
                             "not in the form that was asked for: '%.*s'", (int)length, text);
        text += length + (text[length] == '\n');
    }
    return 0;
}

int slurm_is_name(const char *text) {
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    return *text && *text != '.' && *text != '-' && !text[strspn(text, allowed)];
}

static int take_node(const struct field *fields, void *context) {
    struct slurm_nodes *nodes = context;
    struct slurm_node node = {0};
    const char *comma = memchr(fields[1].text, ',', fields[1].length);
    struct field first = fields[1];
    if (comma)
        first.length = (size_t)(comma - first.text);
    if (copy_field(fields[0], node.name, sizeof node.name) ||
        copy_field(first, node.generation, sizeof node.generation) ||
        copy_field(fields[2], node.state, sizeof node.state))
        return -1;
    if (!strcmp(node.generation, "(null)"))
        node.generation[0] = '\0';
    if (node.generation[0] && !slurm_is_name(node.generation))
        return -1;
    for (size_t i = 0; i < nodes->count; i++)
        if (!strcmp(nodes->nodes[i].name, node.name))
            return 0;
    nodes->nodes = realloc(nodes->nodes, (nodes->count + 1) * sizeof node);
    if (!nodes->nodes)
        abort();
    nodes->nodes[nodes->count++] = node;
    return 0;
}

int slurm_parse_nodes(const char *text, struct slurm_nodes *nodes, struct error *error) {
    *nodes = (struct slurm_nodes){0};
    return each_line(text, "sinfo", 3, take_node, nodes, error);
}

void slurm_nodes_free(struct slurm_nodes *nodes) {
    free(nodes->nodes);
    *nodes = (struct slurm_nodes){0};
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

static int take_job(const struct field *fields, void *context) {
    struct slurm_jobs *jobs = context;
    struct slurm_job job = {0};
    char id[64];
    if (copy_field(fields[0], id, sizeof id) || copy_field(fields[1], job.name, sizeof job.name) ||
        copy_field(fields[2], job.state, sizeof job.state) ||
        copy_field(fields[3], job.reason, sizeof job.reason) ||
        copy_field(fields[4], job.node, sizeof job.node))
        return -1;
    id[strcspn(id, "_+")] = '\0'; // 12_3 of an array, 12+1 of a heterogeneous job
    if (units_scan_integer(id, 1, INT64_MAX, &job.id))
        return -1;
    jobs->jobs = realloc(jobs->jobs, (jobs->count + 1) * sizeof job);
    if (!jobs->jobs)
        abort();
    jobs->jobs[jobs->count++] = job;
    return 0;
}

int slurm_parse_jobs(const char *text, struct slurm_jobs *jobs, struct error *error) {
    *jobs = (struct slurm_jobs){0};
    return each_line(text, "squeue", 5, take_job, jobs, error);
}

void slurm_jobs_free(struct slurm_jobs *jobs) {
    free(jobs->jobs);
    *jobs = (struct slurm_jobs){0};
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
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t length = strcspn(line, "\n");
        if (length && length < sizeof last) {
            memcpy(last, line, length);
            last[length] = '\0';
        }
    }
    char *end = last + strcspn(last, "; \r");
    *end = '\0';
    if (units_scan_integer(last, 1, INT64_MAX, id))
        return error_set(error, ERROR_MISSING, "sbatch", 0, "named no job: '%.80s'", text);
    return 0;
}

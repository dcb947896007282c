// SPDX-License-Identifier: GPL-3.0-or-later
#include "campaign/fleet/seen.h"

#include "campaign/fleet/files.h"
#include "common/memory.h"
#include "common/replace.h"
#include "common/table.h"
#include "common/units.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const columns[] = {"job", "name", "state", "reason", "node", NULL};

// Put a job over the one with its number, or behind all. Returns whether that changed anything.
static int put(struct slurm_jobs *seen, const struct slurm_job *job) {
    for (size_t i = 0; i < seen->count; i++) {
        if (seen->jobs[i].id != job->id)
            continue;
        int same = !memcmp(&seen->jobs[i], job, sizeof *job);
        seen->jobs[i] = *job;
        return !same;
    }
    seen->jobs = realloc(seen->jobs, (seen->count + 1) * sizeof *job);
    if (!seen->jobs)
        abort();
    seen->jobs[seen->count++] = *job;
    return 1;
}

static int read_seen(const char *path, struct slurm_jobs *seen, struct error *error) {
    struct table table;
    if (access(path, F_OK))
        return 0;
    int failed = table_read(path, columns, &table, error);
    for (size_t row = 0; !failed && row < table.rows; row++) {
        struct slurm_job job = {0};
        failed = units_scan_integer(table_cell(&table, row, "job"), 1, INT64_MAX, &job.id);
        snprintf(job.name, sizeof job.name, "%s", table_cell(&table, row, "name"));
        snprintf(job.state, sizeof job.state, "%s", table_cell(&table, row, "state"));
        snprintf(job.reason, sizeof job.reason, "%s", table_cell(&table, row, "reason"));
        snprintf(job.node, sizeof job.node, "%s", table_cell(&table, row, "node"));
        if (failed)
            error_set(error, ERROR_INPUT, path, table_line(row), "damaged; remove the file");
        else
            put(seen, &job);
    }
    table_free(&table);
    return failed ? -1 : 0;
}

static int write_seen(const char *path, const struct slurm_jobs *seen, struct error *error) {
    char *text, number[32];
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        abort();
    table_write_row(stream, columns, 5);
    for (size_t i = 0; i < seen->count; i++) {
        const struct slurm_job *job = &seen->jobs[i];
        snprintf(number, sizeof number, "%lld", job->id);
        table_write_row(
            stream, (const char *const[]){number, job->name, job->state, job->reason, job->node},
            5);
    }
    fclose(stream);
    int failed = replace_text(path, text, length, error);
    free(text);
    return failed;
}

int seen_update(const char *directory, const struct slurm_jobs *now, struct slurm_jobs *seen,
                struct error *error) {
    char *path = text_make("%s/seen.csv", directory);
    int changed = 0;
    *seen = (struct slurm_jobs){0};
    int failed = read_seen(path, seen, error);
    for (size_t i = 0; !failed && i < now->count; i++)
        changed |= put(seen, &now->jobs[i]);
    if (!failed && changed)
        failed = write_seen(path, seen, error);
    free(path);
    return failed;
}

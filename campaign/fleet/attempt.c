// SPDX-License-Identifier: GPL-3.0-or-later
#include "campaign/fleet/attempt.h"

#include "common/disk.h"
#include "common/memory.h"
#include "common/units.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct outcome_row outcomes[OUTCOME_COUNT] = {
#define OUTCOME(name, has_values, meaning) {#name, meaning, has_values},
#include "campaign/fleet/outcomes.def"
#undef OUTCOME
};

static const struct field field_list[] = {
#define FIELD(name) FIELD_OF(struct attempt, name),
#include "campaign/fleet/attempt_fields.def"
#undef FIELD
};
const struct fields attempt_fields = {field_list, sizeof field_list / sizeof *field_list,
                                      sizeof(struct attempt)};

int attempt_write(const struct attempt *attempt, const char *folder, struct error *error) {
    return fields_write_pairs(PATH("%s/result.csv", folder), &attempt_fields, attempt, error);
}

static int set_numbers(struct attempt *attempt) {
    size_t outcome = 0;
    while (outcome < OUTCOME_COUNT && strcmp(outcomes[outcome].name, attempt->outcome))
        outcome++;
    attempt->outcome_id = (enum outcome)outcome;
    return outcome == OUTCOME_COUNT ||
           units_scan_integer(attempt->job, 1, INT64_MAX, &attempt->job_id) ||
           units_scan_integer(attempt->task, 0, INT64_MAX, &attempt->task_id) ||
           units_scan_integer(attempt->restart, 0, INT64_MAX, &attempt->restart_id);
}

static struct path name_of(const struct attempt *attempt) {
    return path_make("%lld-%lld-%lld", attempt->job_id, attempt->task_id, attempt->restart_id);
}

int attempt_parse(const char *folder, const char *text, size_t length, struct attempt *attempt,
                  struct error *error) {
    struct table table;
    const struct path path = path_make("%s/result.csv", folder);
    const char *own = strrchr(folder, '/') ? strrchr(folder, '/') + 1 : folder;
    *attempt = (struct attempt){0};
    snprintf(attempt->path, sizeof attempt->path, "%s", folder);
    int failed = table_parse(path.text, text, length, fields_pair, &table, error) ||
                 fields_take_pairs(&table, &attempt_fields, attempt, error);
    table_free(&table);
    if (failed)
        return -1;
    if (set_numbers(attempt))
        return error_set(error, ERROR_INPUT, path.text, 0,
                         "outcome, job, task or restart is missing or damaged");
    if (*own != '.' && strcmp(own, name_of(attempt).text))
        return error_set(error, ERROR_INPUT, path.text, 0, "is of attempt %s, not of %s",
                         name_of(attempt).text, own);
    return 0;
}

int attempt_read(const char *folder, struct attempt *attempt, struct error *error) {
    size_t length;
    char *text = disk_read(PATH("%s/result.csv", folder), &length, error);
    int failed = !text || attempt_parse(folder, text, length, attempt, error);
    free(text);
    return failed ? -1 : 0;
}

int attempts_read(const char *folder, struct attempt **attempts, size_t *count,
                  struct error *error) {
    *attempts = NULL;
    *count = 0;
    DIR *directory = opendir(folder);
    if (!directory && errno == ENOENT)
        return 0;
    if (!directory)
        return error_errno(error, ERROR_INPUT, folder, "cannot be read");
    int failed = 0;
    for (struct dirent *entry; !failed && (entry = readdir(directory));) {
        if (entry->d_name[0] == '.')
            continue;
        *attempts = memory_more(*attempts, *count, sizeof **attempts);
        failed = attempt_read(PATH("%s/%s", folder, entry->d_name), &(*attempts)[*count], error);
        *count += !failed;
    }
    closedir(directory);
    return failed;
}

// Does a come after b?
static int later(const struct attempt *a, const struct attempt *b) {
    if (outcomes[a->outcome_id].has_values != outcomes[b->outcome_id].has_values)
        return outcomes[a->outcome_id].has_values;
    if (a->job_id != b->job_id)
        return a->job_id > b->job_id;
    if (a->restart_id != b->restart_id)
        return a->restart_id > b->restart_id;
    return a->task_id > b->task_id;
}

long attempts_choose(const struct attempt *attempts, size_t count) {
    long best = -1;
    for (size_t i = 0; i < count; i++)
        if (best < 0 || later(&attempts[i], &attempts[best]))
            best = (long)i;
    return best;
}

// Sync a folder's own entries, so that a rename survives a lost node. Best effort.
static void sync_folder(const char *path) {
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    fsync(folder);
    close(folder);
}

int attempt_publish(const struct attempt *attempt, const char *temporary,
                    const char *generation_folder, struct error *error) {
    const struct path path = path_make("%s/%s", generation_folder, name_of(attempt).text);
    sync_folder(temporary);
    if (rename(temporary, path.text))
        return error_errno(error, ERROR_INPUT, path.text, "cannot be made of %s", temporary);
    sync_folder(generation_folder);
    return 0;
}

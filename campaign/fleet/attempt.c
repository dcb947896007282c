// SPDX-License-Identifier: GPL-3.0-or-later
#include "campaign/fleet/attempt.h"

#include "campaign/fleet/files.h"
#include "common/memory.h"
#include "common/replace.h"
#include "common/table.h"
#include "common/units.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *meaning;
    int has_values;
} outcomes[] = {
#define OUTCOME(name, has_values, meaning) {#name, meaning, has_values},
#include "campaign/fleet/outcomes.def"
#undef OUTCOME
};

const char *const attempt_field_names[ATTEMPT_FIELDS] = {
#define FIELD(name) #name,
#include "campaign/fleet/attempt_fields.def"
#undef FIELD
};

const char *outcome_name(enum outcome outcome) {
    return outcomes[outcome].name;
}

const char *outcome_meaning(enum outcome outcome) {
    return outcomes[outcome].meaning;
}

int outcome_has_values(enum outcome outcome) {
    return outcomes[outcome].has_values;
}

const char *attempt_field(const struct attempt *attempt, size_t index) {
    const char *const fields[ATTEMPT_FIELDS] = {
#define FIELD(name) attempt->name,
#include "campaign/fleet/attempt_fields.def"
#undef FIELD
    };
    return fields[index];
}

int attempt_write(const struct attempt *attempt, const char *folder, struct error *error) {
    char *text, *path = text_make("%s/result.csv", folder);
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        abort();
    table_write_row(stream, (const char *const[]){"key", "value"}, 2);
    for (size_t i = 0; i < ATTEMPT_FIELDS; i++)
        table_write_row(
            stream, (const char *const[]){attempt_field_names[i], attempt_field(attempt, i)}, 2);
    fclose(stream);
    int failed = replace_text(path, text, length, error);
    free(text);
    free(path);
    return failed;
}

// Fill one field by its key; unknown keys of a later version are passed over.
static int set_field(struct attempt *attempt, const char *key, const char *value) {
#define FIELD(name)                                                                                \
    if (!strcmp(key, #name))                                                                       \
        return snprintf(attempt->name, sizeof attempt->name, "%s", value) >=                       \
               (int)sizeof attempt->name;
#include "campaign/fleet/attempt_fields.def"
#undef FIELD
    return 0;
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

static void make_name(const struct attempt *attempt, char *name, size_t size) {
    snprintf(name, size, "%lld-%lld-%lld", attempt->job_id, attempt->task_id, attempt->restart_id);
}

static const char *const columns[] = {"key", "value", NULL};

// Fields and numbers from the rows of result.csv.
static int take_rows(const struct table *table, const char *folder, struct attempt *attempt,
                     struct error *error) {
    char name[80];
    const char *own = strrchr(folder, '/') ? strrchr(folder, '/') + 1 : folder;
    for (size_t row = 0; row < table->rows; row++)
        if (set_field(attempt, table_cell(table, row, "key"), table_cell(table, row, "value")))
            return error_set(error, ERROR_INPUT, table->path, table_line(row),
                             "the value is too long");
    if (set_numbers(attempt))
        return error_set(error, ERROR_INPUT, table->path, 0,
                         "outcome, job, task or restart is missing or damaged");
    make_name(attempt, name, sizeof name);
    if (*own != '.' && strcmp(own, name))
        return error_set(error, ERROR_INPUT, table->path, 0, "is of attempt %s, not of %s", name,
                         own);
    return 0;
}

static void begin(const char *folder, struct attempt *attempt) {
    *attempt = (struct attempt){0};
    snprintf(attempt->path, sizeof attempt->path, "%s", folder);
}

int attempt_read(const char *folder, struct attempt *attempt, struct error *error) {
    struct table table;
    char *path = text_make("%s/result.csv", folder);
    begin(folder, attempt);
    int failed =
        table_read(path, columns, &table, error) || take_rows(&table, folder, attempt, error);
    table_free(&table);
    free(path);
    return failed ? -1 : 0;
}

int attempt_parse(const char *folder, const char *text, size_t length, struct attempt *attempt,
                  struct error *error) {
    struct table table;
    begin(folder, attempt);
    int failed = table_parse("result.csv", text, length, columns, &table, error) ||
                 take_rows(&table, folder, attempt, error);
    table_free(&table);
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
        char *path = text_make("%s/%s", folder, entry->d_name);
        *attempts = realloc(*attempts, (*count + 1) * sizeof **attempts);
        if (!*attempts)
            abort();
        failed = attempt_read(path, &(*attempts)[*count], error);
        *count += !failed;
        free(path);
    }
    closedir(directory);
    return failed;
}

// Does a come after b?
static int later(const struct attempt *a, const struct attempt *b) {
    if (outcome_has_values(a->outcome_id) != outcome_has_values(b->outcome_id))
        return outcome_has_values(a->outcome_id);
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

int attempt_publish(const struct attempt *attempt, const char *temporary,
                    const char *generation_folder, struct error *error) {
    char name[80];
    make_name(attempt, name, sizeof name);
    char *path = text_make("%s/%s", generation_folder, name);
    files_sync_folder(temporary);
    int failed = rename(temporary, path);
    if (failed)
        error_errno(error, ERROR_INPUT, path, "cannot be made of %s", temporary);
    else
        files_sync_folder(generation_folder);
    free(path);
    return failed;
}

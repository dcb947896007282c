// SPDX-License-Identifier: GPL-3.0-or-later
#include "campaign/fleet/fleet.h"

#include "campaign/fleet/files.h"
#include "campaign/fleet/slurm_text.h"
#include "common/memory.h"
#include "common/replace.h"
#include "common/table.h"
#include "common/units.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const submission_columns[] = {"generation", "claim", "job", "submitted_utc",
                                                 NULL};

// fleet.csv's keys beside the settings.
#define FACTS(FACT) FACT(id) FACT(sweep) FACT(created_utc) FACT(pack_sha256)

void fleet_time(char text[32]) {
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

char *fleet_job_name(const struct fleet *fleet, const char *generation) {
    return text_make("asmsweep.%s.%s", fleet->id, generation);
}

int fleet_write(const struct fleet *fleet, struct error *error) {
    char *text, *path = text_make("%s/fleet.csv", fleet->directory);
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        abort();
    table_write_row(stream, (const char *const[]){"key", "value"}, 2);
#define FACT(name) table_write_row(stream, (const char *const[]){#name, fleet->name}, 2);
    FACTS(FACT)
#undef FACT
    for (size_t i = 0; i < SETTING_COUNT; i++)
        table_write_row(
            stream,
            (const char *const[]){fleet_setting_names[i],
                                  *fleet_setting((struct fleet_settings *)&fleet->settings, i)},
            2);
    fclose(stream);
    int failed = replace_text(path, text, length, error);
    free(text);
    free(path);
    return failed;
}

static int write_submissions(const struct fleet *fleet, struct error *error) {
    char *text, *path = text_make("%s/submissions.csv", fleet->directory), job[32];
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        abort();
    table_write_row(stream, submission_columns, 4);
    for (size_t i = 0; i < fleet->count; i++) {
        const struct submission *one = &fleet->submissions[i];
        snprintf(job, sizeof job, "%lld", one->job);
        table_write_row(stream,
                        (const char *const[]){one->generation, one->claim, one->job ? job : "",
                                              one->submitted_utc},
                        4);
    }
    fclose(stream);
    int failed = replace_text(path, text, length, error);
    free(text);
    free(path);
    return failed;
}

static struct submission *append(struct fleet *fleet) {
    fleet->submissions =
        realloc(fleet->submissions, (fleet->count + 1) * sizeof *fleet->submissions);
    if (!fleet->submissions)
        abort();
    fleet->submissions[fleet->count] = (struct submission){0};
    return &fleet->submissions[fleet->count++];
}

int fleet_add(struct fleet *fleet, const char *generation, const char *claim, long long job,
              struct error *error) {
    struct submission *one = append(fleet);
    snprintf(one->generation, sizeof one->generation, "%s", generation);
    snprintf(one->claim, sizeof one->claim, "%s", claim);
    one->job = job;
    fleet_time(one->submitted_utc);
    return write_submissions(fleet, error);
}

// The newest folder below the store: their names begin with the time.
static char *find_newest(const char *store, struct error *error) {
    struct dirent **entries;
    int count = scandir(store, &entries, NULL, alphasort);
    char *found = NULL;
    for (int i = count - 1; i >= 0; i--) {
        if (!found && entries[i]->d_name[0] != '.')
            found = text_make("%s/%s", store, entries[i]->d_name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    if (!found)
        error_set(error, ERROR_INPUT, store, 0,
                  "no fleet there; name a fleet's folder, or submit one");
    return found;
}

// Facts and settings from the table of fleet.csv; the settings' texts live as long as the fleet.
static void take_facts(const struct table *table, struct fleet *fleet) {
    size_t used = 0, room = 1;
    for (size_t row = 0; row < table->rows; row++)
        room += strlen(table_cell(table, row, "value")) + 1;
    fleet->values = malloc(room);
    if (!fleet->values)
        abort();
    for (size_t row = 0; row < table->rows; row++) {
        const char *key = table_cell(table, row, "key"), *value = table_cell(table, row, "value");
#define FACT(name)                                                                                 \
    if (!strcmp(key, #name))                                                                       \
        snprintf(fleet->name, sizeof fleet->name, "%s", value);
        FACTS(FACT)
#undef FACT
        for (size_t i = 0; i < SETTING_COUNT; i++) {
            if (strcmp(key, fleet_setting_names[i]))
                continue;
            *fleet_setting(&fleet->settings, i) = strcpy(fleet->values + used, value);
            used += strlen(value) + 1;
            break;
        }
    }
}

static int read_submissions(struct fleet *fleet, struct error *error) {
    struct table table;
    char *path = text_make("%s/submissions.csv", fleet->directory);
    int failed = table_read(path, submission_columns, &table, error);
    for (size_t row = 0; !failed && row < table.rows; row++) {
        struct submission *one = append(fleet);
        const char *generation = table_cell(&table, row, "generation");
        const char *job = table_cell(&table, row, "job");
        snprintf(one->generation, sizeof one->generation, "%s", generation);
        snprintf(one->claim, sizeof one->claim, "%s", table_cell(&table, row, "claim"));
        snprintf(one->submitted_utc, sizeof one->submitted_utc, "%s",
                 table_cell(&table, row, "submitted_utc"));
        if (!slurm_is_name(generation) ||
            (*job && units_scan_integer(job, 1, INT64_MAX, &one->job)))
            failed = error_set(error, ERROR_INPUT, path, table_line(row), "damaged");
    }
    table_free(&table);
    free(path);
    return failed;
}

int fleet_read(const char *directory, const char *store, struct fleet *fleet, struct error *error) {
    static const char *const columns[] = {"key", "value", NULL};
    *fleet = (struct fleet){0};
    char *newest = directory ? text_make("%s", directory) : find_newest(store, error);
    if (!newest)
        return -1;
    fleet->directory = realpath(newest, NULL);
    int failed =
        fleet->directory ? 0 : error_errno(error, ERROR_INPUT, newest, "is no fleet's folder");
    free(newest);
    if (failed)
        return -1;
    struct table table;
    char *path = text_make("%s/fleet.csv", fleet->directory);
    failed = table_read(path, columns, &table, error);
    if (!failed)
        take_facts(&table, fleet);
    if (!failed && !slurm_is_name(fleet->id))
        failed = error_set(error, ERROR_INPUT, path, 0, "has no id; it is damaged");
    table_free(&table);
    free(path);
    return failed || fleet_settings_complete(&fleet->settings, error) ||
                   read_submissions(fleet, error)
               ? -1
               : 0;
}

void fleet_free(struct fleet *fleet) {
    free(fleet->directory);
    free(fleet->submissions);
    free(fleet->values);
    fleet_settings_free(&fleet->settings);
    *fleet = (struct fleet){0};
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "campaign/fleet/fleet.h"

#include "campaign/fleet/fields.h"
#include "campaign/fleet/slurm_text.h"
#include "common/disk.h"
#include "common/memory.h"
#include "common/units.h"

#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static const struct field fact_list[] = {
    FIELD_OF(struct fleet, id),
    FIELD_OF(struct fleet, sweep),
    FIELD_OF(struct fleet, created_utc),
    FIELD_OF(struct fleet, pack_sha256),
#define SETTING(name, argument, otherwise, text)                                                   \
    {#name, offsetof(struct fleet, settings.name), SETTING_SIZE},
#include "campaign/fleet/settings.def"
#undef SETTING
};
static const struct fields facts = {fact_list, sizeof fact_list / sizeof *fact_list,
                                    sizeof(struct fleet)};

static const struct field submission_list[] = {
    FIELD_OF(struct submission, generation),
    FIELD_OF(struct submission, claim),
    FIELD_OF(struct submission, job),
    FIELD_OF(struct submission, submitted_utc),
};
static const struct fields submission_fields = {submission_list, 4, sizeof(struct submission)};

void fleet_time(char text[FLEET_TIME]) {
    time_t now = time(NULL);
    struct tm parts;
    strftime(text, FLEET_TIME, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
}

struct path fleet_job_name(const struct fleet *fleet, const char *generation) {
    return path_make("asmsweep.%s.%s", fleet->id, generation);
}

int fleet_write(const struct fleet *fleet, struct error *error) {
    return fields_write_pairs(PATH("%s/fleet.csv", fleet->directory), &facts, fleet, error);
}

int fleet_add(struct fleet *fleet, const char *generation, const char *claim, const char *job,
              struct error *error) {
    fleet->submissions = memory_more(fleet->submissions, fleet->count, sizeof(struct submission));
    struct submission *one = &fleet->submissions[fleet->count++];
    *one = (struct submission){0};
    snprintf(one->generation, sizeof one->generation, "%s", generation);
    snprintf(one->claim, sizeof one->claim, "%s", claim);
    snprintf(one->job, sizeof one->job, "%s", job);
    fleet_time(one->submitted_utc);
    return fields_write_rows(PATH("%s/submissions.csv", fleet->directory), &submission_fields,
                             fleet->submissions, fleet->count, error);
}

// The newest folder below the store: their names begin with the time.
static int find_newest(const char *store, char directory[PATH_MAX], struct error *error) {
    struct dirent **entries;
    int count = scandir(store, &entries, NULL, alphasort), found = 0;
    for (int i = count - 1; i >= 0; i--) {
        if (!found && entries[i]->d_name[0] != '.')
            found = realpath(PATH("%s/%s", store, entries[i]->d_name), directory) != NULL;
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return found ? 0
                 : error_set(error, ERROR_INPUT, store, 0,
                             "no fleet there; name a fleet's folder, or submit one");
}

static int read_facts(struct fleet *fleet, struct error *error) {
    struct table table;
    const struct path path = path_make("%s/fleet.csv", fleet->directory);
    int failed = table_read(path.text, fields_pair, &table, error) ||
                 fields_take_pairs(&table, &facts, fleet, error);
    if (!failed && !slurm_is_name(fleet->id))
        failed = error_set(error, ERROR_INPUT, path.text, 0, "has no id; it is damaged");
    table_free(&table);
    return failed || fleet_settings_complete(&fleet->settings, error) ? -1 : 0;
}

static int read_submissions(struct fleet *fleet, struct error *error) {
    const struct path path = path_make("%s/submissions.csv", fleet->directory);
    long long job;
    if (fields_read_rows(path.text, &submission_fields, &fleet->submissions, &fleet->count, error))
        return -1;
    for (size_t i = 0; i < fleet->count; i++) {
        const struct submission *one = &fleet->submissions[i];
        if (!slurm_is_name(one->generation) ||
            (*one->job && units_scan_integer(one->job, 1, INT64_MAX, &job)))
            return error_set(error, ERROR_INPUT, path.text, table_line(i), "damaged");
    }
    return 0;
}

int fleet_read(const char *directory, const char *store, struct fleet *fleet, struct error *error) {
    *fleet = (struct fleet){0};
    if (!directory && find_newest(store, fleet->directory, error))
        return -1;
    if (directory && !realpath(directory, fleet->directory))
        return error_errno(error, ERROR_INPUT, directory, "is no fleet's folder");
    return read_facts(fleet, error) || read_submissions(fleet, error) ? -1 : 0;
}

void fleet_free(struct fleet *fleet) {
    free(fleet->submissions);
}

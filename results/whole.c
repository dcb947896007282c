// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/whole.h"

#include "common/disk.h"
#include "common/journal.h"
#include "common/units.h"
#include "results/runs.h"

#include <cjson/cJSON.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char measure[] = "the run is damaged: take a whole copy of it, or measure again";
static const char solve[] = "remove it; ./asmsweep table makes it again";
// Without notes.csv alone the costs are there, and the front makes neither anew.
static const char solve_both[] = "remove it and costs.csv; ./asmsweep table makes both again";

const struct whole_file whole_files[] = {
    {FILE_summary, true, measure},      {FILE_measurements, true, measure},
    {FILE_samples, false, measure},     {FILE_environment, true, measure},
    {FILE_variants, true, measure},     {FILE_proof, true, measure},
    {FILE_differences, false, measure}, {FILE_costs, false, solve},
    {FILE_notes, false, solve_both},
};
const size_t whole_count = sizeof whole_files / sizeof *whole_files;

static const struct whole_file *whole_of(enum csv_file file) {
    const struct whole_file *whole = whole_files;
    while (whole->file != file)
        whole++;
    return whole;
}

static int check_intervals(const struct table *table, const char *remedy, struct error *error) {
    for (size_t row = 0; row < table->rows; row++) {
        const char *low = table_cell(table, row, "ci_low");
        const char *high = table_cell(table, row, "ci_high");
        double from, to;
        if (units_scan_number(low, &from) == 0 && units_scan_number(high, &to) == 0 && from > to)
            return error_set(error, ERROR_INPUT, table->path, table_line(row),
                             "ci_low %.40s is above ci_high %.40s; %s", low, high, remedy);
    }
    return 0;
}

int whole_read(const char *directory, enum csv_file file, bool may_miss, struct rows *rows,
               struct error *error) {
    const char *remedy = whole_of(file)->remedy;
    const struct path path = path_make("%s/%s", directory, rows_file_name(file));
    *rows = (struct rows){.file = file};
    if (may_miss && access(path.text, F_OK) != 0)
        return 0;
    return rows_read(path.text, file, remedy, rows, error) != 0 ||
                   check_intervals(&rows->table, remedy, error) != 0
               ? -1
               : 0;
}

int whole_run(const char *directory, struct error *error) {
    int failed = run_expect(directory, error);
    for (const struct whole_file *file = whole_files; file < whole_files + whole_count; file++) {
        struct rows rows;
        if (failed != 0)
            break;
        failed = whole_read(directory, file->file, true, &rows, error);
        if (failed == 0 && file->needed && rows.count == 0) {
            failed = error_set(
                error, ERROR_INPUT, PATH("%s/%s", directory, rows_file_name(file->file)), 0,
                "%s; %s", rows.table.header == NULL ? "is not there" : "has no rows", file->remedy);
        }
        rows_free(&rows);
    }
    return failed;
}

// A build's folder has the plan. Where it has none, path is left empty.
static bool is_build(char *path) {
    if (path[0] != '\0' && access(PATH("%s/variants.csv", path), R_OK) == 0)
        return true;
    path[0] = '\0';
    return false;
}

int whole_build(const char *directory, const char *builds, const char *sweep, char *path,
                size_t size, struct error *error) {
    struct journal journal;
    if (journal_read(directory, false, &journal, error) != 0)
        path[0] = '\0'; // a copy without one
    else
        snprintf(path, size, "%s", journal.settings.build);
    journal_free(&journal);
    if (is_build(path))
        return 0;
    snprintf(path, size, "%s/%s", builds, sweep);
    if (is_build(path))
        return 0;
    return error_set(error, ERROR_INPUT, PATH("%s/%s", builds, sweep), 0,
                     "the build that this run was measured from is not there; make it again with "
                     "./asmsweep build, or name it with --build");
}

static const char key[] = "toml";

char *listing_read(const char *directory, const char *variant, const char *sum, size_t *bytes,
                   struct error *error) {
    const struct path path = path_make("%s/code/%s.txt", directory, variant);
    char digits[SHA256_DIGEST_STRING_LENGTH], *text = NULL;
    if (strchr(variant, '/') == NULL)
        text = disk_read(path.text, bytes, error);
    else
        error_set(error, ERROR_INPUT, path.text, 0, "a variant's name has no slash");
    if (text == NULL || strcmp(SHA256Data((const uint8_t *)text, *bytes, digits), sum) == 0)
        return text;
    free(text);
    error_set(error, ERROR_INPUT, path.text, 0,
              "is not the listing that proof.csv has the SHA-256 of; take a whole copy of the run");
    return NULL;
}

void sweep_json_toml(const char *directory, char *path, size_t size) {
    struct error error;
    char *text = disk_read(PATH("%s/sweep.json", directory), NULL, &error);
    cJSON *sweep = text != NULL ? cJSON_Parse(text) : NULL;
    const char *toml = cJSON_GetStringValue(cJSON_GetObjectItem(sweep, key));
    snprintf(path, size, "%s", toml != NULL ? toml : "");
    cJSON_Delete(sweep);
    free(text);
}

char *sweep_json_anonymous(const char *text) {
    cJSON *sweep = cJSON_Parse(text);
    const char *toml = cJSON_GetStringValue(cJSON_GetObjectItem(sweep, key));
    if (toml != NULL && toml[0] != '\0')
        cJSON_SetValuestring(cJSON_GetObjectItem(sweep, key), "anonymous");
    char *anonymous = sweep != NULL ? cJSON_Print(sweep) : NULL;
    cJSON_Delete(sweep);
    return anonymous;
}

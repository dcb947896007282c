// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/whole.h"

#include "common/rows.h"
#include "common/table.h"
#include "common/units.h"
#include "results/runs.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define COLUMNS 64 // of one file, at most

static const char measure[] = "the run is damaged: take a whole copy of it, or measure again";
static const char solve[] = "remove it; ./asmsweep table makes it again";
// Without notes.csv alone the costs are there, and the front makes neither anew.
static const char solve_both[] = "remove it and costs.csv; ./asmsweep table makes both again";

const struct whole_file whole_files[] = {
    {"summary.csv", true, FILE_summary, measure},
    {"measurements.csv", true, FILE_measurements, measure},
    {"samples.csv", false, FILE_samples, measure},
    {"environment.csv", true, FILE_environment, measure},
    {"variants.csv", true, -1, measure},
    {"proof.csv", true, FILE_proof, measure},
    {"differences.csv", false, FILE_differences, measure},
    {"costs.csv", false, FILE_costs, solve},
    {"notes.csv", false, -1, solve_both},
};
const size_t whole_count = sizeof whole_files / sizeof *whole_files;

static bool is_one_of(const char *word, const char *const *words) {
    while (*words != NULL && strcmp(*words, word) != 0)
        words++;
    return *words != NULL;
}

static bool is_number(const char *column, enum csv_file file) {
    static const char *const words[] = {"run_id", "variant", "engine", NULL};
    static const char *const numbers[] = {"value", "ci_low", "ci_high", "cycles", NULL};
    return file == FILE_samples ? !is_one_of(column, words) : is_one_of(column, numbers);
}

// What may stand in a cell of a file with measured values. An empty one has no value.
static bool cell_is_sound(const char *column, enum csv_file file, const char *cell) {
    double number;
    if (cell[0] == '\0' || file == FILE_environment || file == FILE_proof)
        return true;
    if (strcmp(column, "status") == 0)
        return status_from_name(cell) >= 0;
    return !is_number(column, file) || units_scan_number(cell, &number) == 0;
}

static int check_interval(const struct table *table, size_t row, struct error *error) {
    const char *low = table_cell(table, row, "ci_low"), *high = table_cell(table, row, "ci_high");
    double from, to;
    if (units_scan_number(low, &from) != 0 || units_scan_number(high, &to) != 0 || from <= to)
        return 0;
    return error_set(error, ERROR_INPUT, table->path, table_line(row),
                     "ci_low %.40s is above ci_high %.40s", low, high);
}

static int check_cells(const struct table *table, enum csv_file file, struct error *error) {
    for (size_t i = 0; i < table->rows * table->columns; i++) {
        const char *column = table->header[i % table->columns];
        if (!cell_is_sound(column, file, table->cells[i]))
            return error_set(error, ERROR_INPUT, table->path, table_line(i / table->columns),
                             "'%.40s' is no %s", table->cells[i], column);
    }
    for (size_t row = 0; row < table->rows; row++)
        if (check_interval(table, row, error) != 0)
            return -1;
    return 0;
}

static int check_table(const struct whole_file *file, const char *path, struct error *error) {
    const char *required[COLUMNS + 1] = {NULL};
    size_t count = 0, used = 0;
    const char *const *names =
        file->columns >= 0 ? rows_columns((enum csv_file)file->columns, &count) : NULL;
    for (size_t i = 0; i < count && i < COLUMNS; i++)
        if (!rows_is_later((enum csv_file)file->columns, i))
            required[used++] = names[i];
    struct table table;
    int failed = table_read(path, required, &table, error);
    if (failed == 0 && file->columns >= 0)
        failed = check_cells(&table, (enum csv_file)file->columns, error);
    if (failed == 0 && file->needed && table.rows == 0)
        failed = error_set(error, ERROR_INPUT, path, 0, "has no rows");
    table_free(&table);
    return failed;
}

// Puts what to do behind what is wrong.
static int with_remedy(const char *remedy, struct error *error) {
    size_t length = strlen(error->text);
    snprintf(error->text + length, sizeof error->text - length, "; %s", remedy);
    return -1;
}

int whole_cells(const struct table *table, const char *name, struct error *error) {
    const struct whole_file *file = whole_files;
    while (strcmp(file->name, name) != 0)
        file++;
    if (file->columns < 0 || check_cells(table, (enum csv_file)file->columns, error) == 0)
        return 0;
    return with_remedy(file->remedy, error);
}

int whole_run(const char *directory, struct error *error) {
    if (run_expect(directory, error) != 0)
        return -1;
    for (size_t i = 0; i < whole_count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", directory, whole_files[i].name);
        if (access(path, F_OK) == 0) {
            if (check_table(&whole_files[i], path, error) != 0)
                return with_remedy(whole_files[i].remedy, error);
        } else if (whole_files[i].needed) {
            error_set(error, ERROR_INPUT, path, 0, "is not there");
            return with_remedy(whole_files[i].remedy, error);
        }
    }
    return 0;
}

// A build's folder has the plan. Where it has none, path is left empty.
static bool is_build(char *path) {
    char plan[4200];
    snprintf(plan, sizeof plan, "%s/variants.csv", path);
    if (path[0] != '\0' && access(plan, R_OK) == 0)
        return true;
    path[0] = '\0';
    return false;
}

// The line "build PATH" among the settings at the head of the run's journal; "" without one.
static void build_of_journal(const char *directory, char *path, size_t size) {
    static const char key[] = "build ";
    char line[5000];
    path[0] = '\0';
    snprintf(line, sizeof line, "%s/journal", directory);
    FILE *journal = fopen(line, "r");
    while (journal != NULL && fgets(line, sizeof line, journal) && strcmp(line, "begin\n") != 0)
        if (strncmp(line, key, sizeof key - 1) == 0) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(path, size, "%s", line + sizeof key - 1);
        }
    if (journal != NULL)
        fclose(journal);
}

int whole_build(const char *directory, const char *builds, const char *sweep, char *path,
                size_t size, struct error *error) {
    build_of_journal(directory, path, size);
    if (is_build(path))
        return 0;
    char place[4096];
    snprintf(place, sizeof place, "%s/%s", builds, sweep);
    snprintf(path, size, "%s", place);
    if (is_build(path))
        return 0;
    return error_set(error, ERROR_INPUT, place, 0,
                     "the build that this run was measured from is not there; make it again with "
                     "./asmsweep build, or name it with --build");
}

// SPDX-License-Identifier: GPL-3.0-or-later
// An archive that a reader can check and reproduce without this project.
#include "common/disk.h"
#include "common/replace.h"
#include "common/table.h"
#include "results/archive.h"
#include "results/commands.h"
#include "results/ending.h"
#include "results/reproduce.h"
#include "results/sweep_json.h"
#include "results/whole.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct bundle {
    const struct bundle_options *options;
    struct table summary, proof, plan;
    char unfinished[ENDING_TEXT]; // "" for a run that came to its end
    struct archive archive;
    struct error error; // why a file could not be added
    size_t programs;
};

// A whole file; *data is the caller's. 0, -1 with *error, or 1 if it is not there.
static int read_whole(const char *path, char **data, size_t *bytes, struct error *error) {
    *data = disk_read(path, bytes, error);
    return *data != NULL ? 0 : errno == ENOENT ? 1 : -1;
}

// What names a machine or its owner: columns of any file, keys of environment.csv.
static bool is_private(const char *column, const char *key) {
    static const char *const keys[] = {"host", "kernel_command_line", "kernel_version"};
    if (strcmp(column, "host") == 0 || strcmp(column, "toml") == 0)
        return true;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(column, "value") == 0 && strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

// One row of a CSV, with what is private replaced. `cells` has room for the table's columns.
static int write_anonymous(FILE *stream, const struct table *table, size_t row,
                           const char **cells) {
    for (size_t i = 0; i < table->columns; i++)
        cells[i] = is_private(table->header[i], table_cell(table, row, "key"))
                       ? "anonymous"
                       : table->cells[row * table->columns + i];
    return table_write_row(stream, cells, table->columns);
}

// A CSV again, with what is private replaced. *data is the caller's.
static int anonymous_csv(const char *path, char **data, size_t *bytes, struct error *error) {
    struct table table;
    if (table_read(path, NULL, &table, error) != 0)
        return -1;
    FILE *stream = open_memstream(data, bytes);
    const char **cells = calloc(table.columns, sizeof *cells);
    bool failed = stream == NULL || cells == NULL ||
                  table_write_row(stream, (const char *const *)table.header, table.columns) != 0;
    for (size_t row = 0; row < table.rows && !failed; row++)
        failed = write_anonymous(stream, &table, row, cells) != 0;
    if (stream != NULL)
        failed = fclose(stream) != 0 || failed;
    free(cells);
    table_free(&table);
    return failed ? error_set(error, ERROR_INPUT, path, 0, "out of memory") : 0;
}

static int add_data(struct bundle *bundle, const char *name, bool executable, char *data,
                    size_t bytes) {
    int failed = archive_add(&bundle->archive, name, executable, data, bytes, &bundle->error);
    free(data);
    return failed;
}

// One that is not there is not needed, or whole_run had refused the run.
static int add_csv(struct bundle *bundle, const char *file) {
    char path[4096], name[128], *data = NULL;
    size_t bytes = 0;
    snprintf(path, sizeof path, "%s/%s", bundle->options->directory, file);
    snprintf(name, sizeof name, "run/%s", file);
    int failed = read_whole(path, &data, &bytes, &bundle->error);
    if (failed > 0)
        return 0;
    if (failed == 0 && bundle->options->anonymous) {
        free(data);
        failed = anonymous_csv(path, &data, &bytes, &bundle->error);
    }
    return failed != 0 ? -1 : add_data(bundle, name, false, data, bytes);
}

static int add_sweep_json(struct bundle *bundle) {
    char path[4096], *data = NULL;
    size_t bytes = 0;
    snprintf(path, sizeof path, "%s/sweep.json", bundle->options->directory);
    int failed = read_whole(path, &data, &bytes, &bundle->error);
    if (failed != 0)
        return failed > 0 ? 0 : -1;
    if (bundle->options->anonymous) {
        char *anonymous = sweep_json_anonymous(data);
        free(data);
        if (anonymous == NULL)
            return error_set(&bundle->error, ERROR_INPUT, path, 0,
                             "is no JSON; take a whole copy of the run, or measure again");
        data = anonymous;
        bytes = strlen(data);
    }
    return add_data(bundle, "run/sweep.json", false, data, bytes);
}

static int add_program(struct bundle *bundle, const char *variant, const char *sha256) {
    char path[4096], name[512], *data = NULL, sum[65];
    size_t bytes = 0;
    snprintf(path, sizeof path, "%s/bin/%s", bundle->options->build, variant);
    snprintf(name, sizeof name, "bin/%s", variant);
    int failed = read_whole(path, &data, &bytes, &bundle->error);
    if (failed > 0)
        return error_set(&bundle->error, ERROR_INPUT, path, 0,
                         "is not there; name the build that was measured with --build");
    if (failed != 0)
        return -1;
    archive_sha256(data, bytes, sum);
    if (strcmp(sum, sha256) != 0) {
        free(data);
        return error_set(&bundle->error, ERROR_INPUT, path, 0,
                         "is not the program that this run measured: built again since? Run again");
    }
    bundle->programs++;
    return add_data(bundle, name, true, data, bytes);
}

static int add_source(struct bundle *bundle, const char *source) {
    char path[4096], *data = NULL;
    size_t bytes = 0;
    if (source[0] == '\0' || source[0] == '/' || strstr(source, "..") != NULL)
        return 0;
    snprintf(path, sizeof path, "%s/%s", bundle->options->build, source);
    int failed = read_whole(path, &data, &bytes, &bundle->error);
    if (failed > 0)
        return error_set(&bundle->error, ERROR_INPUT, path, 0,
                         "is not there; name the build that was measured with --build");
    return failed != 0 ? -1 : add_data(bundle, source, false, data, bytes);
}

static int add_programs(struct bundle *bundle) {
    for (size_t row = 0; row < bundle->proof.rows; row++) {
        const char *variant = table_cell(&bundle->proof, row, "variant");
        if (strchr(variant, '/') != NULL)
            return error_set(&bundle->error, ERROR_INPUT, bundle->proof.path, table_line(row),
                             "a variant's name has no slash");
        if (add_program(bundle, variant, table_cell(&bundle->proof, row, "elf_sha256")) != 0)
            return -1;
    }
    for (size_t row = 0; row < bundle->plan.rows; row++)
        if (add_source(bundle, table_cell(&bundle->plan, row, "source")) != 0)
            return -1;
    return 0;
}

// The guest's kernel and packs, as they lie in a folder.
static int add_guest(struct bundle *bundle) {
    static const char *const files[] = {"kernel", "pack-cpl0", "pack-cpl3"};
    for (size_t i = 0; i < sizeof files / sizeof files[0] && bundle->options->guest; i++) {
        char path[4096], name[64], *data = NULL;
        size_t bytes = 0;
        snprintf(path, sizeof path, "%s/%s", bundle->options->guest, files[i]);
        snprintf(name, sizeof name, "guest/%s", files[i]);
        int failed = read_whole(path, &data, &bytes, &bundle->error);
        if (failed > 0)
            return error_set(&bundle->error, ERROR_INPUT, path, 0, "is not there");
        if (failed != 0 || add_data(bundle, name, false, data, bytes) != 0)
            return -1;
    }
    return 0;
}

// The first variant of the run that has a value, for the text's examples.
static const char *example(const struct table *summary) {
    for (size_t row = 0; row < summary->rows; row++)
        if (table_cell(summary, row, "value")[0] != '\0')
            return table_cell(summary, row, "variant");
    return table_cell(summary, 0, "variant");
}

static int add_text(struct bundle *bundle) {
    struct reproduce text = {&bundle->summary, example(&bundle->summary),
                             bundle->options->guest != NULL, bundle->unfinished};
    char *data = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&data, &bytes);
    if (stream == NULL)
        return error_set(&bundle->error, ERROR_INPUT, NULL, 0, "out of memory");
    reproduce_write(&text, stream);
    fclose(stream);
    return add_data(bundle, "REPRODUCE.txt", false, data, bytes);
}

static int add_all(struct bundle *bundle) {
    if (add_text(bundle) != 0)
        return -1;
    for (size_t i = 0; i < whole_count; i++)
        if (add_csv(bundle, whole_files[i].name) != 0)
            return -1;
    if (add_sweep_json(bundle) != 0 || add_programs(bundle) != 0 || add_guest(bundle) != 0)
        return -1;
    return archive_finish(&bundle->archive, &bundle->error);
}

static void note_unfinished(const struct bundle *bundle) {
    char remedy[4200];
    ending_remedy(bundle->options->directory, remedy, sizeof remedy);
    if (bundle->unfinished[0] != '\0')
        fprintf(bundle->options->notes, "asmsweep-results: note: %s: the run was %s; %s\n",
                bundle->options->directory, bundle->unfinished, remedy);
}

static int make(struct bundle *bundle, FILE *out, struct error *error) {
    char folder[101], path[4096];
    const struct table *summary = &bundle->summary;
    snprintf(folder, sizeof folder, "asmsweep-%.40s-%.40s", table_cell(summary, 0, "sweep"),
             table_cell(summary, 0, "run_id"));
    if (bundle->options->out != NULL)
        snprintf(path, sizeof path, "%s", bundle->options->out);
    else
        snprintf(path, sizeof path, "%s.tar", folder);
    bundle->archive.folder = folder;
    bundle->archive.path = path;
    note_unfinished(bundle);
    struct replacement file;
    if (replace_begin(path, &file, error) != 0)
        return archive_not_written(path, error);
    bundle->archive.stream = file.stream;
    int failed = add_all(bundle);
    if (failed != 0)
        *error = bundle->error; // kept by replace_end
    int unwritten = replace_end(&file, failed, error);
    if (failed == 0 && unwritten)
        failed = archive_not_written(path, error);
    if (failed == 0)
        fprintf(out,
                "%s: %zu programs; check with: tar xf %s && cd %s && sha256sum -c SHA256SUMS\n",
                path, bundle->programs, path, folder);
    archive_free(&bundle->archive);
    return failed;
}

// The build's folder into `path`: the named one, else where it was measured.
static int find_build(const struct bundle *bundle, char *path, size_t size, struct error *error) {
    const struct bundle_options *options = bundle->options;
    if (options->build == NULL)
        return whole_build(options->directory, options->builds,
                           table_cell(&bundle->summary, 0, "sweep"), path, size, error);
    snprintf(path, size, "%s", options->build);
    return 0;
}

static int read_run_table(const struct bundle *bundle, const char *name,
                          const char *const *required, struct table *table, struct error *error) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", bundle->options->directory, name);
    return table_read(path, required, table, error);
}

int command_bundle(const struct bundle_options *options, FILE *out, struct error *error) {
    static const char *const proof[] = {"variant", "elf_sha256", NULL};
    static const char *const plan[] = {"variant", "source", NULL};
    struct bundle_options with_build = *options;
    struct bundle bundle = {.options = &with_build};
    char build[4096];
    int failed = whole_run(options->directory, error);
    failed = failed || read_run_table(&bundle, "summary.csv", NULL, &bundle.summary, error) ||
             read_run_table(&bundle, "proof.csv", proof, &bundle.proof, error) ||
             read_run_table(&bundle, "variants.csv", plan, &bundle.plan, error) ||
             find_build(&bundle, build, sizeof build, error);
    with_build.build = build;
    ending_unfinished(options->directory, bundle.unfinished);
    if (!failed && options->check)
        fprintf(out, "%s\n", build);
    else if (!failed)
        failed = make(&bundle, out, error);
    table_free(&bundle.summary);
    table_free(&bundle.proof);
    table_free(&bundle.plan);
    return failed ? -1 : 0;
}

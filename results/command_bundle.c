// SPDX-License-Identifier: GPL-3.0-or-later
// An archive that a reader can check and reproduce without this project: a tar that carries its
// own checksums. Nothing of the machine gets in: owner 0, no names of users, time 0; the same files
// make the same bytes. A run that is not whole (whole.h) is refused, and a build whose programs are
// not those that were measured.
#include "common/disk.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/replace.h"
#include "common/sums.h"
#include "common/table.h"
#include "results/commands.h"
#include "results/context.h"
#include "results/reproduce.h"
#include "results/runs.h"
#include "results/whole.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct bundle {
    const char *directory, *build, *builds, *guest, *out;
    int anonymous, check;
    struct rows summary, proof, plan;
    char unfinished[RUN_UNFINISHED]; // "" for a run that came to its end
    char folder[101];                // in which all lies in the archive
    struct archive *archive;
    struct archive_entry *entry; // of the file that is being added
    FILE *sums;                  // NULL: it is the list itself that is added
};

static int not_written(const char *path, struct error *error) {
    return error_errno(error, ERROR_INPUT, path,
                       "cannot be written; name another place with --out");
}

static int add(struct bundle *bundle, const char *name, mode_t mode, const char *data, size_t bytes,
               struct error *error) {
    archive_entry_clear(bundle->entry);
    archive_entry_set_pathname(bundle->entry, PATH("%s/%s", bundle->folder, name));
    archive_entry_set_filetype(bundle->entry, AE_IFREG);
    archive_entry_set_perm(bundle->entry, mode);
    archive_entry_set_size(bundle->entry, (la_int64_t)bytes);
    archive_entry_set_mtime(bundle->entry, 0, 0);
    if (bundle->sums != NULL)
        sums_add(bundle->sums, name, data, bytes);
    if (archive_write_header(bundle->archive, bundle->entry) == ARCHIVE_OK &&
        archive_write_data(bundle->archive, data, bytes) == (la_ssize_t)bytes)
        return 0;
    errno = archive_errno(bundle->archive);
    return not_written(bundle->out, error);
}

// What names a machine or its owner: columns of any file, keys of environment.csv.
static bool is_private(const char *column, const char *key) {
    static const char keys[] = "host;kernel_command_line;kernel_version";
    return context_among(column, strlen(column), "host;toml", ';') ||
           (strcmp(column, "value") == 0 && context_among(key, strlen(key), keys, ';'));
}

// A CSV again, with what is private replaced.
static int anonymous_csv(const char *path, char **data, size_t *bytes, struct error *error) {
    struct table table;
    if (table_read(path, NULL, &table, error) != 0)
        return -1;
    FILE *stream = text_open(data, bytes);
    const char **cells = memory_zero(table.columns, sizeof *cells);
    table_write_row(stream, (const char *const *)table.header, table.columns);
    for (size_t row = 0; row < table.rows; row++) {
        for (size_t i = 0; i < table.columns; i++)
            cells[i] = is_private(table.header[i], table_cell(&table, row, "key"))
                           ? "anonymous"
                           : table.cells[row * table.columns + i];
        table_write_row(stream, cells, table.columns);
    }
    text_close(stream);
    free(cells);
    table_free(&table);
    return 0;
}

// sweep.json again, without the path of its sweep.
static int anonymous_json(const char *path, char **data, size_t *bytes, struct error *error) {
    char *text = disk_read(path, NULL, error);
    *data = text != NULL ? sweep_json_anonymous(text) : NULL;
    *bytes = *data != NULL ? strlen(*data) : 0;
    free(text);
    return *data != NULL ? 0
                         : error_set(error, ERROR_INPUT, path, 0,
                                     "is no JSON; take a whole copy of the run, or measure again");
}

// A file of the run. One that is not there is not needed, or whole_run had refused the run.
static int add_own(struct bundle *bundle, const char *file, struct error *error) {
    size_t bytes;
    const struct path path = path_make("%s/%s", bundle->directory, file);
    char *data = disk_read(path.text, &bytes, error);
    int failed = data == NULL && errno != ENOENT;
    if (data != NULL && bundle->anonymous) {
        free(data);
        data = NULL;
        failed = strcmp(file, "sweep.json") == 0 ? anonymous_json(path.text, &data, &bytes, error)
                                                 : anonymous_csv(path.text, &data, &bytes, error);
    }
    if (data != NULL)
        failed = add(bundle, PATH("run/%s", file), 0644, data, bytes, error);
    free(data);
    return failed ? -1 : 0;
}

// FROM/FILE as `name`. `sha256` of what it has to be, or NULL.
static int add_file(struct bundle *bundle, const char *from, const char *file, const char *name,
                    mode_t mode, const char *sha256, struct error *error) {
    const struct path path = path_make("%s/%s", from, file);
    char sum[SHA256_DIGEST_STRING_LENGTH];
    size_t bytes;
    char *data = disk_read(path.text, &bytes, error);
    int failed = -1;
    if (data == NULL && errno == ENOENT)
        error_set(error, ERROR_INPUT, path.text, 0, "is not there%s",
                  from == bundle->build ? "; name the build that was measured with --build" : "");
    else if (data != NULL && sha256 != NULL && strcmp(SHA256Data((void *)data, bytes, sum), sha256))
        error_set(error, ERROR_INPUT, path.text, 0,
                  "is not the program that this run measured: built again since? Run again");
    else if (data != NULL)
        failed = add(bundle, name, mode, data, bytes, error);
    free(data);
    return failed;
}

static int add_program(struct bundle *bundle, size_t at, struct error *error) {
    const struct proof_row *row = (const struct proof_row *)bundle->proof.row + at;
    if (strchr(row->variant, '/') != NULL)
        return error_set(error, ERROR_INPUT, bundle->proof.table.path, table_line(at),
                         "a variant's name has no slash");
    const struct path name = path_make("bin/%s", row->variant);
    return add_file(bundle, bundle->build, name.text, name.text, 0755, row->elf_sha256, error);
}

// What the kernel made of a program at its first load.
static int add_listing(struct bundle *bundle, size_t at, struct error *error) {
    const struct proof_row *row = (const struct proof_row *)bundle->proof.row + at;
    size_t bytes;
    if (row->listing_sha256[0] == '\0')
        return 0;
    char *text = listing_read(bundle->directory, row->variant, row->listing_sha256, &bytes, error);
    int failed = text == NULL ||
                 add(bundle, PATH("run/code/%s.txt", row->variant), 0644, text, bytes, error);
    free(text);
    return failed ? -1 : 0;
}

static int add_source(struct bundle *bundle, size_t row, struct error *error) {
    const char *source = ((const struct variants_row *)bundle->plan.row)[row].source;
    if (source[0] == '\0' || source[0] == '/' || strstr(source, "..") != NULL)
        return 0;
    return add_file(bundle, bundle->build, source, source, 0644, NULL, error);
}

static int add_all(struct bundle *bundle, struct error *error) {
    static const char *const guest[] = {"guest/kernel", "guest/pack-cpl0", "guest/pack-cpl3"};
    char *text;
    size_t bytes;
    FILE *stream = text_open(&text, &bytes);
    reproduce_write(bundle->summary.row, bundle->summary.count, bundle->guest != NULL,
                    bundle->unfinished, stream);
    text_close(stream);
    int failed = add(bundle, "REPRODUCE.txt", 0644, text, bytes, error);
    free(text);
    for (size_t i = 0; i < whole_count && !failed; i++)
        failed = add_own(bundle, rows_file_name(whole_files[i].file), error);
    failed = failed || add_own(bundle, "sweep.json", error);
    for (size_t row = 0; row < bundle->proof.count && !failed; row++)
        failed = add_program(bundle, row, error) || add_listing(bundle, row, error);
    for (size_t row = 0; row < bundle->plan.count && !failed; row++)
        failed = add_source(bundle, row, error);
    for (size_t i = 0; i < 3 && bundle->guest != NULL && !failed; i++)
        failed =
            add_file(bundle, bundle->guest, strchr(guest[i], '/') + 1, guest[i], 0644, NULL, error);
    return failed;
}

static int write_archive(struct bundle *bundle, FILE *stream, struct error *error) {
    char *sums;
    size_t bytes;
    bundle->archive = archive_write_new();
    bundle->entry = archive_entry_new();
    bundle->sums = text_open(&sums, &bytes);
    archive_write_set_format_pax_restricted(bundle->archive); // ustar where a name fits
    int failed = archive_write_open_FILE(bundle->archive, stream) || add_all(bundle, error);
    text_close(bundle->sums);
    bundle->sums = NULL;
    failed = failed || add(bundle, "SHA256SUMS", 0644, sums, bytes, error);
    if (!failed && archive_write_close(bundle->archive) != ARCHIVE_OK) {
        errno = archive_errno(bundle->archive);
        failed = not_written(bundle->out, error);
    }
    free(sums);
    archive_entry_free(bundle->entry);
    archive_write_free(bundle->archive);
    return failed;
}

static int make(struct bundle *bundle, struct error *error) {
    struct replacement file;
    const struct summary_row *summary = bundle->summary.row;
    snprintf(bundle->folder, sizeof bundle->folder, "asmsweep-%.40s-%.40s", summary->sweep,
             summary->run_id);
    const struct path name = path_make("%s.tar", bundle->folder);
    if (bundle->out == NULL)
        bundle->out = name.text;
    if (bundle->unfinished[0] != '\0')
        fprintf(stderr, "asmsweep-results: note: %s: the run was %s; " RUN_RESUME "\n",
                bundle->directory, bundle->unfinished, bundle->directory);
    int failed = replace_begin(bundle->out, &file, error);
    if (failed) {
        not_written(bundle->out, error);
    } else {
        failed = write_archive(bundle, file.stream, error);
        if (replace_end(&file, failed, error) && !failed)
            failed = not_written(bundle->out, error);
    }
    if (!failed)
        printf("%s: %zu programs; check with: tar xf %s && cd %s && sha256sum -c SHA256SUMS\n",
               bundle->out, bundle->proof.count, bundle->out, bundle->folder);
    return failed;
}

static int bundle_run(struct bundle *bundle, struct error *error) {
    char build[4096];
    if (whole_run(bundle->directory, error) ||
        whole_read(bundle->directory, FILE_summary, false, &bundle->summary, error) ||
        whole_read(bundle->directory, FILE_proof, false, &bundle->proof, error) ||
        whole_read(bundle->directory, FILE_variants, false, &bundle->plan, error))
        return -1;
    if (bundle->build == NULL) {
        if (whole_build(bundle->directory, bundle->builds,
                        ((const struct summary_row *)bundle->summary.row)->sweep, build,
                        sizeof build, error))
            return -1;
        bundle->build = build;
    }
    run_unfinished(bundle->directory, bundle->unfinished);
    if (!bundle->check)
        return make(bundle, error);
    printf("%s\n", bundle->build);
    return 0;
}

int command_bundle(int argc, char **argv, struct error *error) {
    struct bundle bundle = {.builds = "build"};
    const struct option_row rows[] = {
        {"build", 0, OPTION_TEXT, &bundle.build, "DIR", 0, 0,
         "the build that was measured (default: what the run's journal says, or BUILDS/SWEEP)"},
        {"builds", 0, OPTION_TEXT, &bundle.builds, "DIR", 0, 0,
         "the folder of builds (default build)"},
        {"check", 0, OPTION_FLAG, &bundle.check, NULL, 0, 0,
         "make no archive: is the run whole? Prints the folder of its build"},
        {"guest", 0, OPTION_TEXT, &bundle.guest, "DIR", 0, 0,
         "folder with the guest's kernel, pack-cpl0 and pack-cpl3"},
        {"out", 'o', OPTION_TEXT, &bundle.out, "FILE", 0, 0, "the archive"},
        {"anonymous", 0, OPTION_FLAG, &bundle.anonymous, NULL, 0, 0,
         "without host name, kernel version and kernel command line"},
    };
    const struct option_list list = {
        "asmsweep", "bundle DIR [--anonymous] [--build DIR] [--out FILE]",
        "an archive that a reader can check", rows, sizeof rows / sizeof *rows};
    int failed = options_parse(&list, argc, argv, &bundle.directory, 1, 1, error) ||
                 bundle_run(&bundle, error);
    rows_free(&bundle.summary);
    rows_free(&bundle.proof);
    rows_free(&bundle.plan);
    return failed ? -1 : 0;
}

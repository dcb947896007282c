// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/run/store.h"

#include "common/disk.h"
#include "common/memory.h"
#include "common/replace.h"
#include "common/rows.h"
#include "common/table.h"
#include "runner/host/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static char *path_in(const char *directory, const char *name) {
    char *path;
    if (asprintf(&path, "%s/%s", directory, name) < 0)
        abort();
    return path;
}

static int cannot_write(const char *directory, const char *name, struct error *error) {
    char *path = path_in(directory, name), *journal = path_in(directory, "journal");
    int saved = errno, begun = !access(journal, F_OK); // without a journal there is no run yet
    errno = saved;
    error_errno(error, ERROR_INPUT, path,
                begun ? "cannot be written; what was measured before is kept, free some room, "
                        "then --resume"
                      : "cannot be written; nothing was measured, free some room or choose "
                        "another folder with -o");
    free(journal);
    free(path);
    return -1;
}

static int open_file(const char *directory, const char *name, int flags, struct error *error) {
    char *path = path_in(directory, name);
    int file = open(path, O_RDWR | O_APPEND | O_CLOEXEC | flags, 0666);
    if (file < 0)
        error_errno(error, ERROR_INPUT, path, "cannot be opened; choose another place with -o");
    free(path);
    return file;
}

// Write a file's header line; returns its length or -1.
static long long put_header(int file, enum csv_file which) {
    char *text;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    rows_write_header(stream, which);
    fclose(stream);
    int failed = disk_write(file, text, length) || fdatasync(file);
    free(text);
    return failed ? -1 : (long long)length;
}

static int put_settings(int file, const struct settings *settings) {
    char *text;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    settings_write(settings, stream);
    fclose(stream);
    int failed = disk_write(file, text, length) || fdatasync(file);
    free(text);
    return failed ? -1 : 0;
}

// Nobody else may write this folder while we do: an advisory lock on measurements.csv, gone
// with the process however it ends. A child of a killed run holds it for the moment until its
// exec, hence the second tries.
static int lock_folder(const struct store *store, struct error *error) {
    for (int try = 0; try < 20; try++) {
        if (!flock(store->measurements, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
            return 0; // some file systems have no locks: go without
        usleep(50000);
    }
    return error_set(
        error, ERROR_INPUT, store->directory, 0,
        "another run is writing here; wait for its end or choose another folder with -o");
}

// Made whole under another name: a journal that is there says what run it belongs to.
static int make_journal(struct store *store, const struct settings *settings, struct error *error) {
    char *path = path_in(store->directory, "journal"), *temporary;
    if (asprintf(&temporary, "%s.new", path) < 0)
        abort();
    store->journal = open_file(store->directory, "journal.new", O_CREAT | O_TRUNC, error);
    int failed = store->journal < 0 ? -1 : 0;
    if (!failed && (put_settings(store->journal, settings) || rename(temporary, path))) {
        failed = cannot_write(store->directory, "journal", error);
        unlink(temporary);
    }
    free(path);
    free(temporary);
    return failed;
}

// The journal is made last: a folder without one holds no run.
int store_is_free(const char *directory, struct error *error) {
    char *journal = path_in(directory, "journal");
    int there = !access(journal, F_OK);
    free(journal);
    return there ? error_set(error, ERROR_INPUT, directory, 0,
                             "holds a run already: --resume resumes it, another -o starts "
                             "anew")
                 : 0;
}

static int cannot_make(const char *directory, struct error *error) {
    return error_errno(error, ERROR_INPUT, directory,
                       "the run's folder cannot be made; choose another place with -o");
}

// Only making a folder tells: root has every right in /proc.
int store_can_be_made(const char *directory, struct error *error) {
    char *at = strdup(directory), *probe;
    while (access(at, F_OK) && errno == ENOENT && strcmp(at, ".")) {
        char *slash = strrchr(at, '/');
        if (!slash)
            strcpy(at, ".");
        else
            slash[slash == at] = '\0';
    }
    if (asprintf(&probe, "%s/.asmsweep-%d", at, (int)getpid()) < 0)
        abort();
    int failed = mkdir(probe, 0777) && errno != EEXIST ? cannot_make(directory, error) : 0;
    if (!failed)
        rmdir(probe);
    free(probe);
    free(at);
    return failed;
}

int store_create(const char *directory, const struct settings *settings, struct store *store,
                 struct error *error) {
    *store = (struct store){strdup(directory), -1, -1, -1, 0, 0, 0, 0};
    if (disk_make_folders(directory, error))
        return cannot_make(directory, error);
    store->measurements = open_file(directory, "measurements.csv", O_CREAT, error);
    if (store->measurements < 0 || lock_folder(store, error) || store_is_free(directory, error))
        return -1;
    store->samples = open_file(directory, "samples.csv", O_CREAT | O_TRUNC, error);
    if (store->samples < 0)
        return -1;
    store->measurements_bytes =
        ftruncate(store->measurements, 0) ? -1 : put_header(store->measurements, FILE_measurements);
    if (store->measurements_bytes < 0)
        return cannot_write(directory, "measurements.csv", error);
    store->samples_bytes = put_header(store->samples, FILE_samples);
    if (store->samples_bytes < 0)
        return cannot_write(directory, "samples.csv", error);
    return make_journal(store, settings, error);
}

// Bytes of a file's header, which may be of an older version.
static long long header_length(int file) {
    char text[4096];
    ssize_t got = pread(file, text, sizeof text, 0);
    const char *end = got > 0 ? memchr(text, '\n', (size_t)got) : NULL;
    return end != NULL ? end + 1 - text : 0;
}

int store_resume(const char *directory, struct journal *journal, struct store *store,
                 struct error *error) {
    *store = (struct store){
        .directory = strdup(directory), .journal = -1, .measurements = -1, .samples = -1};
    char *path = path_in(directory, "journal");
    *journal = (struct journal){0};
    if (access(path, F_OK))
        error_errno(error, ERROR_INPUT, path, "no run to resume here");
    else
        store->measurements = open_file(directory, "measurements.csv", 0, error);
    if (store->measurements >= 0 && lock_folder(store, error) == 0 &&
        journal_read(directory, false, journal, error) == 0 &&
        journal_check(journal, path, error) == 0)
        store->samples = open_file(directory, "samples.csv", 0, error);
    free(path);
    if (store->samples >= 0)
        store->journal = open_file(directory, "journal", 0, error);
    if (store->journal < 0)
        return -1;
    store->measurements_bytes = header_length(store->measurements);
    store->samples_bytes = header_length(store->samples);
    if (journal->count > 0) {
        store->measurements_bytes = journal->lines[journal->count - 1].measurements_bytes;
        store->samples_bytes = journal->lines[journal->count - 1].samples_bytes;
    }
    store->journal_bytes = journal->bytes;
    struct stat measurements, samples;
    if (fstat(store->measurements, &measurements) || fstat(store->samples, &samples) ||
        measurements.st_size < store->measurements_bytes || samples.st_size < store->samples_bytes)
        return error_set(error, ERROR_INPUT, directory, 0,
                         "measurements.csv or samples.csv is shorter than the journal says: "
                         "damaged, start the run anew in another folder");
    return 0;
}

int store_go_on(struct store *store, struct error *error) {
    const struct {
        const char *name;
        int file;
        long long bytes;
    } files[] = {{"journal", store->journal, store->journal_bytes},
                 {"measurements.csv", store->measurements, store->measurements_bytes},
                 {"samples.csv", store->samples, store->samples_bytes}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (ftruncate(files[i].file, files[i].bytes))
            return cannot_write(store->directory, files[i].name, error);
    return 0;
}

int store_append(struct store *store, const struct journal_line *line, const char *measurements,
                 size_t measurements_length, const char *samples, size_t samples_length, int sync,
                 struct error *error) {
    struct tsc_reading before = machine_read_tsc();
    char *text;
    size_t length;
    FILE *stream = text_open(&text, &length);
    struct journal_line whole = *line;
    whole.measurements_bytes = store->measurements_bytes + (long long)measurements_length;
    whole.samples_bytes = store->samples_bytes + (long long)samples_length;
    journal_write(&whole, stream);
    text_close(stream);
    const char *at = "measurements.csv";
    if (disk_write(store->measurements, measurements, measurements_length) ||
        (sync && fdatasync(store->measurements)))
        goto failed;
    at = "samples.csv";
    if (samples_length && (disk_write(store->samples, samples, samples_length) ||
                           (sync && fdatasync(store->samples))))
        goto failed;
    at = "journal";
    off_t journal_bytes = lseek(store->journal, 0, SEEK_END);
    if (disk_write(store->journal, text, length) || (sync && fdatasync(store->journal))) {
        int saved = errno;
        if (ftruncate(store->journal, journal_bytes))
            saved = errno;
        errno = saved;
        goto failed;
    }
    free(text);
    store->measurements_bytes = whole.measurements_bytes;
    store->samples_bytes = whole.samples_bytes;
    store->seconds_syncing += machine_read_tsc().seconds - before.seconds;
    return 0;
failed:
    cannot_write(store->directory, at, error);
    free(text);
    if (ftruncate(store->measurements, store->measurements_bytes) ||
        ftruncate(store->samples, store->samples_bytes))
        return -1; // resuming cuts them as well
    return -1;
}

static void write_sizes(const struct store *store, FILE *stream) {
    static const char *const names[] = {"measurements.csv", "samples.csv", "environment.csv",
                                        "variants.csv",     "proof.csv",   "differences.csv",
                                        "sweep.json",       "summary.csv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = path_in(store->directory, names[i]);
        struct stat status;
        if (!stat(path, &status))
            fprintf(stream, "size %s %lld\n", names[i], (long long)status.st_size);
        free(path);
    }
}

int store_end(struct store *store, const char *how, struct error *error) {
    char *text;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    write_sizes(store, stream);
    fprintf(stream, "end %s\n", how);
    fclose(stream);
    int failed = disk_write(store->journal, text, length) || fdatasync(store->journal);
    free(text);
    return failed ? cannot_write(store->directory, "journal", error) : 0;
}

int store_write_file(const struct store *store, const char *name, const char *text, size_t length,
                     struct error *error) {
    char *path = path_in(store->directory, name);
    int failed = replace_text(path, text, length, error);
    if (failed)
        cannot_write(store->directory, name, error);
    free(path);
    return failed;
}

int store_copy_file(const struct store *store, const char *from, const char *name,
                    struct error *error) {
    size_t length;
    char *text = disk_read(from, &length, error);
    if (!text)
        return -1;
    int failed = store_write_file(store, name, text, length, error);
    free(text);
    return failed;
}

void store_close(struct store *store) {
    int *files[] = {&store->journal, &store->measurements, &store->samples};
    for (size_t i = 0; i < 3; i++) {
        if (*files[i] >= 0)
            close(*files[i]);
        *files[i] = -1;
    }
    free(store->directory);
    store->directory = NULL;
}

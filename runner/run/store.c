// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/run/store.h"

#include "common/disk.h"
#include "common/memory.h"
#include "common/replace.h"
#include "common/rows.h"
#include "runner/host/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[STORE_FILES] = {"measurements.csv", "samples.csv", "journal"};

static bool holds_run(const char *directory) {
    return !access(PATH("%s/journal", directory), F_OK); // made last: without one there is no run
}

static int cannot_write(const char *directory, const char *name, struct error *error) {
    int saved = errno;
    bool begun = holds_run(directory);
    errno = saved;
    return error_errno(error, ERROR_INPUT, PATH("%s/%s", directory, name),
                       begun
                           ? "cannot be written; what was measured before is kept, free some room, "
                             "then --resume"
                           : "cannot be written; nothing was measured, free some room or choose "
                             "another folder with -o");
}

static int open_file(struct store *store, enum store_name which, int flags, struct error *error) {
    struct path path = path_make("%s/%s", store->directory, names[which]);
    int file = open(path.text, O_RDWR | O_APPEND | O_CLOEXEC | flags, 0666);
    store->files[which].file = file;
    return file < 0 ? error_errno(error, ERROR_INPUT, path.text,
                                  "cannot be opened; choose another place with -o")
                    : 0;
}

// Make a CSV anew that has nothing but its header.
static int put_header(struct store *store, enum store_name which, enum csv_file columns,
                      struct error *error) {
    struct store_file *file = &store->files[which];
    char *text;
    size_t length;
    FILE *stream = text_open(&text, &length);
    rows_write_header(stream, columns);
    text_close(stream);
    int failed =
        ftruncate(file->file, 0) || disk_write(file->file, text, length) || fdatasync(file->file);
    file->bytes = (long long)length;
    free(text);
    return failed ? cannot_write(store->directory, names[which], error) : 0;
}

// Nobody else may write this folder while we do: an advisory lock on measurements.csv, gone
// with the process however it ends. A child of a killed run holds it for the moment until its
// exec, hence the second tries.
static int lock_folder(const struct store *store, struct error *error) {
    for (int try = 0; try < 20; try++) {
        if (!flock(store->files[STORE_measurements].file, LOCK_EX | LOCK_NB) ||
            errno != EWOULDBLOCK)
            return 0; // some file systems have no locks: go without
        usleep(50000);
    }
    return error_set(
        error, ERROR_INPUT, store->directory, 0,
        "another run is writing here; wait for its end or choose another folder with -o");
}

// Made whole under another name: a journal that is there says what run it belongs to.
static int make_journal(struct store *store, const struct settings *settings, struct error *error) {
    char *text;
    size_t length;
    FILE *stream = text_open(&text, &length);
    settings_write(settings, stream);
    text_close(stream);
    int failed = store_write_file(store, "journal", text, length, error) ||
                 open_file(store, STORE_journal, 0, error);
    store->files[STORE_journal].bytes = (long long)length;
    free(text);
    return failed ? -1 : 0;
}

int store_is_free(const char *directory, struct error *error) {
    return holds_run(directory) ? error_set(error, ERROR_INPUT, directory, 0,
                                            "holds a run already: --resume resumes it, another -o "
                                            "starts anew")
                                : 0;
}

static int cannot_make(const char *directory, struct error *error) {
    return error_errno(error, ERROR_INPUT, directory,
                       "the run's folder cannot be made; choose another place with -o");
}

// Only making a folder tells: root has every right in /proc.
int store_can_be_made(const char *directory, struct error *error) {
    char *at = text_make("%s", directory);
    while (access(at, F_OK) && errno == ENOENT && strcmp(at, ".")) {
        char *slash = strrchr(at, '/');
        if (!slash)
            strcpy(at, ".");
        else
            slash[slash == at] = '\0';
    }
    struct path probe = path_make("%s/.asmsweep-%d", at, (int)getpid());
    free(at);
    int failed = mkdir(probe.text, 0777) && errno != EEXIST ? cannot_make(directory, error) : 0;
    if (!failed)
        rmdir(probe.text);
    return failed;
}

static struct store nothing_open(const char *directory) {
    return (struct store){.directory = text_make("%s", directory),
                          .files = {{-1, 0}, {-1, 0}, {-1, 0}}};
}

int store_create(const char *directory, const struct settings *settings, struct store *store,
                 struct error *error) {
    *store = nothing_open(directory);
    if (disk_make_folders(directory, error))
        return cannot_make(directory, error);
    return open_file(store, STORE_measurements, O_CREAT, error) || lock_folder(store, error) ||
                   store_is_free(directory, error) ||
                   open_file(store, STORE_samples, O_CREAT, error) ||
                   put_header(store, STORE_measurements, FILE_measurements, error) ||
                   put_header(store, STORE_samples, FILE_samples, error) ||
                   make_journal(store, settings, error)
               ? -1
               : 0;
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
    struct path path = path_make("%s/journal", directory);
    *store = nothing_open(directory);
    *journal = (struct journal){0};
    if (access(path.text, F_OK))
        return error_errno(error, ERROR_INPUT, path.text, "no run to resume here");
    if (open_file(store, STORE_measurements, 0, error) || lock_folder(store, error) ||
        journal_read(directory, false, journal, error) ||
        journal_check(journal, path.text, error) || open_file(store, STORE_samples, 0, error) ||
        open_file(store, STORE_journal, 0, error))
        return -1;
    const struct journal_line *last =
        journal->count > 0 ? &journal->lines[journal->count - 1] : NULL;
    struct store_file *files = store->files;
    for (int i = 0; i < STORE_journal; i++) {
        struct stat status;
        long long header = files[i].bytes = header_length(files[i].file);
        if (last != NULL)
            files[i].bytes = i == STORE_samples ? last->samples_bytes : last->measurements_bytes;
        if (fstat(files[i].file, &status) || status.st_size < files[i].bytes ||
            files[i].bytes < header)
            return error_set(error, ERROR_INPUT, directory, 0,
                             "measurements.csv or samples.csv is shorter than the journal says: "
                             "damaged, start the run anew in another folder");
    }
    files[STORE_journal].bytes = journal->bytes;
    return 0;
}

int store_go_on(struct store *store, struct error *error) {
    for (int i = STORE_FILES - 1; i >= 0; i--)
        if (ftruncate(store->files[i].file, store->files[i].bytes))
            return cannot_write(store->directory, names[i], error);
    return 0;
}

int store_append(struct store *store, const struct journal_line *line, const char *measurements,
                 size_t measurements_length, const char *samples, size_t samples_length, int sync,
                 struct error *error) {
    struct tsc_reading before = machine_read_tsc();
    struct store_file *files = store->files;
    struct journal_line whole = *line;
    size_t lengths[STORE_FILES] = {measurements_length, samples_length};
    char *text;
    int failed = 0;
    whole.measurements_bytes = files[STORE_measurements].bytes + (long long)measurements_length;
    whole.samples_bytes = files[STORE_samples].bytes + (long long)samples_length;
    FILE *stream = text_open(&text, &lengths[STORE_journal]);
    journal_write(&whole, stream);
    text_close(stream);
    const char *const texts[STORE_FILES] = {measurements, samples, text};
    for (int i = 0; i < STORE_FILES && !failed; i++)
        if (lengths[i] > 0 &&
            (disk_write(files[i].file, texts[i], lengths[i]) || (sync && fdatasync(files[i].file))))
            failed = cannot_write(store->directory, names[i], error);
    free(text);
    for (int i = 0; i < STORE_FILES; i++)
        if (!failed)
            files[i].bytes += (long long)lengths[i];
        else if (ftruncate(files[i].file, files[i].bytes))
            return -1; // resuming cuts them as well
    store->seconds_syncing += machine_read_tsc().seconds - before.seconds;
    return failed;
}

static void write_sizes(const struct store *store, FILE *stream) {
    static const char *const files[] = {"measurements.csv", "samples.csv", "environment.csv",
                                        "variants.csv",     "proof.csv",   "differences.csv",
                                        "sweep.json",       "summary.csv"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct stat status;
        if (!stat(PATH("%s/%s", store->directory, files[i]), &status))
            fprintf(stream, "size %s %lld\n", files[i], (long long)status.st_size);
    }
}

int store_end(struct store *store, const char *how, struct error *error) {
    char *text;
    size_t length;
    int file = store->files[STORE_journal].file;
    FILE *stream = text_open(&text, &length);
    write_sizes(store, stream);
    fprintf(stream, "end %s\n", how);
    text_close(stream);
    int failed = disk_write(file, text, length) || fdatasync(file);
    free(text);
    return failed ? cannot_write(store->directory, "journal", error) : 0;
}

int store_write_file(const struct store *store, const char *name, const char *text, size_t length,
                     struct error *error) {
    return replace_text(PATH("%s/%s", store->directory, name), text, length, error)
               ? cannot_write(store->directory, name, error)
               : 0;
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
    for (int i = 0; i < STORE_FILES && store->directory != NULL; i++)
        if (store->files[i].file >= 0)
            close(store->files[i].file);
    free(store->directory);
    *store = (struct store){0};
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/host/tune.h"

#include "runner/host/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

const struct tune_places tune_system = {"/sys", "/run/asmsweep-tune"};

enum { MAX_PATH = 256, MAX_VALUE = 64, MAX_CHANGES = 16 };

// The knobs, under sys; %d is the CPU. A machine has one of the two turbo knobs at most.
static const struct knob {
    const char *path, *value, *what;
    bool of_siblings; // not of the CPU itself
} knobs[] = {
    {"devices/system/cpu/cpu%d/cpufreq/scaling_governor", "performance", "governor", false},
    {"devices/system/cpu/intel_pstate/no_turbo", "1", "turbo off", false},
    {"devices/system/cpu/cpufreq/boost", "0", "boost off", false},
    {"devices/system/cpu/cpu%d/online", "0", "sibling offline", true},
};
enum { KNOBS = sizeof knobs / sizeof *knobs };
static const char sibling_list[] = "devices/system/cpu/cpu%d/topology/thread_siblings_list";

// One setting to change: path is below sys.
struct change {
    const struct knob *knob;
    char path[MAX_PATH], old[MAX_VALUE];
};

static int read_value(const char *sys, const char *path, char *value) {
    return machine_read_line(value, MAX_VALUE, "%s/%s", sys, path);
}

static int write_value(const char *sys, const char *path, const char *value, struct error *error) {
    char whole[2 * MAX_PATH];
    snprintf(whole, sizeof whole, "%s/%s", sys, path);
    int file = open(whole, O_WRONLY | O_CLOEXEC | O_TRUNC);
    int failed = file < 0 || write(file, value, strlen(value)) != (ssize_t)strlen(value);
    if (failed)
        error_errno(error, ERROR_INPUT, whole, "cannot be set to '%s' (--tune needs root)", value);
    if (file >= 0)
        close(file);
    return failed ? -1 : 0;
}

static void add_change(const char *sys, const struct knob *knob, int cpu, struct change *changes,
                       size_t *count) {
    struct change *change = &changes[*count];
    if (*count == MAX_CHANGES)
        return;
    *change = (struct change){.knob = knob};
    snprintf(change->path, sizeof change->path, knob->path, cpu);
    *count += !read_value(sys, change->path, change->old) && strcmp(change->old, knob->value) != 0;
}

// What there is to change for `cpu`.
static size_t plan_changes(const char *sys, int cpu, struct change *changes) {
    size_t count = 0;
    char path[MAX_PATH], list[MAX_VALUE];
    snprintf(path, sizeof path, sibling_list, cpu);
    read_value(sys, path, list);
    for (size_t i = 0; i < KNOBS; i++)
        for (int at = 0; at < CPU_SETSIZE; at++)
            if (knobs[i].of_siblings ? at != cpu && machine_in_list(list, at) : at == cpu)
                add_change(sys, &knobs[i], at, changes, &count);
    return count;
}

// Open the journal and lock it. -1: errno.
static int open_journal(const char *path, int flags) {
    int file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
    struct stat status;
    if (file < 0)
        return -1;
    // Values to be written as root: only from a file that nobody else could have made.
    if (fstat(file, &status) || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
        status.st_mode & 022) {
        close(file);
        errno = EPERM;
        return -1;
    }
    if (flock(file, LOCK_EX | LOCK_NB)) {
        close(file);
        errno = EWOULDBLOCK;
        return -1;
    }
    return file;
}

// The old values, on disk before the first change.
static int write_journal(int journal, const struct change *changes, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (dprintf(journal, "%s\t%s\n", changes[i].path, changes[i].old) < 0)
            return -1;
    return fsync(journal);
}

// Is it one of our knobs, for some CPU? The journal writes nothing else.
static bool known_path(const char *path) {
    char expected[MAX_PATH];
    const char *digits = strstr(path, "cpu/cpu");
    int cpu = digits ? atoi(digits + strlen("cpu/cpu")) : 0;
    for (size_t i = 0; i < KNOBS; i++) {
        snprintf(expected, sizeof expected, knobs[i].path, cpu);
        if (!strcmp(path, expected))
            return true;
    }
    return false;
}

// Put back every value of the journal; all are tried, the first error is told.
static int put_back(const char *sys, int journal, FILE *report, struct error *error) {
    char line[MAX_PATH + MAX_VALUE];
    int failed = 0, copy = dup(journal);
    FILE *stream = copy < 0 ? NULL : fdopen(copy, "r");
    if (!stream)
        return error_errno(error, ERROR_INPUT, NULL, "cannot read the journal of --tune");
    rewind(stream);
    while (fgets(line, sizeof line, stream)) {
        char *value = strchr(line, '\t'), *end = strchr(line, '\n');
        struct error ignored;
        if (!value || !end) // torn: it was written before anything was changed
            break;
        *value++ = '\0';
        *end = '\0';
        if (!known_path(line))
            continue;
        if (write_value(sys, line, value, failed ? &ignored : error))
            failed = 1;
        else if (report)
            fprintf(report, "put back: %s is '%s' again\n", line, value);
    }
    fclose(stream);
    return failed ? -1 : 0;
}

int tune_apply(const struct tune_places *places, int cpu, FILE *report, struct error *error) {
    struct change changes[MAX_CHANGES];
    size_t count = plan_changes(places->sys, cpu, changes);
    int journal = open_journal(places->journal, O_CREAT);
    if (journal < 0)
        return error_errno(error, ERROR_INPUT, places->journal,
                           "--tune needs root, and one run at a time may tune");
    if (ftruncate(journal, 0) || write_journal(journal, changes, count)) {
        error_errno(error, ERROR_INPUT, places->journal, "cannot be written");
        unlink(places->journal);
        close(journal);
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        if (write_value(places->sys, changes[i].path, changes[i].knob->value, error)) {
            struct error ignored;
            tune_restore(places, journal, &ignored);
            return -1;
        }
        fprintf(report, "tuned, %s: %s was '%s', is '%s'\n", changes[i].knob->what, changes[i].path,
                changes[i].old, changes[i].knob->value);
    }
    if (!count)
        fprintf(report, "nothing to tune: this machine offers no governor, turbo or SMT sibling\n");
    return journal;
}

// Put back, and close the journal.
static int restore(const struct tune_places *places, int journal, FILE *report,
                   struct error *error) {
    int failed = put_back(places->sys, journal, report, error);
    if (!failed)
        unlink(places->journal); // else the next start tries again
    close(journal);
    return failed;
}

int tune_restore(const struct tune_places *places, int lock, struct error *error) {
    return restore(places, lock, NULL, error);
}

int tune_recover(const struct tune_places *places, FILE *report, struct error *error) {
    int journal = open_journal(places->journal, 0);
    if (journal < 0) // none there, or its run is alive
        return errno == EPERM ? error_errno(error, ERROR_INPUT, places->journal,
                                            "is not ours; not used, remove it")
                              : 0;
    fprintf(report, "an earlier --tune was cut off\n");
    return restore(places, journal, report, error);
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/runs.h"

#include "common/journal.h"
#include "common/memory.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LEVELS = 3 }; // SWEEP/CPU/RUN

static bool is_there(const char *folder, const char *name) {
    return access(PATH("%s/%s", folder, name), R_OK) == 0;
}

bool run_ended(const char *folder) {
    struct journal journal;
    struct error ignored;
    if (!is_there(folder, "summary.csv"))
        return false;
    if (journal_read(folder, true, &journal, &ignored) != 0)
        return errno == ENOENT;
    bool ended = journal.end[0] != '\0';
    journal_free(&journal);
    return ended;
}

// Is every file at least as long as the journal says? A copy that was cut between two rows looks
// whole else.
static int check_sizes(const char *folder, struct error *error) {
    struct journal journal;
    struct error ignored;
    struct stat status;
    int failed = 0;
    if (journal_read(folder, true, &journal, &ignored) != 0)
        return 0;
    for (size_t i = 0; i < journal.size_count && !failed; i++) {
        const struct journal_size *size = &journal.sizes[i];
        const struct path path = path_make("%s/%s", folder, size->file);
        if (strchr(size->file, '/') == NULL && stat(path.text, &status) == 0 &&
            status.st_size < size->bytes)
            failed = error_set(error, ERROR_INPUT, path.text, 0,
                               "is cut off: %lld of the %lld bytes that were written; take a whole "
                               "copy of the run, or measure again",
                               (long long)status.st_size, size->bytes);
    }
    journal_free(&journal);
    return failed;
}

struct path run_remedy(const char *folder) {
    if (is_there(folder, "journal") && !run_ended(folder))
        return path_make(RUN_RESUME, folder);
    return path_make("give the folder that ./asmsweep run printed, or run it again");
}

int run_expect(const char *folder, struct error *error) {
    if (is_there(folder, "summary.csv"))
        return check_sizes(folder, error);
    return error_set(error, ERROR_INPUT, folder, 0, "%s; %s",
                     access(folder, F_OK) != 0 ? "is not there" : "has no summary.csv",
                     run_remedy(folder).text);
}

// How many executions a variant has: "3 executions a variant", "2 to 3 ...". Blocks are executed
// one after the other, each a round of all variants; those beyond the planned number hold only
// some.
static void print_executions(const struct journal *journal, char *text, size_t size) {
    const struct journal_line *lines = journal->lines;
    const struct journal_line *last = journal->count > 0 ? &lines[journal->count - 1] : NULL;
    long here = 0, before = 0; // executions in the last block, and in the one before it
    for (size_t i = 0; i < journal->count; i++) {
        here += lines[i].core == last->core && lines[i].block == last->block;
        before += lines[i].core == last->core && lines[i].block == last->block - 1;
    }
    long most = last != NULL ? last->block + 1 : 0;
    // The first block has none before it that tells how many variants there are.
    long least = most > 1 && here >= before ? most : most - 1;
    if (most <= 0)
        snprintf(text, size, "no execution");
    else if (least <= 0)
        snprintf(text, size, "at most 1 execution a variant");
    else if (least < most)
        snprintf(text, size, "%ld to %ld executions a variant", least, most);
    else
        snprintf(text, size, "%ld executions a variant", most);
}

void run_unfinished(const char *folder, char *text) {
    struct journal journal;
    struct error ignored;
    char executions[80];
    text[0] = '\0';
    if (journal_read(folder, false, &journal, &ignored) != 0)
        return;
    const char *how =
        strcmp(journal.end, "budget") == 0 ? "ended by its time budget" : "interrupted";
    long long planned = journal.settings.blocks;
    print_executions(&journal, executions, sizeof executions);
    if (strcmp(journal.end, "complete") == 0)
        text[0] = '\0';
    else if (planned <= 0) // a journal without settings
        snprintf(text, RUN_UNFINISHED, "%s", how);
    else if (journal.count > 0 && journal.lines[journal.count - 1].block >= planned)
        snprintf(text, RUN_UNFINISHED,
                 "%s: the %lld planned executions a variant, but not all further ones", how,
                 planned);
    else
        snprintf(text, RUN_UNFINISHED, "%s: %s of %lld planned", how, executions, planned);
    journal_free(&journal);
}

static void add(struct runs *runs, const char *path) {
    runs->path = memory_more(runs->path, runs->count, sizeof *runs->path);
    runs->path[runs->count++] = text_make("%s", path);
}

static int visible(const struct dirent *entry) {
    return entry->d_name[0] != '.' &&
           (entry->d_type == DT_DIR || entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN);
}

// Folders at `levels` below `folder` that hold an ended run, sorted by name at each level.
static int collect(const char *folder, int levels, struct runs *runs, struct error *error) {
    if (levels == 0) {
        if (run_ended(folder))
            add(runs, folder);
        return 0;
    }
    struct dirent **entries;
    int count = scandir(folder, &entries, visible, alphasort), failed = 0;
    if (count < 0 && errno == ENOTDIR)
        return 0; // a file among the folders
    if (count < 0)
        return error_errno(error, ERROR_INPUT, folder, "cannot be read; is it a store of runs?");
    for (int i = 0; i < count; i++) {
        failed = failed ||
                 collect(PATH("%s/%s", folder, entries[i]->d_name), levels - 1, runs, error) != 0;
        free(entries[i]);
    }
    free(entries);
    return failed ? -1 : 0;
}

int runs_in_store(const char *store, struct runs *runs, struct error *error) {
    *runs = (struct runs){0};
    return collect(store, LEVELS, runs, error);
}

int runs_before(const char *run, struct runs *runs, struct error *error) {
    struct runs all = {0};
    *runs = (struct runs){0};
    const char *name = basename(run);
    const struct path folder =
        path_make("%.*s", name > run ? (int)(name - run - 1) : 1, name > run ? run : ".");
    int failed = collect(folder.text, 1, &all, error);
    for (size_t i = all.count; i-- > 0 && failed == 0;)
        if (strcmp(basename(all.path[i]), name) < 0)
            add(runs, all.path[i]);
    runs_free(&all);
    return failed;
}

void runs_free(struct runs *runs) {
    for (size_t i = 0; i < runs->count; i++)
        free(runs->path[i]);
    free(runs->path);
    *runs = (struct runs){0};
}

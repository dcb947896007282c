// SPDX-License-Identifier: GPL-3.0-or-later
#include "campaign/fleet/pack.h"

#include "campaign/fleet/files.h"
#include "common/disk.h"
#include "common/memory.h"
#include "common/replace.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char list_name[] = "SHA256SUMS";

// From where (beside this program, or in the build directory) to where in the pack. What is
// optional is left out where it was not built.
static const struct {
    int from_build, optional;
    const char *from, *to;
} parts[] = {
    {0, 0, "asmsweep-run-static", "bin/asmsweep-run"},
    {0, 0, "asmsweep-fleet", "bin/asmsweep-fleet"},
    {0, 1, "../guest/kernel", "guest/kernel"},
    {0, 1, "../guest/truth", "guest/truth"},
    {1, 0, "variants.csv", "sweep/variants.csv"},
    {1, 0, "proof.csv", "sweep/proof.csv"},
    {1, 1, "differences.csv", "sweep/differences.csv"},
    {1, 1, "sweep.json", "sweep/sweep.json"},
    {1, 0, "bin", "sweep/bin"},
};

static int copy(const char *from, const char *to, struct error *error) {
    struct process_result result;
    const char *const argv[] = {"cp", "-RL", "--preserve=mode,timestamps", "--", from, to, NULL};
    int failed = tool_run(argv, 0, &result, error);
    process_free(&result);
    return failed;
}

static int by_name(const FTSENT **a, const FTSENT **b) {
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

// The lines of SHA256SUMS for all files of the pack, in the order of their names.
static int list_files(const char *folder, FILE *stream, struct error *error) {
    char *const roots[] = {(char *)folder, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    int failed = 0;
    if (!walk)
        return error_errno(error, ERROR_INPUT, folder, "cannot be read");
    for (FTSENT *entry; !failed && (entry = fts_read(walk));) {
        char digits[65];
        if (entry->fts_info != FTS_F)
            continue;
        failed = files_sha256(entry->fts_path, digits, error);
        if (!failed)
            fprintf(stream, "%s  %s\n", digits, entry->fts_path + strlen(folder) + 1);
    }
    fts_close(walk);
    return failed;
}

static int write_list(const char *folder, struct error *error) {
    char *text, *path = text_make("%s/%s", folder, list_name);
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        abort();
    int failed = list_files(folder, stream, error);
    fclose(stream);
    failed = failed || replace_text(path, text, length, error);
    free(text);
    free(path);
    return failed ? -1 : 0;
}

int pack_make(const char *build, const char *folder, struct error *error) {
    static const char *const folders[] = {"bin", "guest", "sweep"};
    int failed = 0;
    for (size_t i = 0; !failed && i < sizeof folders / sizeof *folders; i++) {
        char *path = text_make("%s/%s", folder, folders[i]);
        failed = disk_make_folders(path, error);
        free(path);
    }
    for (size_t i = 0; !failed && i < sizeof parts / sizeof *parts; i++) {
        char *from = parts[i].from_build ? text_make("%s/%s", build, parts[i].from)
                                         : files_beside(parts[i].from);
        char *to = text_make("%s/%s", folder, parts[i].to);
        int there = !access(from, R_OK);
        if (!there && !parts[i].optional)
            failed = error_errno(error, ERROR_MISSING, from, "is missing; build it first");
        else if (there)
            failed = copy(from, to, error);
        free(from);
        free(to);
    }
    return failed ? -1 : write_list(folder, error);
}

static int check_line(const char *folder, const char *line, const char *list, size_t number,
                      struct error *error) {
    char digits[65];
    size_t length = strspn(line, "0123456789abcdef");
    const char *name = line + 66;
    if (length != 64 || strncmp(line + 64, "  ", 2) || !*name)
        return error_set(error, ERROR_INPUT, list, number, "damaged: not a line of sha256sum");
    char *path = text_make("%s/%s", folder, name);
    int failed = files_sha256(path, digits, error);
    if (!failed && strncmp(digits, line, 64))
        failed = error_set(error, ERROR_INPUT, path, 0,
                           "is not the file that was shipped (SHA-256 %s, shipped %.64s); submit "
                           "anew",
                           digits, line);
    free(path);
    return failed;
}

int pack_check(const char *folder, char sum[65], struct error *error) {
    char *path = text_make("%s/%s", folder, list_name), *line;
    char *text = disk_read(path, NULL, error), *rest = text;
    int failed = !text || files_sha256(path, sum, error);
    for (size_t number = 1; !failed && (line = strsep(&rest, "\n")); number++)
        if (*line)
            failed = check_line(folder, line, path, number, error);
    free(text);
    free(path);
    return failed ? -1 : 0;
}

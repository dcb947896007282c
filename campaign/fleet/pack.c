// SPDX-License-Identifier: GPL-3.0-or-later
#include "campaign/fleet/pack.h"

#include "campaign/fleet/tool.h"
#include "common/disk.h"
#include "common/replace.h"
#include "common/sums.h"

#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIST "%s/SHA256SUMS"

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

static int by_name(const FTSENT **a, const FTSENT **b) {
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

// SHA256SUMS of all files of the pack, in the order of their names.
static int list_files(const char *folder, FILE *sums, struct error *error) {
    char *const roots[] = {(char *)folder, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    int failed = 0;
    if (!walk)
        return error_errno(error, ERROR_INPUT, folder, "cannot be read");
    for (FTSENT *entry; !failed && (entry = fts_read(walk));) {
        size_t bytes;
        // Not the list itself, which is being written.
        if (entry->fts_info != FTS_F || entry->fts_level == 1)
            continue;
        char *data = disk_read(entry->fts_path, &bytes, error);
        if (data)
            sums_add(sums, entry->fts_path + strlen(folder) + 1, data, bytes);
        failed = !data;
        free(data);
    }
    fts_close(walk);
    return failed;
}

static int write_list(const char *folder, struct error *error) {
    struct replacement file;
    if (replace_begin(PATH(LIST, folder), &file, error))
        return -1;
    return replace_end(&file, list_files(folder, file.stream, error), error);
}

int pack_make(const char *build, const char *folder, struct error *error) {
    static const char *const folders[] = {"bin", "guest", "sweep"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (disk_make_folders(PATH("%s/%s", folder, folders[i]), error))
            return -1;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct path from = parts[i].from_build ? path_make("%s/%s", build, parts[i].from)
                                                     : tool_beside(parts[i].from);
        const struct path to = path_make("%s/%s", folder, parts[i].to);
        const char *const copy[] = {"cp",    "-RL", "--preserve=mode,timestamps", "--", from.text,
                                    to.text, NULL};
        int there = !access(from.text, R_OK);
        if (!there && !parts[i].optional)
            return error_errno(error, ERROR_MISSING, from.text, "is missing; build it first");
        if (there && tool_do(copy, error))
            return -1;
    }
    return write_list(folder, error);
}

static int check_line(const char *folder, const char *line, const char *list, size_t number,
                      struct error *error) {
    char digits[SHA256_DIGEST_STRING_LENGTH];
    if (strspn(line, "0123456789abcdef") != 64 || strncmp(line + 64, "  ", 2) || !line[66])
        return error_set(error, ERROR_INPUT, list, number, "damaged: not a line of sha256sum");
    const struct path path = path_make("%s/%s", folder, line + 66);
    if (!SHA256File(path.text, digits))
        return error_errno(error, ERROR_INPUT, path.text, "cannot be read");
    if (strncmp(digits, line, 64))
        return error_set(error, ERROR_INPUT, path.text, 0,
                         "is not the file that was shipped (SHA-256 %s, shipped %.64s); submit "
                         "anew",
                         digits, line);
    return 0;
}

int pack_check(const char *folder, char sum[SHA256_DIGEST_STRING_LENGTH], struct error *error) {
    const struct path path = path_make(LIST, folder);
    size_t length;
    char *text = disk_read(path.text, &length, error), *rest = text, *line;
    int failed = !text;
    if (text)
        SHA256Data((const uint8_t *)text, length, sum);
    for (size_t number = 1; !failed && (line = strsep(&rest, "\n")); number++)
        if (*line)
            failed = check_line(folder, line, path.text, number, error);
    free(text);
    return failed ? -1 : 0;
}

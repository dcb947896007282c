// SPDX-License-Identifier: GPL-3.0-or-later
#include "campaign/fleet/files.h"

#include "common/memory.h"

#include <fcntl.h>
#include <limits.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void files_sync_folder(const char *path) {
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    fsync(folder);
    close(folder);
}

int files_sha256(const char *path, char digits[65], struct error *error) {
    if (!SHA256File(path, digits))
        return error_errno(error, ERROR_INPUT, path, "cannot be read");
    return 0;
}

char *files_beside(const char *relative) {
    char own[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    own[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(own, '/');
    return text_make("%.*s/%s", slash ? (int)(slash - own) : 0, own, relative);
}

int tool_run(const char *const *argv, int input, struct process_result *result,
             struct error *error) {
    const struct process_request request = {
        .argv = argv, .cpu = -1, .input = input, .output_limit = TOOL_MOST_OUTPUT};
    char how[64];
    if (process_run(&request, result, error))
        return -1;
    if (process_succeeded(result) && !result->truncated)
        return 0;
    if (process_succeeded(result))
        return error_set(error, ERROR_MISSING, argv[0], 0, "printed more than %zu bytes",
                         TOOL_MOST_OUTPUT);
    const char *said = result->errors ? result->errors : "";
    int length = (int)strcspn(said, "\n");
    return error_set(error, ERROR_MISSING, argv[0], 0, "%s%s%.*s",
                     process_describe(result, how, sizeof how), length ? ": " : "", length, said);
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "campaign/fleet/tool.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int tool_run(const char *const *argv, struct process_result *result, struct error *error) {
    const struct process_request request = {
        .argv = argv, .cpu = -1, .output_limit = TOOL_MOST_OUTPUT, .may_leave = true};
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

int tool_do(const char *const *argv, struct error *error) {
    struct process_result result;
    int failed = tool_run(argv, &result, error);
    process_free(&result);
    return failed;
}

struct path tool_beside(const char *relative) {
    struct path own;
    ssize_t length = readlink("/proc/self/exe", own.text, sizeof own.text - 1);
    own.text[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(own.text, '/');
    return path_make("%.*s/%s", slash ? (int)(slash - own.text) : 0, own.text, relative);
}

void words_add(struct words *words, char *text) {
    words->argv = memory_more(words->argv, words->count + 1, sizeof *words->argv);
    words->argv[words->count++] = text;
    words->argv[words->count] = NULL;
}

void words_list(struct words *words, const char *const *list) {
    for (; *list; list++)
        words_add(words, text_make("%s", *list));
}

void words_split(struct words *words, const char *text) {
    for (size_t length; *(text += strspn(text, " \t")); text += length) {
        length = strcspn(text, " \t");
        words_add(words, text_make("%.*s", (int)length, text));
    }
}

void words_free(struct words *words) {
    for (size_t i = 0; i < words->count; i++)
        free((char *)words->argv[i]);
    free(words->argv);
}

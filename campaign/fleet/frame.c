// SPDX-License-Identifier: GPL-3.0-or-later
#include "campaign/fleet/frame.h"

#include "common/units.h"

#include <sha2.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char mark[] = "asmsweep-fleet-result 1 ";

// The mark at the begin of a line, or NULL.
static const char *find_mark(const char *text, size_t length) {
    const char *at = text, *end = text + length;
    while ((at = memmem(at, (size_t)(end - at), mark, sizeof mark - 1))) {
        if (at == text || at[-1] == '\n')
            return at;
        at++;
    }
    return NULL;
}

int frame_find(const char *text, size_t length, const char **payload, size_t *payload_length,
               struct error *error) {
    static const char place[] = "srun's output";
    const char *line = find_mark(text, length), *end = text + length;
    const char *newline = line ? memchr(line, '\n', (size_t)(end - line)) : NULL;
    char head[128], number[24], sha256[65], found[65];
    long long size;
    int used = -1;
    if (!newline)
        return error_set(error, ERROR_MISSING, place, 0, "%s",
                         line ? "the result's first line is cut off" : "holds no result");
    const char *begin = line + sizeof mark - 1;
    // A copy: the text need not have an end that stops a scan.
    snprintf(head, sizeof head, "%.*s", (int)(newline - begin), begin);
    if (sscanf(head, "%23[0-9]%*1[ ]%64[0-9a-f]%n", number, sha256, &used) != 2 ||
        used != newline - begin || strlen(sha256) != 64 ||
        units_scan_integer(number, 0, INT64_MAX, &size))
        return error_set(error, ERROR_MISSING, place, 0, "the result's first line is damaged");
    if (size > end - newline - 1)
        return error_set(error, ERROR_MISSING, place, 0,
                         "the result is cut off: %lld bytes are announced, %td came", size,
                         end - newline - 1);
    *payload = newline + 1;
    *payload_length = (size_t)size;
    SHA256Data((const uint8_t *)*payload, *payload_length, found);
    if (strcmp(found, sha256))
        return error_set(error, ERROR_MISSING, place, 0, "the result's bytes do not fit its hash");
    return 0;
}

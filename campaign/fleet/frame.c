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
    static const char place[] = "srun's output", damaged[] = "the result's first line is damaged";
    const char *line = find_mark(text, length), *end = text + length;
    if (!line)
        return error_set(error, ERROR_MISSING, place, 0, "holds no result");
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    char number[24] = "", sha256[65] = "", found[65];
    const char *begin = line + sizeof mark - 1;
    long long size;
    if (!newline)
        return error_set(error, ERROR_MISSING, place, 0, "the result's first line is cut off");
    // Only what stands in this line is the number: text need not have an end that stops a scan.
    const char *blank = memchr(begin, ' ', (size_t)(newline - begin));
    if (!blank || newline - blank != 65 || blank - begin >= (ptrdiff_t)sizeof number)
        return error_set(error, ERROR_MISSING, place, 0, damaged);
    memcpy(number, begin, (size_t)(blank - begin));
    memcpy(sha256, blank + 1, 64);
    if (units_scan_integer(number, 0, INT64_MAX, &size))
        return error_set(error, ERROR_MISSING, place, 0, damaged);
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

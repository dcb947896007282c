// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/memory.h"

#include "common/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

static void *need(void *memory) {
    if (memory != NULL)
        return memory;
    fprintf(stderr, "%s: out of memory\n", program_invocation_short_name);
    exit(ERROR_MISSING);
}

void *memory_zero(size_t count, size_t size) {
    return need(calloc(count ? count : 1, size));
}

void *memory_more(void *items, size_t count, size_t size) {
    if (count & (count - 1)) // no power of two: the last one made room for more
        return items;
    return need(reallocarray(items, count ? 2 * count : 1, size));
}

char *text_make(const char *format, ...) {
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return need(length < 0 ? NULL : text);
}

FILE *text_open(char **text, size_t *length) {
    return need(open_memstream(text, length));
}

void text_close(FILE *stream) {
    if (ferror(stream) || fclose(stream))
        need(NULL);
}

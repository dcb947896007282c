// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// The end of a very long path: what went wrong must stand behind it, too.
static const char *end_of(const char *file, const char **dots) {
    const size_t most = sizeof((struct error *)0)->text / 3;
    size_t length = strlen(file);
    *dots = length > most ? "..." : "";
    return length > most ? file + length - most : file;
}

// "FILE:LINE: " as far as there is one; returns its length within the text.
static size_t put_place(struct error *error, const char *file, size_t line) {
    int length = 0;
    const char *dots, *name = file ? end_of(file, &dots) : NULL;
    if (file && line)
        length = snprintf(error->text, sizeof error->text, "%s%s:%zu: ", dots, name, line);
    else if (file)
        length = snprintf(error->text, sizeof error->text, "%s%s: ", dots, name);
    else
        error->text[0] = '\0';
    if (length < 0)
        return 0;
    return (size_t)length < sizeof error->text ? (size_t)length : sizeof error->text - 1;
}

int error_set(struct error *error, enum error_kind kind, const char *file, size_t line,
              const char *format, ...) {
    error->kind = kind;
    size_t at = put_place(error, file, line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text + at, sizeof error->text - at, format, arguments);
    va_end(arguments);
    return -1;
}

int error_errno(struct error *error, enum error_kind kind, const char *file, const char *format,
                ...) {
    int saved = errno;
    error->kind = kind;
    size_t at = put_place(error, file, 0);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(error->text + at, sizeof error->text - at, format, arguments);
    va_end(arguments);
    if (length > 0)
        at += (size_t)length;
    if (at < sizeof error->text)
        snprintf(error->text + at, sizeof error->text - at, ": %s", strerror(saved));
    errno = saved;
    return -1;
}

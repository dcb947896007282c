// SPDX-License-Identifier: GPL-3.0-or-later
// common: how every part says that something went wrong.
//
// A function that can fail returns 0 or -1 and fills a struct error: what kind
// it is (that decides the exit status) and one line that names file, place and
// remedy. Only a main prints it.
#pragma once

#include <stddef.h>

// The values are the exit statuses of the programs.
enum error_kind {
    ERROR_HELP = -1, // none: the help was asked for and printed
    ERROR_NONE = 0,
    ERROR_INCOMPLETE = 1, // something expected to run gave no value
    ERROR_INPUT = 2,      // usage, a bad file, a place that cannot be written
    ERROR_MISSING = 3,    // a needed part is missing, nothing can be measured
    ERROR_CHANGED = 4,    // compare, nightly: something changed
};

struct error {
    enum error_kind kind;
    char text[768];
};

// Fill *error. `file` may be NULL; `line` 0 means the file as a whole. A longer
// text is cut, never overrun. Returns -1, so that `return error_set(...)` reads well.
int error_set(struct error *error, enum error_kind kind, const char *file, size_t line,
              const char *format, ...) __attribute__((format(printf, 5, 6)));

// The same with ": strerror(errno)" behind it; keeps errno.
int error_errno(struct error *error, enum error_kind kind, const char *file, const char *format,
                ...) __attribute__((format(printf, 4, 5)));

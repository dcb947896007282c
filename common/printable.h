// SPDX-License-Identifier: GPL-3.0-or-later
// common: what other programs printed, made fit for a row of a file and for a terminal.
#pragma once

#include <stddef.h>

// Copy text[0..length), as far as it fits into `size` bytes, with a NUL behind it. A byte that
// is not printable ASCII becomes '?': half a character of UTF-8 would make the whole file
// unreadable, an escape would move a terminal's cursor. `to` may be `text`. Returns `to`.
char *printable_copy(char *to, size_t size, const char *text, size_t length);

// Put a part behind what stands in `text` of `size` bytes, with "; " between, as far as it fits; an
// empty part is none.
void printable_add(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The first line of a text that is not empty: blanks and empty lines in front are left out.
char *printable_line(char *to, size_t size, const char *text);

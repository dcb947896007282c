// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/printable.h"

#include <string.h>

char *printable_copy(char *to, size_t size, const char *text, size_t length) {
    size_t count = length < size ? length : size - 1;
    for (size_t i = 0; i < count; i++)
        to[i] = (char)(text[i] >= ' ' && text[i] <= '~' ? text[i] : '?');
    to[count] = '\0';
    return to;
}

char *printable_line(char *to, size_t size, const char *text) {
    text += strspn(text, " \t\r\n");
    return printable_copy(to, size, text, strcspn(text, "\r\n"));
}

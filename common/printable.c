// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/printable.h"

#include <stdarg.h>
#include <stdio.h>
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

void printable_add(char *text, size_t size, const char *format, ...) {
    size_t used = strlen(text), between = used ? strlen("; ") : 0;
    va_list arguments;
    if (used + between >= size)
        return;
    va_start(arguments, format);
    vsnprintf(text + used + between, size - used - between, format, arguments);
    va_end(arguments);
    if (between && text[used + between])
        memcpy(text + used, "; ", between);
}

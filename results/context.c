// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/context.h"

#include <stdio.h>
#include <string.h>

bool context_get(const char *context, const char *key, char *value, size_t size) {
    size_t length = strlen(key);
    value[0] = '\0';
    while (*context != '\0') {
        size_t part = strcspn(context, ";");
        if (part > length && context[length] == '=' && memcmp(context, key, length) == 0) {
            snprintf(value, size, "%.*s", (int)(part - length - 1), context + length + 1);
            return true;
        }
        context += part + (context[part] == ';');
    }
    return false;
}

bool context_changes_flags(const char *context) {
    char value[64];
    if (context_get(context, "bits", value, sizeof value) && strcmp(value, "none") != 0)
        return true;
    if (!context_get(context, "if", value, sizeof value))
        return false;
    const char *arrow = strstr(value, "->");
    return arrow == NULL || strncmp(value, arrow + 2, (size_t)(arrow - value)) != 0 ||
           strlen(arrow + 2) != (size_t)(arrow - value);
}

static bool same_value(const char *a, const char *b, const char *key) {
    char x[64], y[64];
    context_get(a, key, x, sizeof x);
    context_get(b, key, y, sizeof y);
    return strcmp(x, y) == 0;
}

bool context_same_change(const char *a, const char *b) {
    bool changes = context_changes_flags(a);
    if (changes != context_changes_flags(b))
        return false;
    return !changes || (same_value(a, b, "if") && same_value(a, b, "bits"));
}

bool context_within(const char *part, const char *whole) {
    while (*part != '\0') {
        size_t length = strcspn(part, ";");
        if (!context_among(part, length, whole, ';'))
            return false;
        part += length + (part[length] == ';');
    }
    return true;
}

bool context_among(const char *word, size_t length, const char *list, char separator) {
    while (*list != '\0') {
        size_t size = (size_t)(strchrnul(list, separator) - list);
        if (size == length && memcmp(list, word, length) == 0)
            return true;
        list += size + (list[size] == separator);
    }
    return false;
}

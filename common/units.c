// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/units.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *suffix;
    double seconds;
} time_units[] = {{"ms", 1e-3}, {"min", 60}, {"s", 1}, {"m", 60}, {"h", 3600}, {"", 1}};

int units_scan_integer(const char *text, long long minimum, long long maximum, long long *value) {
    size_t digits = text[0] == '-' ? 1 : 0;
    if (!text[digits] || text[digits + strspn(text + digits, "0123456789")])
        return -1;
    errno = 0;
    long long scanned = strtoll(text, NULL, 10);
    if (errno || scanned < minimum || scanned > maximum)
        return -1;
    *value = scanned;
    return 0;
}

// The leading number of text; *rest gets what is behind it. Plain decimal only: strtod
// also takes hexadecimal, "inf" and "nan", which no file of ours means.
static int scan_leading(const char *text, double *value, const char **rest) {
    size_t length = strspn(text, "+-.0123456789eE");
    char copy[64];
    // An "e" is an exponent only if digits follow it.
    while (length && strchr("eE+-.", text[length - 1]) && length > 1)
        length--;
    if (!length || length >= sizeof copy)
        return -1;
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *end;
    *value = strtod(copy, &end);
    if (*end || end == copy || !isfinite(*value))
        return -1;
    *rest = text + length;
    return 0;
}

int units_scan_number(const char *text, double *value) {
    const char *rest;
    double scanned;
    if (scan_leading(text, &scanned, &rest) || *rest)
        return -1;
    *value = scanned;
    return 0;
}

int units_scan_seconds(const char *text, double *seconds) {
    const char *rest;
    double number;
    if (scan_leading(text, &number, &rest) || number <= 0)
        return -1;
    for (size_t i = 0; i < sizeof time_units / sizeof *time_units; i++)
        if (!strcmp(rest, time_units[i].suffix)) {
            *seconds = number * time_units[i].seconds;
            return 0;
        }
    return -1;
}

int units_scan_part(const char *text, double *part) {
    const char *rest;
    double number;
    if (scan_leading(text, &number, &rest))
        return -1;
    if (!strcmp(rest, "%"))
        number /= 100;
    else if (*rest)
        return -1;
    if (number <= 0 || number >= 1)
        return -1;
    *part = number;
    return 0;
}

const char *units_format_seconds(double seconds, char *text, size_t size) {
    if (!(seconds >= 0) || isinf(seconds)) {
        snprintf(text, size, "unknown time");
        return text;
    }
    long whole = lround(seconds);
    if (seconds < 9.95)
        snprintf(text, size, "%.1f s", fabs(seconds)); // of a negative 0, too
    else if (whole < 60)
        snprintf(text, size, "%ld s", whole);
    else if (whole < 3600)
        snprintf(text, size, "%ld min %02ld s", whole / 60, whole % 60);
    else
        snprintf(text, size, "%ld h %02ld min", whole / 3600, whole % 3600 / 60);
    return text;
}

const char *units_format_value(double value, char *text, size_t size) {
    if (!isfinite(value)) // a ratio to nothing is no value either
        snprintf(text, size, "%s", "");
    else
        snprintf(text, size, "%.9g", value);
    return text;
}

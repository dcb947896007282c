// SPDX-License-Identifier: GPL-3.0-or-later
// common: numbers with units, read and printed. Text in, text out.
#pragma once

#include <stddef.h>

// A whole decimal number from minimum to maximum, nothing before or behind it. 0 or -1.
int units_scan_integer(const char *text, long long minimum, long long maximum, long long *value);

// A finite decimal number in the C locale's spelling, nothing before or behind it. 0 or -1.
// A comma in it is no number: perf writes one in some locales.
int units_scan_number(const char *text, double *value);

// A time as 90, 90s, 1.5m, 2h or 250ms, in seconds, above 0. 0 or -1.
int units_scan_seconds(const char *text, double *seconds);

// A part as 0.005 or 0.5%, above 0 and below 1. 0 or -1.
int units_scan_part(const char *text, double *part);

// Seconds as a person reads them: "0.8 s", "42 s", "3 min 05 s", "2 h 07 min". No time is below
// 0: that, NaN and infinity are "unknown time".
// Writes at most size bytes with NUL; returns text.
const char *units_format_seconds(double seconds, char *text, size_t size);

// A value for a CSV cell: 17 significant digits would be noise, 9 lose nothing that was
// measured. "" for NaN and infinity: a missing value is empty. Returns text.
const char *units_format_value(double value, char *text, size_t size);

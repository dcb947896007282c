// SPDX-License-Identifier: GPL-3.0-or-later
// runner/engine: the JSON that `hyperfine --export-json` writes. Text in, times out.
#pragma once

#include <stddef.h>

enum { HYPERFINE_MAX_RUNS = 64 };

// The runs of one command: seconds of wall time.
struct hyperfine_times {
    double seconds[HYPERFINE_MAX_RUNS];
    size_t count;
};

// Read the results of `commands` commands, in order, into times[commands]. A run with an exit
// code other than 0, a time that is no positive number, fewer than two runs, or another number
// of commands is an error: -1 and the reason in why[size]. Any bytes are safe.
int hyperfine_json_parse(const char *text, size_t length, size_t commands,
                         struct hyperfine_times *times, char *why, size_t size);

// Slope in seconds per iteration from runs of N and of 2N iterations, and the half-width of
// its 95 % interval (both means' variances added, Student with the smaller number of runs).
void hyperfine_slope(const struct hyperfine_times *once, const struct hyperfine_times *twice,
                     double iterations, double *slope, double *half);

// SPDX-License-Identifier: GPL-3.0-or-later
// runner/engine: the output of `perf stat -x ';' -o FILE`. Text in, counts out.
//
// perf's rows shift: -r puts a percentage in, -I a time in front, newer versions more
// columns behind. So a row is found by the event's name, and its fields are counted
// from there. What perf cannot count it prints as a row with "running 100.00": a
// count that is not a plain number is a status, never 0.
#pragma once

#include "common/rows.h"

struct perf_count {
    enum status status; // ok, or why there is no value
    double value;       // the count (task-clock: ms); NaN unless ok
    double running;     // ns the counter ran; NaN if not said
    char pmu[32];       // of a hybrid CPU: cpu_core, cpu_atom or cpu_lowpower; else empty
    char detail[160];   // the reason, or empty
    // perf itself says <not ...>. Any other row without a value had one, damaged or not of it.
    bool no_count;
};

// Look up `count` events by the names they were asked for, in perf's text of `length`
// bytes (any bytes are safe). counts[i] belongs to events[i]. Names match with and without
// a modifier: an answer that is restricted to user mode although the question was not
// counts as not_supported, since a count that cannot see the kernel is not the count.
void perf_text_parse(const char *text, size_t length, const char *const *events, size_t count,
                     struct perf_count *counts);

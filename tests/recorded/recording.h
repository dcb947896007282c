// SPDX-License-Identifier: GPL-3.0-or-later
// tests/recorded: slices that a real core printed while another guest came and went on its other
// hardware thread, and what the loops in them cost when nobody is there (README.md).
#pragma once

#include "common/error.h"
#include "runner/estimate/stopwatch.h"

enum { RECORDED_ROUNDS = 60, RECORDED_LOOPS = 18, RECORDED_SLICES = 200 };

// How near its true cost a loop comes where nobody disturbs it, a part: chains and what only the
// core's width or one kind of port limits; and what goes through memory, microcode or a choice of
// ports.
#define RECORDED_STEADY 0.001
#define RECORDED_LOOSE 0.0025

struct recorded_loop {
    const char *name; // in the recording
    const char *what;
    double cycles; // of an iteration on a core of one's own
    double near;   // one of the two above
    int excluded;  // the reference chain that the loop is made of, or CHAINS_all
};
extern const struct recorded_loop recorded_loops[RECORDED_LOOPS];

// Cycles of an iteration of the width segments on a core of one's own.
#define WIDTH_QUIET 17.0

// One execution: the loop of recorded_loops[loop] in one round.
struct recorded {
    int round;
    size_t loop;
    double seconds;       // since the recording began
    struct slices slices; // without checks and watch segments, and nothing saw interrupts
};

// In the order in which they were measured.
struct recording {
    size_t count;
    struct recorded *executions;
};

// The unpacked files of a folder. -1 with *error for anything but what README.md describes; then
// *recording is empty. Free with recording_free in both cases.
int recording_read(const char *folder, struct recording *recording, struct error *error);

void recording_free(struct recording *recording);

// Cycles of the loop in slice `at`: its unit is the mean of add and rol in that very slice.
double recorded_cycles(const struct recorded *execution, size_t at);

// Was the core its own in slice `at`? Both width segments within 3 % of WIDTH_QUIET, and add and
// rol within 2 % of each other. Never looks at the loop.
int recorded_is_quiet(const struct recorded *execution, size_t at);

size_t recorded_quiet_count(const struct recorded *execution);

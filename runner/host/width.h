// SPDX-License-Identifier: GPL-3.0-or-later
// runner/host: is this core ours alone? A loop of nops is limited by nothing but the core's width:
// a neighbour on the core's other hardware thread, another guest's, too, shows at once.
//
// A slice times that loop beside the three reference chains, which make the unit "cycle". What is
// judged is prepared numbers (width_level.c); only width.c reads a clock.
#pragma once

#include "common/error.h"
#include "runner/host/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// In the order of a slice: the loop of 94 nops, dec and jnz stands before and after the chains.
enum width_leg { WIDTH_before, WIDTH_add, WIDTH_rol, WIDTH_imul, WIDTH_after, WIDTH_LEGS };

struct width_slice {
    uint64_t ticks[WIDTH_LEGS][2]; // of n and of 2n iterations; n is width_n[leg]
};

extern const uint32_t width_n[WIDTH_LEGS];

// In an iteration of the loop where dec and jnz are fused to one, as most cores do; of a chain.
enum { WIDTH_INSTRUCTIONS = 95, WIDTH_LINKS = 32 };

// A slice at most this part above the level is quiet.
#define WIDTH_TOLERANCE 0.03

// What is known of a core before anything is measured; levels in cycles, NaN: not known.
struct width_known {
    const char *generation;    // "" if it is not listed
    int width;                 // instructions in a cycle; 0: not known
    double listed, remembered; // the level as common/widths.def has it, as the build tree has it
};

// What an iteration of the width loop takes on this core while nobody shares it.
struct width_level {
    double cycles;      // NaN: not confirmed
    char how[200];      // how it is confirmed, or why it is not
    double least, most; // what it can be for the core's width; NaN: that is not known
    double share;       // part of the slices that are quiet; NaN: not known
    bool seen_now;      // the slices that were judged have it
    double seen;        // the lowest level in them; NaN: none
    double imul;        // cycles of an imul in those that have the lowest; NaN: none
    double seconds;     // that finding it took
};

// By common/widths.def; nothing is remembered.
struct width_known width_known_of(const struct machine *machine);

// Cycles an iteration of the width loop took in a slice, by the slice's own chains. NaN: the
// process was interrupted for long. Infinite: the chains disagree, so the core was not ours.
double width_cycles(const struct width_slice *slice);

// Slices, those with a long interruption left out, and how many of them are quiet. A struct of
// zeros counts none.
struct width_count {
    size_t slices, quiet;
};
void width_count(const struct width_slice *slices, size_t count, const struct width_level *level,
                 struct width_count *all);

// The part that is quiet; NaN: no slices.
double width_share(const struct width_count *all);

// The level. A run that is shared throughout has a lowest one, too: so it is the listed or
// remembered one, or a lower one in whose slices imul takes a whole number of cycles. Where nothing
// is listed or remembered it is one with whole imuls that is possible for the core's width.
void width_judge(const struct width_slice *slices, size_t count, const struct width_known *known,
                 struct width_level *level);

// The level that a file of levels has for this CPU; NaN: none.
double width_recall(const char *path, const struct machine *machine);

// Keep a level there. 0, or -1 with *error.
int width_remember(const char *path, const struct machine *machine, double cycles,
                   struct error *error);

// The file of levels of the build tree that this program stands in; "" for a program that stands
// in none, as a fleet's. Static.
const char *width_memory(void);

// The width loop alone, for a neighbour of our own.
void width_run(uint32_t iterations);

// Measure slices on the CPU, about 30 microseconds each.
void width_take(int cpu, struct width_slice *slices, size_t count);

// Find the level of this CPU: slices until some show it, usually for 50 ms, at most for `seconds`.
// A new one that is confirmed is remembered.
void width_find(int cpu, const struct machine *machine, double seconds, struct width_level *level);

// The quiet part of the next `seconds`; NaN: no slices, or the level is not confirmed.
double width_quiet_share(int cpu, const struct width_level *level, double seconds);

// Is the core ours at this moment? One slice. False without a confirmed level.
bool width_is_quiet(int cpu, const struct width_level *level);

// Short probes with pauses between them until the core is ours: true; or until the deadline (of
// machine_read_tsc().seconds) or a signal. Without a confirmed level false at once.
bool width_wait_quiet(int cpu, const struct width_level *level, double deadline);

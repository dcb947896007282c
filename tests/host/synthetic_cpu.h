// SPDX-License-Identifier: GPL-3.0-or-later
// tests/host: slices as a variant would print them on a CPU that is made up here.
//
// The time runs through the segments in the order of templates/variant/stopwatch.c, so that a clock
// that drifts, a coarse TSC, interrupts and a neighbour meet the segments as they would there.
#pragma once

#include "runner/estimate/stopwatch.h"

// Another hardware thread of the core that comes and goes: spells of both kinds are exponential.
// While it is there, what runs takes this many times as long; 0: as long as alone.
struct synthetic_neighbour {
    double duty;  // part of the time that it is there; 0: there is none
    double spell; // cycles of one of its spells, in the mean
    double slower[SEGMENT_COUNT];
};

struct synthetic_cpu {
    double cycles[SEGMENT_COUNT]; // a link of each reference chain, an iteration of the others;
                                  // width 0: 17; watch 0: the loop has none
    double ticks_a_cycle;         // TSC ticks in a core cycle at the start; 0: 1
    double drift;                 // ticks_a_cycle grows by this part in `drift_cycles`
    double drift_cycles;          // 0: over the whole execution
    double step;                  // the TSC counts in steps of so many ticks; 0: 1
    double noise;                 // sd of a segment's time, a part
    double varies;                // sd of what the loop costs from slice to slice, a part
    double interrupted; // part of the segments of 4096 cycles that an interrupt of about 4000 hits
    int unseen;         // which nobody sees
    double second_loop; // cycles of the loop in its other mode; 0: it has none
    double second_part; // part of the slices in that mode
    double later_from, later; // from that iteration on the loop takes `later` cycles; 0: never
    double cold_after;        // cycles that the first width segment behind a loop takes more
    double throttled_after;   // the width segment behind a loop takes this many times as long; 0: 1
    struct synthetic_neighbour neighbour;
};

enum { SYNTHETIC_LINKS = 32, SYNTHETIC_OVERHEAD = 60 };
#define SYNTHETIC_WIDTH 17.0

// `count` slices of an execution; free with synthetic_free. The same seed gives the same.
void synthetic_slices(const struct synthetic_cpu *cpu, size_t count, unsigned long seed,
                      struct slices *slices);

void synthetic_free(struct slices *slices);

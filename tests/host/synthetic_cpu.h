// SPDX-License-Identifier: GPL-3.0-or-later
// tests/host: slices as a variant would print them on a CPU that is made up here.
//
// The time runs through the segments in the order of templates/variant/run.c, so that a clock
// that drifts, a coarse TSC and interrupts meet the segments as they would there.
#pragma once

#include "runner/estimate/stopwatch.h"

struct synthetic_cpu {
    double cycles[SEGMENT_COUNT]; // a link of each reference chain, an iteration of the loop
    double ticks_a_cycle;         // TSC ticks in a core cycle at the start; 0: 1
    double drift;                 // ticks_a_cycle grows by this part in `drift_cycles`
    double drift_cycles;          // 0: over the whole execution
    double step;                  // the TSC counts in steps of so many ticks; 0: 1
    double noise;                 // sd of a segment's time, a part
    double interrupted; // part of the segments that an interrupt of about 4000 cycles hits
    double second_loop; // cycles of the loop in its other mode; 0: it has none
    double second_part; // part of the slices in that mode
};

enum { SYNTHETIC_LINKS = 32, SYNTHETIC_OVERHEAD = 60 };

// `count` slices of an execution; free with synthetic_free. The same seed gives the same.
void synthetic_slices(const struct synthetic_cpu *cpu, size_t count, unsigned long seed,
                      struct slices *slices);

void synthetic_free(struct slices *slices);

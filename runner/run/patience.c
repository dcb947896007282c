// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/run/patience.h"

#include "runner/host/width.h"

#include <math.h>
#include <time.h>

// Seconds before blocks beyond the usual number, 15 s in all for ten of them.
#define FIRST_PAUSE 0.2
#define LONGEST_PAUSE 2.0

// Seconds to look for the level of the width segments again.
#define SEARCH_AGAIN 0.2

// A variant waits itself for a neighbour to go, which finds the quiet moments better than starting
// it again does; but a core that is shared throughout must not take for ever: for so many seconds
// of a run its variants wait up to so many times what their slices take.
#define PATIENT_SECONDS 90.0
enum { LONG_PATIENCE = 8 };

double patience_level(struct measurement *run, size_t core) {
    struct width_level *found = &run->found[core];
    if (isnan(found->cycles))
        width_find(run->cores[core].cpu, &run->machines[core], SEARCH_AGAIN, found);
    return found->cycles;
}

unsigned patience_of(const struct measurement *run) {
    return machine_read_tsc().seconds - run->started < PATIENT_SECONDS ? LONG_PATIENCE : 0;
}

void patience_wait(const struct measurement *run, size_t core, long further) {
    double now = machine_read_tsc().seconds;
    double end = now + fmin(LONGEST_PAUSE, FIRST_PAUSE * pow(2, (double)further));
    if (run->deadline > 0)
        end = fmin(end, run->deadline);
    if (!isnan(run->found[core].cycles)) {
        width_wait_quiet(run->cores[core].cpu, &run->found[core], end);
        return;
    }
    double seconds = fmax(0, end - now);
    struct timespec pause = {(time_t)seconds, (long)(fmod(seconds, 1) * 1e9)};
    nanosleep(&pause, NULL); // a signal ends it, and the block after it
}

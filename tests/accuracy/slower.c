// SPDX-License-Identifier: GPL-3.0-or-later
// Stands between the runner and its record (ld --wrap): the loop's ticks of SLOWER_VARIANT come
// out SLOWER_PER_CENT larger. Same binary, same hash: a change of the CPU, as far as one can see.
#include "runner/run/record.h"

#include <stdlib.h>
#include <string.h>

void __real_record_execution(const struct record_run *run, const struct execution *execution,
                             long block, long slot, const char *disturbance, FILE *measurements,
                             FILE *samples, struct tallies *tallies);
void __wrap_record_execution(const struct record_run *run, const struct execution *execution,
                             long block, long slot, const char *disturbance, FILE *measurements,
                             FILE *samples, struct tallies *tallies);

void __wrap_record_execution(const struct record_run *run, const struct execution *execution,
                             long block, long slot, const char *disturbance, FILE *measurements,
                             FILE *samples, struct tallies *tallies) {
    struct execution slower = *execution;
    size_t count = strcmp(run->plan->rows[execution->index].name, SLOWER_VARIANT) == 0
                       ? execution->slices.count
                       : 0;
    if (count > 0) {
        slower.slices.slices = calloc(count, sizeof *slower.slices.slices);
        if (slower.slices.slices == NULL)
            abort();
        memcpy(slower.slices.slices, execution->slices.slices,
               count * sizeof *slower.slices.slices);
        for (size_t i = 0; i < count; i++) {
            struct slice *slice = &slower.slices.slices[i];
            for (int which = 0; which < 2; which++)
                slice->ticks[SEGMENT_loop][which] +=
                    slice->ticks[SEGMENT_loop][which] * SLOWER_PER_CENT / 100;
            slice->check.ticks[CHECK_loop] +=
                slice->check.ticks[CHECK_loop] * SLOWER_PER_CENT / 100;
        }
    }
    __real_record_execution(run, &slower, block, slot, disturbance, measurements, samples, tallies);
    if (count > 0)
        free(slower.slices.slices);
}

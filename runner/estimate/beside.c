// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/estimate/beside.h"

#include "common/memory.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_SLICES = 20, BLOCK = 5, RESAMPLES = 400 };
static const double fastest = 0.1; // of the chains' values those that make the unit

// TSC ticks per iteration of a segment in a slice.
static double per_iteration(const struct slices *slices, size_t at, enum segment segment) {
    const uint64_t *ticks = slices->slices[at].ticks[segment];
    return ((double)ticks[1] - (double)ticks[0]) / slices->n[segment];
}

// Ticks a cycle, by the chains of one cycle a link that the loop is not itself. Each of the values
// is a mean of a few slices: a segment is so short that a TSC of coarse steps would make the
// fastest of single ones.
static double find_unit(const struct slices *slices, int excluded) {
    double *values = memory_zero(2 * slices->count, sizeof *values);
    size_t count = 0;
    for (int chain = SEGMENT_add; chain <= SEGMENT_rol; chain++)
        for (size_t i = 0; i + BLOCK <= slices->count && chain != excluded; i += BLOCK) {
            for (size_t k = i; k < i + BLOCK; k++)
                values[count] += per_iteration(slices, k, (enum segment)chain) / BLOCK;
            values[count++] /= slices->links[chain];
        }
    double unit = stats_quantile(values, count, fastest);
    free(values);
    return unit;
}

struct interval beside_evaluate(const struct slices *slices, int excluded, uint64_t seed) {
    struct interval cycles = {NAN, NAN, NAN};
    if (slices->count < LEAST_SLICES)
        return cycles;
    double unit = find_unit(slices, excluded);
    double *values = memory_zero(slices->count, sizeof *values);
    for (size_t i = 0; i < slices->count; i++)
        values[i] = per_iteration(slices, i, SEGMENT_loop) / unit;
    cycles = stats_block_bootstrap(values, slices->count, BLOCK, RESAMPLES, seed);
    free(values);
    double half = hypot((cycles.high - cycles.low) / 2, BESIDE_UNIT * cycles.value);
    return (struct interval){cycles.value, cycles.value - half, cycles.value + half};
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/run/schedule.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

// Spread seed, core and block over all bits (the finaliser of SplitMix64, Steele 2014), so
// that neighbouring seeds and blocks share nothing.
static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

void schedule_block(uint64_t seed, int core, long block, size_t count, size_t *order) {
    gsl_rng *random = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(random,
                (unsigned long)(mix(mix(seed) + (uint64_t)block * 2 + (uint64_t)core) >> 32));
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    gsl_ran_shuffle(random, order, count, sizeof *order);
    gsl_rng_free(random);
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/host/synthetic_cpu.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

enum { CYCLES_A_LEG = 8192, SLICE_CYCLES = 12 * 10000 };

struct clock {
    const struct synthetic_cpu *cpu;
    gsl_rng *random;
    double cycles, ticks; // since the execution's start
    double length;        // cycles in which the drift happens
};

static double advance(struct clock *clock, double cycles) {
    double part = clock->cycles / clock->length;
    double rate = clock->cpu->ticks_a_cycle ? clock->cpu->ticks_a_cycle : 1;
    double step = clock->cpu->step ? clock->cpu->step : 1;
    double before = floor(clock->ticks / step);
    clock->cycles += cycles;
    clock->ticks += cycles * rate * (1 + clock->cpu->drift * part);
    return (floor(clock->ticks / step) - before) * step;
}

static uint64_t run_segment(struct clock *clock, double cycles) {
    double time = cycles * (1 + gsl_ran_gaussian(clock->random, clock->cpu->noise));
    if (gsl_rng_uniform(clock->random) < clock->cpu->interrupted)
        time += 2000 + gsl_ran_exponential(clock->random, 2000);
    advance(clock, 200 + 100 * gsl_rng_uniform(clock->random)); // between two segments
    return (uint64_t)advance(clock, time + SYNTHETIC_OVERHEAD);
}

static uint32_t find_n(double cycles_an_iteration) {
    uint32_t n = 1;
    while (n < 1u << 30 && n * cycles_an_iteration < CYCLES_A_LEG) // as the variant
        n *= 2;
    return n;
}

void synthetic_slices(const struct synthetic_cpu *cpu, size_t count, unsigned long seed,
                      struct slices *slices) {
    static const int order[SEGMENT_COUNT] = {SEGMENT_add, SEGMENT_loop, SEGMENT_rol, SEGMENT_imul};
    struct clock clock = {.cpu = cpu, .random = gsl_rng_alloc(gsl_rng_taus2)};
    clock.length = cpu->drift_cycles ? cpu->drift_cycles : (double)(count * SLICE_CYCLES);
    gsl_rng_set(clock.random, seed);
    *slices = (struct slices){.count = count, .slices = calloc(count, sizeof(struct slice))};
    for (int segment = 0; segment < SEGMENT_COUNT; segment++) {
        int links = segment == SEGMENT_loop ? 1 : SYNTHETIC_LINKS;
        if (segment != SEGMENT_loop)
            slices->links[segment] = SYNTHETIC_LINKS;
        slices->n[segment] = find_n(cpu->cycles[segment] * links);
    }
    for (size_t i = 0; i < count; i++) {
        int second = gsl_rng_uniform(clock.random) < cpu->second_part;
        for (int twice = 0; twice < 2; twice++)
            for (int at = 0; at < SEGMENT_COUNT; at++) {
                int segment = order[at];
                double link =
                    segment == SEGMENT_loop && second ? cpu->second_loop : cpu->cycles[segment];
                double links = segment == SEGMENT_loop ? 1 : SYNTHETIC_LINKS;
                slices->slices[i].ticks[segment][twice] =
                    run_segment(&clock, link * links * (slices->n[segment] << twice));
            }
    }
    gsl_rng_free(clock.random);
}

void synthetic_free(struct slices *slices) {
    free(slices->slices);
    *slices = (struct slices){0};
}

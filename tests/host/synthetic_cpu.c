// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/host/synthetic_cpu.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

// As templates/variant/stopwatch.c has them.
enum { CYCLES_A_SEGMENT = 4096, SLICES_A_CHECK = 8, SLICES_A_FAR_CHECK = 30, FAR = 128 };
enum { SLICE_CYCLES = 22 * CYCLES_A_SEGMENT }; // about, with its part of the checks

static const int turns[SEGMENT_COUNT] = {SEGMENT_add,  SEGMENT_width_before, SEGMENT_watch_before,
                                         SEGMENT_loop, SEGMENT_watch_after,  SEGMENT_width_after,
                                         SEGMENT_rol,  SEGMENT_imul};

struct clock {
    const struct synthetic_cpu *cpu;
    gsl_rng *random;
    double cycles, ticks; // since the execution's start
    double length;        // cycles in which the drift happens
    bool beside;          // the neighbour is there
    double changes;       // cycles at which it comes or goes
    bool interrupted;     // the run just done
};

// The neighbour's next coming or going.
static void change(struct clock *clock, bool beside) {
    const struct synthetic_neighbour *neighbour = &clock->cpu->neighbour;
    double away = neighbour->spell * (1 - neighbour->duty) / neighbour->duty;
    clock->beside = beside;
    clock->changes =
        neighbour->duty <= 0 || (neighbour->duty >= 1 && beside)
            ? HUGE_VAL
            : clock->cycles + gsl_ran_exponential(clock->random, beside ? neighbour->spell : away);
}

// Ticks of what takes `cycles` alone; `slower` times as long beside the neighbour.
static double advance(struct clock *clock, double cycles, double slower) {
    double rate = clock->cpu->ticks_a_cycle ? clock->cpu->ticks_a_cycle : 1;
    double step = clock->cpu->step ? clock->cpu->step : 1;
    double before = floor(clock->ticks / step);
    while (cycles > 0) {
        double factor = clock->beside ? slower : 1;
        double take = fmin(cycles * factor, clock->changes - clock->cycles);
        clock->ticks += take * rate * (1 + clock->cpu->drift * clock->cycles / clock->length);
        clock->cycles += take;
        cycles -= take / factor;
        if (clock->cycles >= clock->changes)
            change(clock, !clock->beside);
        if (cycles < 1e-9)
            break;
    }
    return (floor(clock->ticks / step) - before) * step;
}

static uint64_t run(struct clock *clock, int segment, double cycles) {
    const struct synthetic_cpu *cpu = clock->cpu;
    double time = cycles * (1 + gsl_ran_gaussian(clock->random, cpu->noise));
    double slower = cpu->neighbour.slower[segment] ? cpu->neighbour.slower[segment] : 1;
    clock->interrupted =
        gsl_rng_uniform(clock->random) < -expm1(-cpu->interrupted * cycles / CYCLES_A_SEGMENT);
    if (clock->interrupted)
        time += 2000 + gsl_ran_exponential(clock->random, 2000);
    advance(clock, 200 + 100 * gsl_rng_uniform(clock->random), 1); // between two segments
    return (uint64_t)advance(clock, time + SYNTHETIC_OVERHEAD, slower);
}

static double width_of(const struct synthetic_cpu *cpu) {
    double width = cpu->cycles[SEGMENT_width_before];
    return width ? width : SYNTHETIC_WIDTH;
}

static double cycles_of(const struct synthetic_cpu *cpu, int segment) {
    return segment == SEGMENT_width_before || segment == SEGMENT_width_after
               ? width_of(cpu)
               : cpu->cycles[segment] * (segment < SEGMENT_loop ? SYNTHETIC_LINKS : 1);
}

// Cycles of `count` iterations; the loop's take `loop` in this slice.
static double all_cycles(const struct synthetic_cpu *cpu, int segment, double loop, double count) {
    double each = segment == SEGMENT_loop ? loop : cycles_of(cpu, segment);
    double later = segment == SEGMENT_loop && cpu->later_from && count > cpu->later_from
                       ? count - cpu->later_from
                       : 0;
    double throttled =
        segment == SEGMENT_width_after && cpu->throttled_after ? cpu->throttled_after : 1;
    return ((count - later) * each + later * cpu->later) * throttled +
           (segment == SEGMENT_width_after ? cpu->cold_after : 0);
}

static uint32_t find_n(double cycles_an_iteration, double segment) {
    uint32_t n = 1;
    while (n < 1u << 30 && n * cycles_an_iteration < segment) // as the variant
        n *= 2;
    return n;
}

static void find_all_n(const struct synthetic_cpu *cpu, struct slices *slices) {
    for (int segment = 0; segment < SEGMENT_COUNT; segment++) {
        double cycles = cycles_of(cpu, segment);
        bool half = segment == SEGMENT_imul || segment > SEGMENT_loop;
        if (segment < SEGMENT_loop)
            slices->links[segment] = SYNTHETIC_LINKS;
        if (cycles > 0)
            slices->n[segment] = find_n(cycles, CYCLES_A_SEGMENT / (half ? 2.0 : 1));
    }
}

static void take_slice(struct clock *clock, const struct slices *slices, double loop,
                       struct slice *slice) {
    for (int twice = 0; twice < 2; twice++)
        for (int i = 0; i < SEGMENT_COUNT; i++) {
            int at = turns[i];
            double count = (double)(slices->n[at] << twice);
            if (!slices->n[at])
                continue;
            slice->ticks[at][twice] = run(clock, at, all_cycles(clock->cpu, at, loop, count));
            slice->interrupted |= (uint32_t)clock->interrupted << (2 * at + twice);
        }
}

static void take_check(struct clock *clock, const struct slices *slices, double loop,
                       uint32_t times, struct slice *slice) {
    static const int order[CHECK_COUNT] = {SEGMENT_width_before, SEGMENT_loop, SEGMENT_width_after};
    slice->check.times = times;
    for (int i = 0; i < CHECK_COUNT; i++) {
        double count = (double)slices->n[order[i]] * (i == CHECK_loop ? times : 1);
        slice->check.ticks[i] = run(clock, order[i], all_cycles(clock->cpu, order[i], loop, count));
        slice->check.interrupted |= (uint32_t)clock->interrupted << i;
    }
}

void synthetic_slices(const struct synthetic_cpu *cpu, size_t count, unsigned long seed,
                      struct slices *slices) {
    struct clock clock = {.cpu = cpu, .random = gsl_rng_alloc(gsl_rng_taus2)};
    clock.length = cpu->drift_cycles ? cpu->drift_cycles : (double)(count * SLICE_CYCLES);
    gsl_rng_set(clock.random, seed);
    *slices = (struct slices){.count = count,
                              .sees_interrupts = !cpu->unseen,
                              .slices = calloc(count, sizeof(struct slice))};
    find_all_n(cpu, slices);
    change(&clock, gsl_rng_uniform(clock.random) < cpu->neighbour.duty);
    for (size_t i = 0; i < count; i++) {
        bool second = gsl_rng_uniform(clock.random) < cpu->second_part;
        double loop = (second ? cpu->second_loop : cpu->cycles[SEGMENT_loop]) *
                      (1 + gsl_ran_gaussian(clock.random, cpu->varies));
        take_slice(&clock, slices, loop, &slices->slices[i]);
        if (i % SLICES_A_CHECK == 0)
            take_check(&clock, slices, loop, 4, &slices->slices[i]);
        else if (i % SLICES_A_FAR_CHECK == SLICES_A_FAR_CHECK / 2)
            take_check(&clock, slices, loop, FAR, &slices->slices[i]);
    }
    gsl_rng_free(clock.random);
}

void synthetic_free(struct slices *slices) {
    free(slices->slices);
    *slices = (struct slices){0};
}

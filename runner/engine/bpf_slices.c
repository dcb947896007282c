// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/engine/bpf_slices.h"

#include <math.h>

// As the stopwatch of programs has it: a segment of 4096 cycles, and the others half of it.
enum { CYCLES_A_SEGMENT = 4096, LINKS = 32, MOST_ITERATIONS = 256 };

// A neighbour takes half of the width.
#define ALONE_MARGIN 0.12

void bpf_slices_begin(struct slices *slices, uint32_t loop_n) {
    *slices = (struct slices){
        .links = {LINKS, LINKS, LINKS},
        .n = {[SEGMENT_add] = CYCLES_A_SEGMENT / LINKS,
              [SEGMENT_rol] = CYCLES_A_SEGMENT / LINKS,
              [SEGMENT_imul] = CYCLES_A_SEGMENT / 2 / LINKS,
              [SEGMENT_loop] = loop_n,
              [SEGMENT_width_before] = CYCLES_A_SEGMENT / LINKS,
              [SEGMENT_width_after] = CYCLES_A_SEGMENT / LINKS},
    };
}

void bpf_take_slice(const volatile uint64_t *times, struct slice *slice) {
    *slice = (struct slice){0};
    for (int segment = 0; segment < SEGMENT_watch_before; segment++)
        for (int twice = 0; twice < 2; twice++)
            slice->ticks[segment][twice] = times[2 * segment + twice];
}

void bpf_take_check(const volatile uint64_t *times, uint32_t of, struct check *check) {
    *check = (struct check){.times = of};
    for (int run = 0; run < CHECK_COUNT; run++)
        check->ticks[run] = times[BPF_TIMES_CHECK + run];
}

// Nanoseconds from n to 2n iterations.
static double difference(const struct slice *slice, int segment) {
    return (double)slice->ticks[segment][1] - (double)slice->ticks[segment][0];
}

// Of a cycle.
static double unit_of(const struct slices *slices, const struct slice *slice) {
    return difference(slice, SEGMENT_add) /
           ((double)slices->n[SEGMENT_add] * slices->links[SEGMENT_add]);
}

bool bpf_is_alone(const struct slices *slices, const struct slice *slice, double level) {
    double unit = unit_of(slices, slice);
    for (int segment = SEGMENT_width_before; segment <= SEGMENT_width_after; segment++)
        if (difference(slice, segment) / slices->n[segment] / unit > level * (1 + ALONE_MARGIN))
            return false;
    return true;
}

uint32_t bpf_choose_n(const struct slices *slices, const struct slice *least) {
    // The chain's own overhead makes its segment a little long: 15/16 of it will do.
    double enough = (double)least->ticks[SEGMENT_add][0] * 15 / 16;
    double one = difference(least, SEGMENT_loop) / slices->n[SEGMENT_loop];
    uint32_t n = 1;
    while (n < MOST_ITERATIONS && one * n < enough)
        n *= 2;
    return n;
}

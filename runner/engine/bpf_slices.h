// SPDX-License-Identifier: GPL-3.0-or-later
// runner/engine: from the times that a program of the kernel leaves (templates/variant/bpf.s.j2) to
// slices. Pure: no kernel, no clock.
//
// A program measures in nanoseconds of the kernel's clock where others count ticks of the TSC.
#pragma once

#include "runner/estimate/stopwatch.h"

// Places of `times`.
enum {
    BPF_TIMES_CHECK = 16, // three of them
    BPF_TIMES_RUN = 63,   // what to run: 0 a slice, else the check of so many times n
};

// Runs that the program can check with: near and far.
enum { BPF_NEAR = 4, BPF_FAR = 16 };

// Iterations of each segment but the loop; links in `slices`. No memory: slices->slices is NULL.
void bpf_slices_begin(struct slices *slices, uint32_t loop_n);

// One run's times[0..2 * SEGMENT_watch_before) as a slice; times[BPF_TIMES_CHECK...] as its check.
void bpf_take_slice(const volatile uint64_t *times, struct slice *slice);
void bpf_take_check(const volatile uint64_t *times, uint32_t of, struct check *check);

// Was the core ours, by the two width segments? `level`: cycles of an iteration; NaN: true.
bool bpf_is_alone(const struct slices *slices, const struct slice *slice, double level);

// The iterations that make the loop a segment long, from `least`, the ticks of the fastest of
// several slices with n = `from`.
uint32_t bpf_choose_n(const struct slices *slices, const struct slice *least);

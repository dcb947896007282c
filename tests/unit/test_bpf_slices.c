// SPDX-License-Identifier: GPL-3.0-or-later
// What a program of the kernel leaves becomes slices, and these a value: by made-up times.
#include "tests/unit/unit.h"

#include "runner/engine/bpf_level.h"
#include "runner/engine/bpf_slices.h"

static const double clock_step = 10, nanoseconds_a_cycle = 0.308; // as on a Zen 3

// Times of a run that begins at `start`: cycles by segment, a loop of `loop` cycles.
static void run(uint64_t times[64], double start, const struct slices *slices, double loop,
                double width) {
    const double cycles[SEGMENT_watch_before] = {32, 32, 96, loop, width, width};
    for (int segment = 0; segment < SEGMENT_watch_before; segment++)
        for (int twice = 0; twice < 2; twice++) {
            double took =
                nanoseconds_a_cycle * (60 + cycles[segment] * slices->n[segment] * (1 + twice));
            double end = start + took;
            times[2 * segment + twice] = (uint64_t)(floor(end / clock_step) * clock_step -
                                                    floor(start / clock_step) * clock_step);
            start = end + 7.3; // what stands between
        }
}

static void times_become_slices_and_these_the_value(void **state) {
    (void)state;
    enum { COUNT = 400 };
    struct slices slices;
    struct stopwatch_value value;
    uint64_t times[64] = {0};
    bpf_slices_begin(&slices, 32);
    struct slice all[COUNT];
    slices.slices = all;
    for (slices.count = 0; slices.count < COUNT; slices.count++) {
        struct slice *slice = &all[slices.count];
        // Every third beside a neighbour.
        run(times, 3.77 * (double)slices.count, &slices, 141.2, slices.count % 3 ? 15.83 : 31.7);
        bpf_take_slice(times, slice);
        if (slices.count % 8)
            continue;
        times[BPF_TIMES_CHECK] = times[8];
        times[BPF_TIMES_CHECK + 1] = (uint64_t)(nanoseconds_a_cycle * (60 + 141.2 * 32 * BPF_FAR));
        times[BPF_TIMES_CHECK + 2] = times[10];
        bpf_take_check(times, BPF_FAR, &slice->check);
    }
    stopwatch_evaluate(&slices, CHAINS_all, 15.83, 1, &value);
    assert_int_equal(value.status, STATUS_ok);
    assert_near(value.cycles.value, 141.2, 0.15);
    assert_int_equal(value.imul_cycles, 3);
    assert_int_equal(value.remarks, 0); // the checks were understood
    assert_near(value.quiet, 2.0 / 3, 0.01);
    // Without a level nothing is taken for quiet.
    stopwatch_evaluate(&slices, CHAINS_all, NAN, 1, &value);
    assert_int_equal(value.status, STATUS_contended);
}

static void a_neighbour_is_seen_by_either_width_segment(void **state) {
    (void)state;
    struct slices slices;
    struct slice slice;
    uint64_t times[64] = {0};
    bpf_slices_begin(&slices, 32);
    run(times, 0, &slices, 100, 15.83);
    bpf_take_slice(times, &slice);
    assert_true(bpf_is_alone(&slices, &slice, 15.83));
    slice.ticks[SEGMENT_width_after][1] += slice.ticks[SEGMENT_width_after][0] / 4;
    assert_false(bpf_is_alone(&slices, &slice, 15.83));
    assert_true(bpf_is_alone(&slices, &slice, NAN)); // not known: nothing is thrown away
}

static void the_loop_gets_as_many_iterations_as_make_a_segment(void **state) {
    (void)state;
    static const struct {
        double cycles;
        uint32_t n;
    } rows[] = {{16, 256}, {31, 128}, {64, 64}, {141.2, 32}, {3000, 2}, {9000, 1}, {2, 256}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct slices slices;
        struct slice slice;
        uint64_t times[64] = {0};
        bpf_slices_begin(&slices, 16);
        run(times, 0, &slices, rows[i].cycles, 15.83);
        bpf_take_slice(times, &slice);
        assert_int_equal(bpf_choose_n(&slices, &slice), rows[i].n);
    }
}

static void a_level_needs_two_looks_that_agree(void **state) {
    (void)state;
    assert_true(bpf_level_agrees(15.866, 15.821));
    assert_false(bpf_level_agrees(15.63, 15.866));
    assert_false(bpf_level_agrees(15.83, NAN));
    assert_false(bpf_level_agrees(NAN, 15.83));
    assert_false(bpf_level_agrees(15.83, 0));
}

static void a_level_near_that_of_processes_is_that(void **state) {
    (void)state;
    assert_near(bpf_level_settle(15.618, 15.833), 15.833, 1e-9);
    assert_near(bpf_level_settle(15.9, 15.833), 15.833, 1e-9);
    assert_near(bpf_level_settle(19.1, 17), 19.1, 1e-9);
    assert_near(bpf_level_settle(15.8, NAN), 15.8, 1e-9);
    assert_nan(bpf_level_settle(NAN, 15.833));
}

static void a_level_needs_many_runs_that_agree(void **state) {
    (void)state;
    double cycles[100];
    for (int i = 0; i < 100; i++)
        cycles[i] = 15.83 + 0.1 * ((i * 37) % 5 - 2);
    assert_near(bpf_level_judge(cycles, 100), 15.83, 0.03);
    assert_nan(bpf_level_judge(cycles, 59));
    for (int i = 0; i < 100; i++) // half of them beside a neighbour
        cycles[i] = i % 2 ? 15.83 : 24;
    assert_nan(bpf_level_judge(cycles, 100));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_become_slices_and_these_the_value),
        cmocka_unit_test(a_neighbour_is_seen_by_either_width_segment),
        cmocka_unit_test(the_loop_gets_as_many_iterations_as_make_a_segment),
        cmocka_unit_test(a_level_needs_two_looks_that_agree),
        cmocka_unit_test(a_level_near_that_of_processes_is_that),
        cmocka_unit_test(a_level_needs_many_runs_that_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

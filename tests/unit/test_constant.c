// SPDX-License-Identifier: GPL-3.0-or-later
// Is a cost a constant? Loops that change with the iteration, and what only looks as if they did:
// noise, interrupts, neighbours, loops that disturb what is measured beside them.
#include "tests/unit/unit.h"

#include "tests/host/synthetic_cpu.h"

enum { SLICES = 200, SEEDS = 20 };

// 48 cycles an iteration unless a row says otherwise, and so n is 128.
enum { N = 128 };

static const struct row {
    const char *claim;
    enum status expect, other; // either; ok only with the right value
    double value, tolerance;   // cycles an iteration; a part
    struct synthetic_cpu cpu;
} rows[] = {
#define ROW(claim, expect, other, value, tolerance, ...)                                           \
    {                                                                                              \
        claim, STATUS_##expect, STATUS_##other, value, tolerance, {                                \
            .cycles = {1, 1, 3, value}, __VA_ARGS__                                                \
        }                                                                                          \
    }
    ROW("a constant", ok, ok, 48, 0.001, .noise = 0.001),
    ROW("twice as slow from 1.5 n on", not_constant, not_constant, 48, 0, .later_from = 1.5 * N,
        .later = 96),
    ROW("twice as slow from 3 n on", not_constant, not_constant, 48, 0, .later_from = 3 * N,
        .later = 96),
    ROW("5 % slower from 2 n on", not_constant, not_constant, 48, 0, .later_from = 2 * N,
        .later = 50.4),
    ROW("twice as slow from 50 n on", not_constant, not_constant, 48, 0, .later_from = 50 * N,
        .later = 96),
    ROW("twice as fast from 50 n on", not_constant, not_constant, 48, 0, .later_from = 50 * N,
        .later = 24),
    ROW("numbers that become subnormal", not_constant, not_constant, 4, 0, .later_from = 3 * 1024,
        .later = 600),
    ROW("two modes", unstable, unstable, 48, 0, .second_loop = 72, .second_part = 0.5),
    ROW("two modes, the second seldom", unstable, unstable, 48, 0, .second_loop = 96,
        .second_part = 0.2),
    ROW("a cost that varies by 2 % from slice to slice", ok, ok, 48, 0.01, .varies = 0.02),
    ROW("an iteration of 5 segments that varies by 2 %", ok, ok, 20000, 0.01, .varies = 0.02),
    ROW("segments that vary by 0.5 %", ok, ok, 48, 0.005, .noise = 0.005),
    ROW("a loop that evicts code", ok, ok, 48, 0.001, .cold_after = 700),
    ROW("a loop that throttles the core", ok, ok, 48, 0.001, .throttled_after = 1.25),
    ROW("the same beside a neighbour half of the time", ok, contended, 48, 0.002,
        .throttled_after = 1.25, .neighbour = {0.5, 3e6, {1.012, 1.004, 1, 1.9, 1.9, 1.9}}),
    ROW("beside a neighbour for 10 microseconds, a third of the time", ok, contended, 48, 0.002,
        .neighbour = {0.33, 3e4, {1.012, 1.004, 1, 1.9, 1.9, 1.9}}),
    ROW("for 100 microseconds, half of the time", ok, ok, 48, 0.002,
        .neighbour = {0.5, 3e5, {1.012, 1.004, 1, 1.9, 1.9, 1.9}}),
    ROW("for 300 microseconds, a tenth of the time", ok, ok, 48, 0.002,
        .neighbour = {0.1, 9e5, {1.012, 1.004, 1, 1.9, 1.9, 1.9}}),
    ROW("all of the time", contended, contended, 48, 0,
        .neighbour = {1, 1, {1.012, 1.004, 1, 1.9, 1.9, 1.9}}),
    // 250 interrupts a second.
    ROW("iterations of 30 microseconds", ok, ok, 9e4, 0.001, .interrupted = 0.00034),
    ROW("the same, interrupts not seen", ok, ok, 9e4, 0.005, .interrupted = 0.00034, .unseen = 1),
    ROW("iterations of 300 microseconds", ok, ok, 9e5, 0.001, .interrupted = 0.00034),
    ROW("the same, interrupts not seen", ok, ok, 9e5, 0.005, .interrupted = 0.00034, .unseen = 1),
#undef ROW
};

static void evaluate(const struct synthetic_cpu *cpu, unsigned long seed,
                     struct stopwatch_value *value) {
    struct slices slices;
    struct synthetic_cpu noisy = *cpu;
    noisy.noise = cpu->noise > 0 ? cpu->noise : 0.001;
    synthetic_slices(&noisy, SLICES, seed, &slices);
    stopwatch_evaluate(&slices, CHAINS_all, SYNTHETIC_WIDTH, seed, value);
    synthetic_free(&slices);
}

static void what_changes_is_not_constant_and_nothing_else_is(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (unsigned long seed = 1; seed <= SEEDS; seed++) {
            const struct row *row = &rows[i];
            struct stopwatch_value value;
            evaluate(&row->cpu, seed, &value);
            bool right = fabs(value.cycles.value / row->value - 1) <= row->tolerance;
            if ((value.status != row->expect && value.status != row->other) ||
                (value.status == STATUS_ok && !right))
                fail_msg("%s (seed %lu): %s, %.6g cycles: %s", row->claim, seed,
                         status_name(value.status), value.cycles.value, value.detail);
        }
}

static void where_it_changed_is_told(void **state) {
    (void)state;
    struct synthetic_cpu cpu = {.cycles = {1, 1, 3, 48}, .later_from = 3 * N, .later = 96};
    struct stopwatch_value value;
    evaluate(&cpu, 5, &value);
    assert_contains(value.detail, "iterations up to 256 take 48");
    assert_contains(value.detail, "up to 512 71.9"); // from 2 n to 4 n
    assert_contains(value.detail, "changes with the iteration");
    assert_nan(value.cycles.value);
    assert_true(fabs(value.early - 48) < 0.1 && fabs(value.later - 72) < 0.2);
    cpu.later_from = 50 * N;
    evaluate(&cpu, 5, &value);
    assert_contains(value.detail, "up to 16384");
    assert_contains(value.detail, "a state starts anew");
}

// The remarks are for executions in which nothing undisturbed of many iterations was seen, or no
// such run was tried.
static void a_cost_that_was_not_followed_is_remarked(void **state) {
    (void)state;
    struct synthetic_cpu cpu = {.cycles = {1, 1, 3, 48}};
    struct slices slices;
    struct stopwatch_value value;
    evaluate(&cpu, 5, &value);
    assert_int_equal(value.status, STATUS_ok);
    assert_int_equal(value.remarks, 0);
    synthetic_slices(&cpu, SLICES, 5, &slices);
    slices.sees_interrupts = true;
    for (size_t i = 0; i < slices.count; i++)
        slices.slices[i].check.interrupted = 1U << CHECK_loop;
    stopwatch_evaluate(&slices, CHAINS_all, SYNTHETIC_WIDTH, 5, &value);
    assert_int_equal(value.status, STATUS_ok);
    assert_int_equal(value.remarks, 1U << REMARK_not_followed);
    for (size_t i = 0; i < slices.count; i++)
        if (slices.slices[i].check.times > 4)
            slices.slices[i].check.times = 0;
    stopwatch_evaluate(&slices, CHAINS_all, SYNTHETIC_WIDTH, 5, &value);
    synthetic_free(&slices);
    assert_int_equal(value.remarks, 1U << REMARK_not_followed); // there was room, but not the time
    cpu.cycles[SEGMENT_loop] = 9e5;
    synthetic_slices(&cpu, SLICES, 5, &slices);
    for (size_t i = 0; i < slices.count; i++)
        if (slices.slices[i].check.times > 4)
            slices.slices[i].check.times = 0;
    stopwatch_evaluate(&slices, CHAINS_all, SYNTHETIC_WIDTH, 5, &value);
    synthetic_free(&slices);
    assert_int_equal(value.status, STATUS_ok);
    assert_int_equal(value.remarks, 1U << REMARK_near_only);
}

// As VSQRTPD alone: 9.0 cycles from its start, 8.5 for a while after whatever comes between.
static void a_loop_that_is_at_times_faster_has_two_speeds(void **state) {
    (void)state;
    struct synthetic_cpu cpu = {.cycles = {1, 1, 3, 48}};
    struct slices slices;
    struct stopwatch_value value;
    synthetic_slices(&cpu, SLICES, 5, &slices);
    for (size_t i = 0, far = 0; i < slices.count; i++)
        if (slices.slices[i].check.times > 4 && far++ % 3 == 0)
            slices.slices[i].check.ticks[CHECK_loop] -=
                slices.slices[i].check.ticks[CHECK_loop] / 20;
    stopwatch_evaluate(&slices, CHAINS_all, SYNTHETIC_WIDTH, 5, &value);
    synthetic_free(&slices);
    assert_int_equal(value.status, STATUS_unstable);
    assert_contains(value.detail, "two speeds: some runs of 16384 iterations take 45.");
    assert_contains(value.detail, "cycles, not 48");
    assert_near(value.cycles.value, 48, 0.1);
}

// The cache's chain takes 4 cycles a load; 5.2 says that somebody else is at the cache.
static void a_watch_segment_that_is_no_whole_number_is_remarked(void **state) {
    (void)state;
    static const double cycles[] = {4 * 32, 5.2 * 32};
    for (int i = 0; i < 2; i++) {
        struct synthetic_cpu cpu = {.cycles = {1, 1, 3, 48}};
        struct stopwatch_value value;
        cpu.cycles[SEGMENT_watch_before] = cpu.cycles[SEGMENT_watch_after] = cycles[i];
        evaluate(&cpu, 5, &value);
        assert_int_equal(value.status, STATUS_ok);
        assert_int_equal(value.remarks, i ? 1U << REMARK_width_only : 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_changes_is_not_constant_and_nothing_else_is),
        cmocka_unit_test(where_it_changed_is_told),
        cmocka_unit_test(a_cost_that_was_not_followed_is_remarked),
        cmocka_unit_test(a_loop_that_is_at_times_faster_has_two_speeds),
        cmocka_unit_test(a_watch_segment_that_is_no_whole_number_is_remarked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Pooling executions: the interval must hold the truth as often as it says.
#include "tests/unit/unit.h"

#include "runner/estimate/stopwatch.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

enum { TRIALS = 2000, MOST = 20 };

// Of TRIALS pools of `count` executions around 100 cycles: part that hold 100, and the mean
// half-width. within: an execution's own sd; between: what executions differ by beyond it.
static double coverage(size_t count, double between, double within, double *half) {
    gsl_rng *random = gsl_rng_alloc(gsl_rng_taus2);
    int held = 0;
    *half = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        double values[MOST], halves[MOST];
        struct pooled pooled;
        for (size_t i = 0; i < count; i++) {
            values[i] = 100 + gsl_ran_gaussian(random, between) + gsl_ran_gaussian(random, within);
            halves[i] = 1.96 * within;
        }
        stopwatch_pool(values, halves, count, 0, 0.5, &pooled);
        held += pooled.cycles.low <= 100 && 100 <= pooled.cycles.high;
        *half += (pooled.cycles.high - pooled.cycles.low) / 2 / TRIALS;
    }
    gsl_rng_free(random);
    return (double)held / TRIALS;
}

static void the_interval_holds_the_truth_in_92_of_100_whatever_the_noise(void **state) {
    (void)state;
    static const struct {
        size_t count;
        double between, within, widest; // widest: mean half-width allowed
    } cases[] = {
        {5, 0.1, 0.03, 0.15}, {5, 0.3, 0.03, 0.40},  {5, 0.02, 0.1, 0.15},  {5, 0.0, 0.05, 0.09},
        {3, 0.1, 0.03, 0.30}, {10, 0.1, 0.03, 0.09}, {20, 0.1, 0.03, 0.07}, {2, 0.1, 0.0, 1.0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double half, part = coverage(cases[i].count, cases[i].between, cases[i].within, &half);
        if (part < 0.92 || half > cases[i].widest)
            fail_msg("%zu executions, sd %g between and %g within: %.3f held, half-width %.3f",
                     cases[i].count, cases[i].between, cases[i].within, part, half);
    }
}

static void more_executions_make_it_narrower(void **state) {
    (void)state;
    double five, twenty;
    coverage(5, 0.2, 0.03, &five);
    coverage(20, 0.2, 0.03, &twenty);
    assert_true(twenty < 0.5 * five);
}

static void it_is_never_narrower_than_the_systematic_floor(void **state) {
    (void)state;
    const double values[] = {48, 48, 48, 48, 48}, halves[5] = {0};
    struct pooled pooled;
    stopwatch_pool(values, halves, 5, 0, 0.005, &pooled);
    assert_int_equal(pooled.status, STATUS_ok);
    assert_near(pooled.cycles.value, 48, 1e-12);
    assert_near(pooled.cycles.high - pooled.cycles.value, STOPWATCH_FLOOR * 48, 1e-9);
    assert_near(pooled.between_sd, 0, 0);
    assert_int_equal(pooled.executions, 5);
}

static void wider_than_the_precision_is_unstable_and_keeps_its_value(void **state) {
    (void)state;
    const double values[] = {47, 48, 49, 48, 48}, halves[5] = {0.1, 0.1, 0.1, 0.1, 0.1};
    struct pooled pooled;
    stopwatch_pool(values, halves, 5, 0, 0.005, &pooled);
    assert_int_equal(pooled.status, STATUS_unstable);
    assert_contains(pooled.detail, "is wider than the 0.5 % asked for");
    assert_near(pooled.cycles.value, 48, 1e-12);
    assert_near(pooled.between_sd, sqrt(0.5), 1e-9);
    assert_near(pooled.within_sd, 0.1 / 1.96, 1e-4);
    stopwatch_pool(values, halves, 5, 0, 0.05, &pooled);
    assert_int_equal(pooled.status, STATUS_ok);
}

// By chance five executions agree better than each is known.
static void executions_that_agree_are_known_no_better_than_each_of_them(void **state) {
    (void)state;
    const double values[] = {48, 48, 48, 48, 48}, halves[] = {0.1, 0.1, 0.1, 0.1, 0.1};
    struct pooled pooled;
    stopwatch_pool(values, halves, 5, 0, 0.005, &pooled);
    double half = 0.1 / sqrt(5), floor = STOPWATCH_FLOOR * 48;
    assert_near(pooled.cycles.high - 48, sqrt(half * half + floor * floor), 1e-6);
}

// What a light neighbour may have added is no noise: it is not combined in quadrature.
static void an_excess_widens_the_interval_by_itself(void **state) {
    (void)state;
    const double values[] = {48, 48, 48, 48, 48}, halves[5] = {0};
    struct pooled pooled;
    stopwatch_pool(values, halves, 5, 0.002, 0.005, &pooled);
    assert_int_equal(pooled.status, STATUS_ok);
    assert_near(pooled.cycles.high - 48, (0.002 + STOPWATCH_FLOOR) * 48, 1e-9);
    assert_near(48 - pooled.cycles.low, (0.002 + STOPWATCH_FLOOR) * 48, 1e-9);
    stopwatch_pool(values, halves, 5, -0.002, 0.005, &pooled);
    assert_near(pooled.cycles.high - 48, STOPWATCH_FLOOR * 48, 1e-9);
    stopwatch_pool(values, halves, 5, 0.006, 0.005, &pooled);
    assert_int_equal(pooled.status, STATUS_unstable);
}

static void one_execution_gives_a_provisional_interval_12_times_its_own(void **state) {
    (void)state;
    const double values[] = {48}, halves[] = {0.01};
    struct pooled pooled;
    stopwatch_pool(values, halves, 1, 0, 0.005, &pooled);
    assert_int_equal(pooled.status, STATUS_ok);
    assert_contains(pooled.detail, "provisional");
    assert_nan(pooled.between_sd);
    double half = 12.706 * 0.01 / 1.96, floor = STOPWATCH_FLOOR * 48;
    assert_near((pooled.cycles.high - pooled.cycles.low) / 2, sqrt(half * half + floor * floor),
                1e-4);
}

static void fewer_executions_than_5_are_called_provisional(void **state) {
    (void)state;
    const double values[] = {48, 48.01, 48, 48.01, 48}, halves[5] = {0};
    struct pooled pooled;
    stopwatch_pool(values, halves, 4, 0, 0.005, &pooled);
    assert_int_equal(pooled.status, STATUS_ok);
    assert_string_equal(pooled.detail, "provisional: 4 executions, 5 are usual");
    stopwatch_pool(values, halves, 5, 0, 0.005, &pooled);
    assert_string_equal(pooled.detail, "");
}

static void one_far_execution_of_ten_is_named_and_moves_nothing(void **state) {
    (void)state;
    const double values[] = {52, 52.01, 51.99, 52, 103.5, 52.01, 52, 51.99, 52, 52.02};
    const double halves[10] = {0};
    struct pooled pooled;
    stopwatch_pool(values, halves, 10, 0, 0.005, &pooled);
    assert_int_equal(pooled.status, STATUS_ok);
    assert_near(pooled.cycles.value, 52.00375, 1e-9);
    assert_near((pooled.cycles.high - pooled.cycles.low) / 2 / 52, 0.0004, 0.0001);
    assert_string_equal(pooled.detail, "1 of 10 executions far off, the farthest 103.5 cycles");
    // Of five none is left out: the interval says that something is wrong.
    stopwatch_pool(values, halves, 5, 0, 0.005, &pooled);
    assert_int_equal(pooled.status, STATUS_unstable);
    assert_contains(pooled.detail, "1 of 5 executions far off");
}

static void no_execution_is_no_value(void **state) {
    (void)state;
    struct pooled pooled;
    stopwatch_pool(NULL, NULL, 0, 0, 0.005, &pooled);
    assert_int_equal(pooled.status, STATUS_unstable);
    assert_nan(pooled.cycles.value);
    assert_nan(pooled.cycles.low);
    assert_null(strstr(pooled.detail, "nan"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_interval_holds_the_truth_in_92_of_100_whatever_the_noise),
        cmocka_unit_test(more_executions_make_it_narrower),
        cmocka_unit_test(it_is_never_narrower_than_the_systematic_floor),
        cmocka_unit_test(wider_than_the_precision_is_unstable_and_keeps_its_value),
        cmocka_unit_test(executions_that_agree_are_known_no_better_than_each_of_them),
        cmocka_unit_test(an_excess_widens_the_interval_by_itself),
        cmocka_unit_test(one_execution_gives_a_provisional_interval_12_times_its_own),
        cmocka_unit_test(fewer_executions_than_5_are_called_provisional),
        cmocka_unit_test(one_far_execution_of_ten_is_named_and_moves_nothing),
        cmocka_unit_test(no_execution_is_no_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

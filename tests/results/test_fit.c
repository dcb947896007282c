// SPDX-License-Identifier: GPL-3.0-or-later
// The solver against loops whose costs are known.
#include "results/fit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define LOOPS 29

static double counts[LOOPS * 2], cycles[LOOPS], sigma[LOOPS];

// The ratio family: 28 slots, k of them the second instruction, at the given overhead.
static struct fit_input ratio(double first, double second, double overhead) {
    for (int k = 0; k < LOOPS; k++) {
        counts[2 * k] = 28 - k;
        counts[2 * k + 1] = k;
        cycles[k] = first * (28 - k) + second * k + overhead;
        sigma[k] = 0.02;
    }
    return (struct fit_input){LOOPS, 2, counts, cycles, sigma, 0, 1};
}

static void known_costs_come_back_inside_their_intervals(void **state) {
    (void)state;
    struct fit_input input = ratio(2, 4, 0.5);
    struct fit fit;
    struct fit_item item[2];
    fit_solve(&input, &fit, item);
    assert_int_equal(fit.rank, 2);
    assert_int_equal(fit.additive, ADDITIVE_yes);
    assert_true(item[0].ci_low <= 2 && 2 <= item[0].ci_high);
    assert_true(item[1].ci_low <= 4 && 4 <= item[1].ci_high);
    assert_true(item[0].ci_high - item[0].ci_low < 0.05);
}

static void equal_slots_leave_the_whole_overhead_range_in_the_interval(void **state) {
    (void)state;
    struct fit_input input = ratio(2, 4, 0);
    struct fit fit;
    struct fit_item item[2];
    fit_solve(&input, &fit, item);
    assert_float_equal(fit.overhead_low, 0, 1e-12);
    assert_float_equal(fit.overhead_high, 1, 1e-12);
    assert_true(item[0].ci_low < 2 - 1.0 / 28);
    assert_float_equal(item[0].cycles, 2, 1e-9);
}

static void two_lengths_determine_the_overhead(void **state) {
    (void)state;
    double groups[] = {16, 64}, value[] = {16 * 3 + 0.7, 64 * 3 + 0.7}, error[] = {0.01, 0.01};
    struct fit_input input = {2, 1, groups, value, error, 0, 1};
    struct fit fit;
    struct fit_item item;
    fit_solve(&input, &fit, &item);
    assert_float_equal(fit.overhead, 0.7, 1e-9);
    assert_float_equal(item.cycles, 3, 1e-9);
    assert_true(item.ci_high - item.ci_low < 0.01);
    assert_true(fit.overhead_low > 0.6 && fit.overhead_high < 0.8);
}

static void interference_is_called_not_additive(void **state) {
    (void)state;
    struct fit_input input = ratio(2, 4, 0);
    struct fit fit;
    struct fit_item item[2];
    for (int k = 1; k < LOOPS - 1; k++)
        cycles[k] += 6; // wherever both stand, they disturb each other
    fit_solve(&input, &fit, item);
    assert_int_equal(fit.additive, ADDITIVE_no);
    assert_true(fit.p < 1e-6);
    assert_true(fabs(fit.worst_residual) > fit.worst_margin);
}

static void a_significant_but_tiny_misfit_is_additive(void **state) {
    (void)state;
    struct fit_input input = ratio(2, 4, 0);
    struct fit fit;
    struct fit_item item[2];
    for (int k = 0; k < LOOPS; k++)
        cycles[k] += k % 2 ? 0.09 : -0.09; // 4.5 sigma, but below 2 % of 56 cycles
    fit_solve(&input, &fit, item);
    assert_true(fit.p < FIT_SIGNIFICANCE);
    assert_int_equal(fit.additive, ADDITIVE_yes);
}

static void a_large_but_insignificant_misfit_is_additive(void **state) {
    (void)state;
    struct fit_input input = ratio(2, 4, 0);
    struct fit fit;
    struct fit_item item[2];
    for (int k = 0; k < LOOPS; k++) {
        cycles[k] += k % 2 ? 3 : -3;
        sigma[k] = 4;
    }
    fit_solve(&input, &fit, item);
    assert_true(fabs(fit.worst_residual) > fit.worst_margin);
    assert_int_equal(fit.additive, ADDITIVE_yes);
}

static void as_many_loops_as_items_test_nothing(void **state) {
    (void)state;
    double mix[] = {27, 1, 0, 28}, value[] = {58, 112}, error[] = {0.1, 0.1};
    struct fit_input input = {2, 2, mix, value, error, 0, 0};
    struct fit fit;
    struct fit_item item[2];
    fit_solve(&input, &fit, item);
    assert_int_equal(fit.freedom, 0);
    assert_int_equal(fit.additive, ADDITIVE_untested);
    assert_float_equal(item[0].cycles, 2, 1e-9);
    assert_float_equal(item[1].cycles, 4, 1e-9);
}

static void only_what_the_loops_determine_is_estimable(void **state) {
    (void)state;
    // The first two always stand in equal numbers; the third is on its own.
    double mix[] = {1, 1, 0, 2, 2, 1, 1, 1, 3}, value[] = {20, 41, 23}, error[] = {.1, .1, .1};
    struct fit_input input = {3, 3, mix, value, error, 0, 0};
    struct fit fit;
    struct fit_item item[3];
    fit_solve(&input, &fit, item);
    assert_int_equal(fit.rank, 2);
    assert_true(isinf(fit.condition));
    assert_false(item[0].estimable);
    assert_false(item[1].estimable);
    assert_true(item[2].estimable);
    assert_float_equal(item[2].cycles, 1, 0.01);
}

static void an_error_of_the_unit_does_not_average_out(void **state) {
    (void)state;
    struct fit_input input = ratio(2, 4, 0);
    struct fit fit;
    struct fit_item item[2];
    input.overhead_high = 0;
    for (int k = 0; k < LOOPS; k++)
        sigma[k] = 0.01 * cycles[k];
    fit_solve(&input, &fit, item);
    assert_true(item[1].ci_high - item[1].cycles >= 1.95 * 0.01 * 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_costs_come_back_inside_their_intervals),
        cmocka_unit_test(equal_slots_leave_the_whole_overhead_range_in_the_interval),
        cmocka_unit_test(two_lengths_determine_the_overhead),
        cmocka_unit_test(interference_is_called_not_additive),
        cmocka_unit_test(a_significant_but_tiny_misfit_is_additive),
        cmocka_unit_test(a_large_but_insignificant_misfit_is_additive),
        cmocka_unit_test(as_many_loops_as_items_test_nothing),
        cmocka_unit_test(only_what_the_loops_determine_is_estimable),
        cmocka_unit_test(an_error_of_the_unit_does_not_average_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

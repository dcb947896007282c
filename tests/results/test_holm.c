// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void the_textbook_example_comes_out(void **state) {
    (void)state;
    double p[] = {0.01, 0.04, 0.03, 0.005};
    size_t order[4];
    holm_adjust(p, order, 4);
    const double wanted[] = {0.03, 0.06, 0.06, 0.02};
    for (size_t i = 0; i < 4; i++)
        assert_float_equal(p[i], wanted[i], 1e-12);
}

static void missing_values_do_not_count_as_tests(void **state) {
    (void)state;
    double p[] = {NAN, 0.02, NAN, 0.5};
    size_t order[4];
    holm_adjust(p, order, 4);
    assert_true(isnan(p[0]) && isnan(p[2]));
    assert_float_equal(p[1], 0.04, 1e-12);
    assert_float_equal(p[3], 0.5, 1e-12);
}

static void adjusted_values_stop_at_one(void **state) {
    (void)state;
    double p[] = {0.9, 0.8};
    size_t order[2];
    holm_adjust(p, order, 2);
    assert_float_equal(p[0], 1, 0);
    assert_float_equal(p[1], 1, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_textbook_example_comes_out),
        cmocka_unit_test(missing_values_do_not_count_as_tests),
        cmocka_unit_test(adjusted_values_stop_at_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Expected values are computed by hand, or stand in the literature named beside them.
#include "tests/unit/unit.h"

#include "runner/estimate/stats.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

static gsl_rng *random_with(unsigned long seed) {
    gsl_rng *random = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(random, seed);
    return random;
}

static void means_and_deviations_are_those_of_the_textbook(void **state) {
    (void)state;
    const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
    assert_near(stats_mean(values, 8), 5, 1e-12);
    assert_near(stats_sd(values, 8), sqrt(32.0 / 7), 1e-12);
    assert_near(stats_sd(values, 2), sqrt(2), 1e-12);
}

static void nothing_to_compute_from_is_nan(void **state) {
    (void)state;
    const double one[] = {3};
    assert_nan(stats_mean(one, 0));
    assert_nan(stats_sd(one, 1));
    assert_nan(stats_quantile(one, 0, 0.5));
    assert_nan(stats_trimmed_mean(one, 0, 0.25));
    assert_nan(stats_student(one, 1, 0).low);
    assert_near(stats_student(one, 1, 0).value, 3, 0);
    struct interval few = stats_block_bootstrap(one, 1, 10, 200, 1);
    assert_near(few.value, 3, 0);
    assert_nan(few.low);
}

static void quantiles_interpolate_between_order_statistics(void **state) {
    (void)state;
    const double values[] = {40, 10, 20, 30};
    assert_near(stats_quantile(values, 4, 0), 10, 1e-12);
    assert_near(stats_quantile(values, 4, 1), 40, 1e-12);
    assert_near(stats_quantile(values, 4, 0.5), 25, 1e-12);
    assert_near(stats_quantile(values, 4, 0.1), 13, 1e-12);
    assert_near(values[0], 40, 0); // not sorted in place
}

static void the_trimmed_mean_ignores_what_lies_outside_the_quartiles(void **state) {
    (void)state;
    const double values[] = {-1e9, 1, 2, 3, 4, 5, 6, 1e9};
    assert_near(stats_trimmed_mean(values, 8, 0.25), 3.5, 1e-12);
    assert_near(stats_trimmed_mean(values, 8, 0), stats_mean(values, 8), 1e-6);
    const double three[] = {1, 2, 9};
    assert_near(stats_trimmed_mean(three, 3, 0.25), 4, 1e-12); // a quarter of 3 is no sample
}

static void student_quantiles_are_the_published_ones(void **state) {
    (void)state;
    // Fisher and Yates, Statistical Tables, table III, P = 0.05.
    static const struct {
        double degrees, quantile;
    } published[] = {{1, 12.706}, {2, 4.303},  {3, 3.182},  {4, 2.776},  {5, 2.571},
                     {9, 2.262},  {10, 2.228}, {30, 2.042}, {120, 1.980}};
    for (size_t i = 0; i < COUNT_OF(published); i++)
        assert_near(stats_student95(published[i].degrees), published[i].quantile, 5e-4);
}

static void the_student_interval_is_mean_plus_minus_t_sd_over_root_n(void **state) {
    (void)state;
    const double values[] = {9, 10, 11, 10, 10};
    struct interval interval = stats_student(values, 5, 0);
    double half = 2.7764 * sqrt(0.5) / sqrt(5);
    assert_near(interval.value, 10, 1e-12);
    assert_near(interval.low, 10 - half, 1e-4);
    assert_near(interval.high, 10 + half, 1e-4);
}

static void the_trimmed_interval_is_tukeys_and_mclaughlins(void **state) {
    (void)state;
    // Without 1 and 90: mean 5.5; Winsorized: 2,2,3,...,9,9, whose sd is 2.7183 (n - 1 = 9).
    const double values[] = {90, 2, 3, 4, 5, 6, 7, 8, 9, 1};
    struct interval interval = stats_student(values, 10, 1);
    double half = 2.3646 * 2.7183 / (0.8 * sqrt(10));
    assert_near(interval.value, 5.5, 1e-12);
    assert_near(interval.high - 5.5, half, 1e-3);
    assert_near(5.5 - interval.low, half, 1e-3);
    assert_nan(stats_student(values, 2, 1).value);
}

// Mean half-width of the bootstrap over many series x[i] = rho x[i-1] + noise of unit variance.
static double mean_half_width(double rho, size_t count, size_t block) {
    enum { SERIES = 60 };
    double *values = malloc(count * sizeof *values), sum = 0;
    gsl_rng *random = random_with(4711);
    for (int series = 0; series < SERIES; series++) {
        double x = gsl_ran_gaussian(random, 1);
        for (size_t i = 0; i < count; i++) {
            x = rho * x + gsl_ran_gaussian(random, sqrt(1 - rho * rho));
            values[i] = 100 + x;
        }
        struct interval interval =
            stats_block_bootstrap(values, count, block, 200, (uint64_t)series);
        sum += (interval.high - interval.low) / 2;
    }
    free(values);
    gsl_rng_free(random);
    return sum / SERIES;
}

// Asymptotic variance of the trimmed mean of normal samples, with a = 1/4 cut off on each
// side and z = 0.6745 the quartile: (integral of t^2 phi(t) from -z to z + 2 a z^2) /
// (1 - 2 a)^2 = 1.195 sd^2/n.
static void the_bootstrap_width_on_white_noise_is_the_analytic_one(void **state) {
    (void)state;
    double analytic = 1.96 * sqrt(1.195 / 400);
    double found = mean_half_width(0, 400, 10);
    assert_near(found / analytic, 1, 0.1);
}

// Correlated noise: the variance of a mean grows by (1+rho)/(1-rho), and blocks of `block`
// see all of it but a part of rho-decay/block: what is missed is in the expected value.
static void the_bootstrap_width_on_correlated_noise_grows_as_it_must(void **state) {
    (void)state;
    double rho = 0.5, block = 10, growth = (1 + rho) / (1 - rho);
    double seen = growth - 2 * rho * (1 - pow(rho, block)) / (block * (1 - rho) * (1 - rho));
    double white = mean_half_width(0, 400, 10), correlated = mean_half_width(rho, 400, 10);
    assert_near(correlated / white, sqrt(seen), 0.12 * sqrt(seen));
    assert_true(correlated > 1.4 * white);
}

static void the_bootstrap_repeats_itself_for_one_seed(void **state) {
    (void)state;
    double values[100];
    gsl_rng *random = random_with(1);
    for (size_t i = 0; i < COUNT_OF(values); i++)
        values[i] = gsl_ran_gaussian(random, 1);
    gsl_rng_free(random);
    struct interval a = stats_block_bootstrap(values, 100, 10, 200, 5);
    struct interval b = stats_block_bootstrap(values, 100, 10, 200, 5);
    struct interval c = stats_block_bootstrap(values, 100, 10, 200, 6);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(a.low != c.low);
    assert_near(a.value, c.value, 0);
}

// `high_part` of the values around `high`, the rest around 10.
static int two_modes(double high, double high_part, double noise, double centres[2]) {
    double values[200];
    gsl_rng *random = random_with(99);
    for (size_t i = 0; i < COUNT_OF(values); i++)
        values[i] = ((double)i < high_part * 200 ? high : 10) + gsl_ran_gaussian(random, noise);
    gsl_rng_free(random);
    return stats_two_modes(values, 200, 0.1, 0.05, centres);
}

static void two_tight_groups_are_two_modes_and_their_centres_are_found(void **state) {
    (void)state;
    double centres[2];
    assert_int_equal(two_modes(20, 0.3, 0.05, centres), 1);
    assert_near(centres[0], 10, 0.05);
    assert_near(centres[1], 20, 0.05);
}

static void no_other_shape_is_two_modes(void **state) {
    (void)state;
    double centres[2];
    assert_int_equal(two_modes(10, 0, 0.05, centres), 0);     // one group
    assert_int_equal(two_modes(20, 0.02, 0.05, centres), 0);  // a few outliers
    assert_int_equal(two_modes(10.3, 0.5, 0.01, centres), 0); // apart by less than 5 %
    assert_int_equal(two_modes(12, 0.5, 2, centres), 0);      // one wide group
    double same[200];
    for (size_t i = 0; i < 200; i++)
        same[i] = 3;
    assert_int_equal(stats_two_modes(same, 200, 0.1, 0.05, centres), 0);
    double even[200];
    for (size_t i = 0; i < 200; i++)
        even[i] = 10 + (double)i / 20;
    assert_int_equal(stats_two_modes(even, 200, 0.1, 0.05, centres), 0);
    assert_int_equal(stats_two_modes(even, 3, 0.1, 0.05, centres), 0); // too few to say
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_and_deviations_are_those_of_the_textbook),
        cmocka_unit_test(nothing_to_compute_from_is_nan),
        cmocka_unit_test(quantiles_interpolate_between_order_statistics),
        cmocka_unit_test(the_trimmed_mean_ignores_what_lies_outside_the_quartiles),
        cmocka_unit_test(student_quantiles_are_the_published_ones),
        cmocka_unit_test(the_student_interval_is_mean_plus_minus_t_sd_over_root_n),
        cmocka_unit_test(the_trimmed_interval_is_tukeys_and_mclaughlins),
        cmocka_unit_test(the_bootstrap_width_on_white_noise_is_the_analytic_one),
        cmocka_unit_test(the_bootstrap_width_on_correlated_noise_grows_as_it_must),
        cmocka_unit_test(the_bootstrap_repeats_itself_for_one_seed),
        cmocka_unit_test(two_tight_groups_are_two_modes_and_their_centres_are_found),
        cmocka_unit_test(no_other_shape_is_two_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

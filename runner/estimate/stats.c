// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/estimate/stats.h"

#include "common/memory.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double stats_mean(const double *values, size_t count) {
    return count ? gsl_stats_mean(values, 1, count) : NAN;
}

double stats_sd(const double *values, size_t count) {
    return count > 1 ? gsl_stats_sd(values, 1, count) : NAN;
}

static double *sorted_copy(const double *values, size_t count) {
    double *copy = memory_zero(count, sizeof *copy);
    memcpy(copy, values, count * sizeof *copy);
    gsl_sort(copy, 1, count);
    return copy;
}

double stats_quantile(const double *values, size_t count, double part) {
    if (!count)
        return NAN;
    double *sorted = sorted_copy(values, count);
    double quantile = gsl_stats_quantile_from_sorted_data(sorted, 1, count, part);
    free(sorted);
    return quantile;
}

// Sorts in place.
static double trimmed_mean_of(double *values, size_t count, double trim) {
    gsl_sort(values, 1, count);
    size_t cut = (size_t)((double)count * trim);
    return gsl_stats_mean(values + cut, 1, count - 2 * cut);
}

double stats_trimmed_mean(const double *values, size_t count, double trim) {
    if (!count)
        return NAN;
    double *copy = sorted_copy(values, count);
    double mean = trimmed_mean_of(copy, count, trim);
    free(copy);
    return mean;
}

static void draw_blocks(gsl_rng *random, const double *values, size_t count, size_t block,
                        double *drawn) {
    for (size_t filled = 0; filled < count; filled += block) {
        size_t from = gsl_rng_uniform_int(random, count - block + 1);
        size_t length = count - filled < block ? count - filled : block;
        memcpy(drawn + filled, values + from, length * sizeof *drawn);
    }
}

struct interval stats_block_bootstrap(const double *values, size_t count, size_t block,
                                      size_t resamples, uint64_t seed) {
    struct interval result = {stats_trimmed_mean(values, count, STATS_TRIM), NAN, NAN};
    if (count < 2 || resamples < 2)
        return result;
    block = count < 2 * block ? 1 : block;
    gsl_rng *random = gsl_rng_alloc(gsl_rng_taus2);
    double *drawn = memory_zero(count, sizeof *drawn);
    double *means = memory_zero(resamples, sizeof *means);
    gsl_rng_set(random, (unsigned long)(seed ^ seed >> 32));
    for (size_t i = 0; i < resamples; i++) {
        draw_blocks(random, values, count, block, drawn);
        means[i] = trimmed_mean_of(drawn, count, STATS_TRIM);
    }
    double half = 1.959964 * stats_sd(means, resamples);
    result.low = result.value - half;
    result.high = result.value + half;
    gsl_rng_free(random);
    free(drawn);
    free(means);
    return result;
}

double stats_student95(double degrees) {
    return gsl_cdf_tdist_Pinv(0.975, degrees);
}

struct interval stats_student(const double *values, size_t count, size_t cut) {
    struct interval result = {NAN, NAN, NAN};
    if (count <= 2 * cut)
        return result;
    double *sorted = sorted_copy(values, count);
    size_t left = count - 2 * cut;
    result.value = stats_mean(sorted + cut, left);
    for (size_t i = 0; i < cut; i++) {
        sorted[i] = sorted[cut];
        sorted[count - 1 - i] = sorted[count - 1 - cut];
    }
    if (left > 1) {
        double part_left = (double)left / (double)count;
        double half = stats_student95((double)left - 1) * stats_sd(sorted, count) /
                      (part_left * sqrt((double)count));
        result.low = result.value - half;
        result.high = result.value + half;
    }
    free(sorted);
    return result;
}

// The split of sorted values that leaves the least variance within the two sides.
// Returns how many are on the low side; *explained gets the part of the variance it
// explains and centres the sides' means.
static size_t best_split(const double *sorted, size_t count, double *explained, double centres[2]) {
    double mean = gsl_stats_mean(sorted, 1, count);
    double total = gsl_stats_tss_m(sorted, 1, count, mean);
    double sum = mean * (double)count, low_sum = 0, best = -1;
    size_t best_at = 0;
    for (size_t i = 1; i < count; i++) {
        low_sum += sorted[i - 1];
        double low = low_sum / (double)i, high = (sum - low_sum) / (double)(count - i);
        double between = (double)i * (low - mean) * (low - mean) +
                         (double)(count - i) * (high - mean) * (high - mean);
        if (between > best) {
            best = between;
            best_at = i;
            centres[0] = low;
            centres[1] = high;
        }
    }
    *explained = total > 0 ? best / total : 0;
    return best_at;
}

int stats_two_modes(const double *values, size_t count, double least, double apart,
                    double centres[2]) {
    if (count < 4)
        return 0;
    double *sorted = sorted_copy(values, count);
    // A few far outliers would take the split for themselves: look at the middle 96 %.
    size_t cut = count / 50;
    double explained;
    size_t low = best_split(sorted + cut, count - 2 * cut, &explained, centres);
    free(sorted);
    size_t high = count - 2 * cut - low, fewest = low < high ? low : high;
    return explained > 0.9 && (double)fewest >= least * (double)count &&
           centres[1] - centres[0] > apart * fabs(centres[0]);
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/fit.h"

#include "common/margin.h"
#include "common/memory.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_matrix.h>
#include <gsl/gsl_vector.h>
#include <math.h>
#include <stdlib.h>

// Singular values below this part of the largest count as zero.
#define RANK_TOLERANCE 1e-9
// A weight in the null space below this is rounding.
#define NULL_TOLERANCE 1e-6
// Half of the 95 % interval of chi-squared with one degree: the profile of the overhead.
#define PROFILE_DROP 3.841458820694124
#define Z95 1.959963984540054

// The weighted design, decomposed. U is m x n (m >= n, padded with empty rows).
struct design {
    double *numbers; // what all of these are views of
    gsl_matrix u, v;
    gsl_vector s, length; // singular values; lengths of the weighted columns
    gsl_vector y, ones;   // measured cycles and the overhead's column, weighted
    gsl_vector ry, rones; // what of them no item explains
    gsl_vector work;
    size_t rank;
};

static struct design design_make(size_t m, size_t n) {
    struct design d = {.numbers = memory_zero(m * n + n * n + 3 * n + 4 * m, sizeof(double))};
    double *at = d.numbers;
    gsl_vector *const of_items[] = {&d.s, &d.length, &d.work};
    gsl_vector *const of_rows[] = {&d.y, &d.ones, &d.ry, &d.rones};
    d.u = gsl_matrix_view_array(at, m, n).matrix;
    d.v = gsl_matrix_view_array(at += m * n, n, n).matrix;
    at += n * n;
    for (size_t i = 0; i < sizeof of_items / sizeof *of_items; i++, at += n)
        *of_items[i] = gsl_vector_view_array(at, n).vector;
    for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++, at += m)
        *of_rows[i] = gsl_vector_view_array(at, m).vector;
    return d;
}

static void design_fill(struct design *d, const struct fit_input *in) {
    for (size_t i = 0; i < in->rows; i++) {
        double weight = 1 / in->sigma[i];
        gsl_vector_set(&d->y, i, in->cycles[i] * weight);
        gsl_vector_set(&d->ones, i, weight);
        for (size_t j = 0; j < in->items; j++)
            gsl_matrix_set(&d->u, i, j, in->counts[i * in->items + j] * weight);
    }
    for (size_t j = 0; j < in->items; j++) {
        gsl_vector_view column = gsl_matrix_column(&d->u, j);
        double length = gsl_blas_dnrm2(&column.vector);
        gsl_vector_set(&d->length, j, length > 0 ? length : 1);
        gsl_vector_scale(&column.vector, 1 / gsl_vector_get(&d->length, j));
    }
}

// out = in minus its projection on the first `rank` columns of U.
static void residual(const struct design *d, const gsl_vector *in, gsl_vector *out) {
    gsl_vector_memcpy(out, in);
    for (size_t k = 0; k < d->rank; k++) {
        gsl_vector_const_view column = gsl_matrix_const_column(&d->u, k);
        double part;
        gsl_blas_ddot(&column.vector, in, &part);
        gsl_blas_daxpy(-part, &column.vector, out);
    }
}

static void design_decompose(struct design *d, const struct fit_input *in) {
    design_fill(d, in);
    gsl_linalg_SV_decomp(&d->u, &d->v, &d->s, &d->work);
    double largest = gsl_vector_get(&d->s, 0);
    while (d->rank < in->items && gsl_vector_get(&d->s, d->rank) > RANK_TOLERANCE * largest)
        d->rank++;
    residual(d, &d->y, &d->ry);
    residual(d, &d->ones, &d->rones);
}

// Where in its range the overhead lies. chi2 as a function of the overhead is the parabola
// |ry - o * rones|^2. Returns whether the data tell anything about it.
static bool place_overhead(const struct design *d, const struct fit_input *in, struct fit *fit) {
    double curvature, slope, length;
    gsl_blas_ddot(&d->rones, &d->rones, &curvature);
    gsl_blas_ddot(&d->rones, &d->ry, &slope);
    gsl_blas_ddot(&d->ones, &d->ones, &length);
    fit->overhead = fit->overhead_low = in->overhead_low;
    fit->overhead_high = in->overhead_high;
    if (in->overhead_high <= in->overhead_low || curvature <= NULL_TOLERANCE * length)
        return false;
    fit->overhead = fmin(fmax(slope / curvature, in->overhead_low), in->overhead_high);
    return true;
}

static double chi2_at(const struct design *d, double overhead) {
    double sum = 0;
    for (size_t i = 0; i < d->ry.size; i++) {
        double r = gsl_vector_get(&d->ry, i) - overhead * gsl_vector_get(&d->rones, i);
        sum += r * r;
    }
    return sum;
}

// The overheads whose misfit is not distinguishable from the best one's.
static void narrow_overhead(const struct design *d, double scale, struct fit *fit) {
    double curvature;
    gsl_blas_ddot(&d->rones, &d->rones, &curvature);
    double reach = sqrt(PROFILE_DROP * scale / curvature);
    fit->overhead_low = fmax(fit->overhead_low, fit->overhead - reach);
    fit->overhead_high = fmin(fit->overhead_high, fit->overhead + reach);
}

static void find_worst(const struct design *d, const struct fit_input *in, struct fit *fit) {
    double worst = -1;
    for (size_t i = 0; i < in->rows; i++) {
        double r = (gsl_vector_get(&d->ry, i) - fit->overhead * gsl_vector_get(&d->rones, i)) *
                   in->sigma[i];
        double margin = margin_of(in->cycles[i]);
        if (fabs(r) / margin <= worst)
            continue;
        worst = fabs(r) / margin;
        fit->worst_row = i;
        fit->worst_residual = r;
        fit->worst_margin = margin;
    }
}

static void judge(struct fit *fit) {
    if (fit->freedom == 0)
        return;
    fit->p = gsl_cdf_chisq_Q(fit->chi2, (double)fit->freedom);
    bool significant = fit->p < FIT_SIGNIFICANCE;
    bool practical = fabs(fit->worst_residual) > fit->worst_margin;
    fit->additive = significant && practical ? ADDITIVE_no : ADDITIVE_yes;
}

// Cost of item j if the overhead is o.
static double item_cost(const struct design *d, size_t j, double o) {
    double cost = 0;
    for (size_t k = 0; k < d->rank; k++) {
        gsl_vector_const_view column = gsl_matrix_const_column(&d->u, k);
        double y, ones;
        gsl_blas_ddot(&column.vector, &d->y, &y);
        gsl_blas_ddot(&column.vector, &d->ones, &ones);
        cost += gsl_matrix_get(&d->v, j, k) * (y - o * ones) / gsl_vector_get(&d->s, k);
    }
    return cost / gsl_vector_get(&d->length, j);
}

// An error of the unit moves all loops together and does not average out: no item is known
// better, relatively, than the best loop.
static double best_relative(const struct fit_input *in) {
    double best = INFINITY;
    for (size_t i = 0; i < in->rows; i++)
        if (in->cycles[i] > 0)
            best = fmin(best, in->sigma[i] / in->cycles[i]);
    return isfinite(best) ? best : 0;
}

static void fill_item(const struct design *d, const struct fit_input *in, const struct fit *fit,
                      size_t j, struct fit_item *item) {
    double untouched = 0, variance = 0;
    for (size_t k = 0; k < in->items; k++) {
        double v = gsl_matrix_get(&d->v, j, k);
        if (k >= d->rank)
            untouched += v * v;
        else
            variance += pow(v / gsl_vector_get(&d->s, k), 2);
    }
    item->estimable = d->rank > 0 && untouched < NULL_TOLERANCE;
    if (!item->estimable)
        return;
    double scale = fit->freedom > 0 ? fmax(1, sqrt(fit->chi2 / (double)fit->freedom)) : 1;
    double quantile = scale > 1 ? gsl_cdf_tdist_Pinv(0.975, (double)fit->freedom) : Z95;
    double error = sqrt(variance) / gsl_vector_get(&d->length, j);
    item->cycles = item_cost(d, j, fit->overhead);
    double half = hypot(quantile * scale * error, Z95 * best_relative(in) * item->cycles);
    double a = item_cost(d, j, fit->overhead_low), b = item_cost(d, j, fit->overhead_high);
    item->ci_low = fmin(fmin(a, b), item->cycles) - half;
    item->ci_high = fmax(fmax(a, b), item->cycles) + half;
}

void fit_solve(const struct fit_input *in, struct fit *fit, struct fit_item *item) {
    struct design d = design_make(in->rows > in->items ? in->rows : in->items, in->items);
    design_decompose(&d, in);
    *fit = (struct fit){.rank = d.rank, .p = 1};
    bool fitted = place_overhead(&d, in, fit);
    // At an end of its range the overhead is given by the range and not by the data.
    bool inside = fit->overhead > in->overhead_low && fit->overhead < in->overhead_high;
    size_t parameters = d.rank + (fitted && inside);
    fit->freedom = in->rows > parameters ? in->rows - parameters : 0;
    fit->chi2 = chi2_at(&d, fit->overhead);
    double scale = fit->freedom > 0 ? fmax(1, fit->chi2 / (double)fit->freedom) : 1;
    if (fitted)
        narrow_overhead(&d, scale, fit);
    double smallest = d.rank > 0 ? gsl_vector_get(&d.s, in->items - 1) : 0;
    fit->condition = smallest > 0 ? gsl_vector_get(&d.s, 0) / smallest : INFINITY;
    if (d.rank < in->items)
        fit->condition = INFINITY;
    find_worst(&d, in, fit);
    judge(fit);
    for (size_t j = 0; j < in->items; j++)
        fill_item(&d, in, fit, j, &item[j]);
    free(d.numbers);
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/fit.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_matrix.h>
#include <gsl/gsl_vector.h>
#include <math.h>

// Singular values below this part of the largest count as zero.
#define RANK_TOLERANCE 1e-9
// A weight in the null space below this is rounding.
#define NULL_TOLERANCE 1e-6
// Half of the 95 % interval of chi-squared with one degree: the profile of the overhead.
#define PROFILE_DROP 3.841458820694124
#define Z95 1.959963984540054

// The weighted design, decomposed. U is m x n (m >= n, padded with empty rows).
struct design {
    gsl_matrix *u, *v;
    gsl_vector *s, *length; // singular values; lengths of the weighted columns
    gsl_vector *y, *ones;   // measured cycles and the overhead's column, weighted
    gsl_vector *ry, *rones; // what of them no item explains
    size_t rank;
};

static void design_free(struct design *d) {
    gsl_matrix_free(d->u);
    gsl_matrix_free(d->v);
    gsl_vector_free(d->s);
    gsl_vector_free(d->length);
    gsl_vector_free(d->y);
    gsl_vector_free(d->ones);
    gsl_vector_free(d->ry);
    gsl_vector_free(d->rones);
}

static int design_allocate(struct design *d, size_t m, size_t n) {
    d->u = gsl_matrix_calloc(m, n);
    d->v = gsl_matrix_calloc(n, n);
    d->s = gsl_vector_calloc(n);
    d->length = gsl_vector_calloc(n);
    d->y = gsl_vector_calloc(m);
    d->ones = gsl_vector_calloc(m);
    d->ry = gsl_vector_calloc(m);
    d->rones = gsl_vector_calloc(m);
    return d->u && d->v && d->s && d->length && d->y && d->ones && d->ry && d->rones ? 0 : -1;
}

static void design_fill(struct design *d, const struct fit_input *in) {
    for (size_t i = 0; i < in->rows; i++) {
        double weight = 1 / in->sigma[i];
        gsl_vector_set(d->y, i, in->cycles[i] * weight);
        gsl_vector_set(d->ones, i, weight);
        for (size_t j = 0; j < in->items; j++)
            gsl_matrix_set(d->u, i, j, in->counts[i * in->items + j] * weight);
    }
    for (size_t j = 0; j < in->items; j++) {
        gsl_vector_view column = gsl_matrix_column(d->u, j);
        double length = gsl_blas_dnrm2(&column.vector);
        gsl_vector_set(d->length, j, length > 0 ? length : 1);
        gsl_vector_scale(&column.vector, 1 / gsl_vector_get(d->length, j));
    }
}

// out = in minus its projection on the first `rank` columns of U.
static void residual(const struct design *d, const gsl_vector *in, gsl_vector *out) {
    gsl_vector_memcpy(out, in);
    for (size_t k = 0; k < d->rank; k++) {
        gsl_vector_view column = gsl_matrix_column(d->u, k);
        double part;
        gsl_blas_ddot(&column.vector, in, &part);
        gsl_blas_daxpy(-part, &column.vector, out);
    }
}

static int design_decompose(struct design *d, const struct fit_input *in) {
    size_t m = in->rows > in->items ? in->rows : in->items;
    if (design_allocate(d, m, in->items) != 0)
        return -1;
    design_fill(d, in);
    gsl_vector *work = gsl_vector_alloc(in->items);
    if (work == NULL)
        return -1;
    gsl_linalg_SV_decomp(d->u, d->v, d->s, work);
    gsl_vector_free(work);
    double largest = gsl_vector_get(d->s, 0);
    while (d->rank < in->items && gsl_vector_get(d->s, d->rank) > RANK_TOLERANCE * largest)
        d->rank++;
    residual(d, d->y, d->ry);
    residual(d, d->ones, d->rones);
    return 0;
}

// Where in its range the overhead lies. chi2 as a function of the overhead is the parabola
// |ry - o * rones|^2. Returns whether the data tell anything about it.
static bool place_overhead(const struct design *d, const struct fit_input *in, struct fit *fit) {
    double curvature, slope, length;
    gsl_blas_ddot(d->rones, d->rones, &curvature);
    gsl_blas_ddot(d->rones, d->ry, &slope);
    gsl_blas_ddot(d->ones, d->ones, &length);
    fit->overhead = fit->overhead_low = in->overhead_low;
    fit->overhead_high = in->overhead_high;
    if (in->overhead_high <= in->overhead_low || curvature <= NULL_TOLERANCE * length)
        return false;
    fit->overhead = fmin(fmax(slope / curvature, in->overhead_low), in->overhead_high);
    return true;
}

static double chi2_at(const struct design *d, double overhead) {
    double sum = 0;
    for (size_t i = 0; i < d->ry->size; i++) {
        double r = gsl_vector_get(d->ry, i) - overhead * gsl_vector_get(d->rones, i);
        sum += r * r;
    }
    return sum;
}

// The overheads whose misfit is not distinguishable from the best one's.
static void narrow_overhead(const struct design *d, double scale, struct fit *fit) {
    double curvature;
    gsl_blas_ddot(d->rones, d->rones, &curvature);
    double reach = sqrt(PROFILE_DROP * scale / curvature);
    fit->overhead_low = fmax(fit->overhead_low, fit->overhead - reach);
    fit->overhead_high = fmin(fit->overhead_high, fit->overhead + reach);
}

double fit_margin(double cycles) {
    return fmax(FIT_MARGIN_RELATIVE * fabs(cycles), FIT_MARGIN_CYCLES);
}

static void find_worst(const struct design *d, const struct fit_input *in, struct fit *fit) {
    double worst = -1;
    for (size_t i = 0; i < in->rows; i++) {
        double r =
            (gsl_vector_get(d->ry, i) - fit->overhead * gsl_vector_get(d->rones, i)) * in->sigma[i];
        double margin = fit_margin(in->cycles[i]);
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
        gsl_vector_view column = gsl_matrix_column(d->u, k);
        double y, ones;
        gsl_blas_ddot(&column.vector, d->y, &y);
        gsl_blas_ddot(&column.vector, d->ones, &ones);
        cost += gsl_matrix_get(d->v, j, k) * (y - o * ones) / gsl_vector_get(d->s, k);
    }
    return cost / gsl_vector_get(d->length, j);
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
        double v = gsl_matrix_get(d->v, j, k);
        if (k >= d->rank)
            untouched += v * v;
        else
            variance += pow(v / gsl_vector_get(d->s, k), 2);
    }
    item->estimable = d->rank > 0 && untouched < NULL_TOLERANCE;
    if (!item->estimable)
        return;
    double scale = fit->freedom > 0 ? fmax(1, sqrt(fit->chi2 / (double)fit->freedom)) : 1;
    double quantile = scale > 1 ? gsl_cdf_tdist_Pinv(0.975, (double)fit->freedom) : Z95;
    double error = sqrt(variance) / gsl_vector_get(d->length, j);
    item->cycles = item_cost(d, j, fit->overhead);
    double half = hypot(quantile * scale * error, Z95 * best_relative(in) * item->cycles);
    double a = item_cost(d, j, fit->overhead_low), b = item_cost(d, j, fit->overhead_high);
    item->ci_low = fmin(fmin(a, b), item->cycles) - half;
    item->ci_high = fmax(fmax(a, b), item->cycles) + half;
}

int fit_solve(const struct fit_input *in, struct fit *fit, struct fit_item *item) {
    if (in->rows == 0 || in->items == 0)
        return -1;
    struct design d = {0};
    if (design_decompose(&d, in) != 0) {
        design_free(&d);
        return -1;
    }
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
    double smallest = d.rank > 0 ? gsl_vector_get(d.s, in->items - 1) : 0;
    fit->condition = smallest > 0 ? gsl_vector_get(d.s, 0) / smallest : INFINITY;
    if (d.rank < in->items)
        fit->condition = INFINITY;
    find_worst(&d, in, fit);
    judge(fit);
    for (size_t j = 0; j < in->items; j++)
        fill_item(&d, in, fit, j, &item[j]);
    design_free(&d);
    return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// runner/estimate: statistics of samples. Pure: numbers in, numbers out, no clock, no I/O.
//
// Arrays are the caller's and are not changed unless said. NaN comes back where
// there is nothing to compute from; it becomes an empty cell, never 0.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Half of the samples lie between the quartiles: what is outside them is trimmed. A
// quarter on each side survives a busy machine and still dithers a coarse TSC out.
#define STATS_TRIM 0.25

struct interval {
    double value, low, high;
};

double stats_mean(const double *values, size_t count);

// Sample standard deviation (count - 1); NaN for fewer than two.
double stats_sd(const double *values, size_t count);

// Quantile `part` (0 to 1) by linear interpolation between order statistics.
double stats_quantile(const double *values, size_t count, double part);

// Mean of what is left when `trim` of the samples is cut off on each side.
double stats_trimmed_mean(const double *values, size_t count, double trim);

// Trimmed mean and its 95 % interval by a moving-block bootstrap: neighbouring slices
// are correlated, so blocks of `block` of them are drawn with replacement `resamples`
// times, seeded (Kuensch 1989). Interval: value +- 1.96 sd of the resampled values.
// Fewer values than two blocks are drawn one by one.
struct interval stats_block_bootstrap(const double *values, size_t count, size_t block,
                                      size_t resamples, uint64_t seed);

// Two-sided Student quantile for 95 %, e.g. 2.776 for 4 degrees of freedom.
double stats_student95(double degrees);

// Mean of independent values without the `cut` lowest and highest, with its 95 % interval:
// Student's with the Winsorized variance (Tukey and McLaughlin, Sankhya A 25, 1963). cut 0 is the
// plain mean and Student's interval. low and high are NaN for fewer than two values left.
struct interval stats_student(const double *values, size_t count, size_t cut);

// Do the values fall into two tight groups rather than one? Both groups must hold at
// least `least` (a part) of the values, their centres must differ by more than `apart`
// (a part of the lower centre), and the split must explain 90 % of the variance.
// Returns 1 and the two centres, else 0.
int stats_two_modes(const double *values, size_t count, double least, double apart,
                    double centres[2]);

// SPDX-License-Identifier: GPL-3.0-or-later
// results: what one instruction costs, solved from loops that mix several.
//
// Pure maths: no files, no text. The model of a loop is
//     cycles per iteration = overhead + sum over items of count * cost
// fitted by weighted least squares. The overhead of `dec; jnz` is not a free
// number: it lies in a known range (0 to what the empty loop takes, because the
// two may hide behind the body). Where the loops' counts tell it apart from the
// items it is fitted inside that range, elsewhere the whole range widens the
// intervals.
#pragma once

#include "common/rows.h"

#include <stdbool.h>
#include <stddef.h>

// Costs do not add up where a loop is off by more than margin_of, and not by chance.
#define FIT_SIGNIFICANCE 0.01 // the chance of a false "not additive"

struct fit_input {
    size_t rows, items;
    double *counts;                     // rows * items, row by row: items in one iteration
    double *cycles;                     // rows: cycles per iteration
    double *sigma;                      // rows: standard errors, cycles per iteration, above 0
    double overhead_low, overhead_high; // cycles per iteration
};

struct fit_item {
    bool estimable;                 // false: the loops do not determine it; the rest is unset
    double cycles, ci_low, ci_high; // cycles per item, 95 %
};

struct fit {
    size_t rank;
    double condition; // of the design with columns scaled to length 1
    size_t freedom;   // degrees of freedom left for the test
    double chi2, p;   // misfit, and its probability if costs do add; p is 1 untested
    enum additive additive;
    size_t worst_row;      // the loop that exceeds its margin most, or is nearest to it
    double worst_residual; // measured minus fitted there, cycles per iteration
    double worst_margin;   // the margin there, cycles per iteration
    double overhead;       // cycles per iteration used for the centre
    double overhead_low, overhead_high; // the part of the range that the data allow
};

// Solve. At least one row and one item; `item` has input->items places, owned by the caller.
// Method: singular value decomposition of the weighted design (Golub and Van Loan, Matrix
// Computations, 5.5); an item is estimable when the null space does not touch it. A misfit
// larger than the errors explain widens the intervals by its square root (Birge 1932).
void fit_solve(const struct fit_input *input, struct fit *fit, struct fit_item *item);

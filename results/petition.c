// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/petition.h"

#include <math.h>

#define IPC_ROUNDING 0.005 // half of the last printed digit

struct bounds petition_from_ipc(double instructions, double ipc, double iterations) {
    return (struct bounds){.centre = instructions / ipc / iterations,
                           .low = instructions / (ipc + IPC_ROUNDING) / iterations,
                           .high = instructions / (ipc - IPC_ROUNDING) / iterations};
}

struct bounds petition_from_cycles(double cycles, double iterations) {
    double each = cycles / iterations;
    return (struct bounds){each, each, each};
}

struct bounds petition_part(struct bounds iteration, double count, double overhead_high) {
    return (struct bounds){.centre = iteration.centre / count,
                           .low = (iteration.low - overhead_high) / count,
                           .high = iteration.high / count};
}

static double other_at(double iteration, double count, double known_count, double known_iteration,
                       double known_loop_count, double overhead) {
    double known = (known_iteration - overhead) / known_loop_count;
    return (iteration - overhead - known_count * known) / count;
}

struct bounds petition_other(struct bounds iteration, double count, double known_count,
                             struct bounds known_iteration, double known_loop_count,
                             double overhead_high) {
    // Linear in the overhead: its two ends bound everything between.
    double low[2], high[2];
    for (int i = 0; i < 2; i++) {
        double overhead = i == 0 ? 0 : overhead_high;
        low[i] = other_at(iteration.low, count, known_count, known_iteration.high, known_loop_count,
                          overhead);
        high[i] = other_at(iteration.high, count, known_count, known_iteration.low,
                           known_loop_count, overhead);
    }
    return (struct bounds){.centre = other_at(iteration.centre, count, known_count,
                                              known_iteration.centre, known_loop_count, 0),
                           .low = fmin(low[0], low[1]),
                           .high = fmax(high[0], high[1])};
}

struct bounds petition_minus(struct bounds a, struct bounds b) {
    return (struct bounds){a.centre - b.centre, a.low - b.high, a.high - b.low};
}

enum additive petition_additive(struct bounds whole, struct bounds first, struct bounds second) {
    double sum = first.centre + second.centre;
    bool disjoint = whole.low > first.high + second.high || whole.high < first.low + second.low;
    return disjoint && fabs(whole.centre - sum) > fit_margin(whole.centre) ? ADDITIVE_no
                                                                           : ADDITIVE_yes;
}

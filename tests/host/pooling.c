// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/host/pooling.h"

#include "runner/estimate/tally.h"

#define PRECISION 0.005

static void take(const struct stopwatch_value *value, struct tallies *tallies) {
    struct measurements_row row;
    rows_empty(FILE_measurements, &row);
    row.quantity = QUANTITY_cycles;
    row.source = "stopwatch";
    row.value = value->cycles.value;
    row.ci_low = value->cycles.low;
    row.ci_high = value->cycles.high;
    row.spread = value->spread;
    row.samples = (long long)value->samples;
    row.quiet = value->quiet;
    row.width = value->width;
    row.excess = value->excess;
    row.early = value->early;
    row.later = value->later;
    row.remarks = value->remarks;
    row.status = value->status;
    row.detail = value->detail;
    tallies_add(tallies, &row);
}

void pool_executions(const struct stopwatch_value *values, size_t count, struct pooled *pooled,
                     unsigned *remarks) {
    struct tallies tallies = {0};
    for (size_t i = 0; i < count; i++)
        take(&values[i], &tallies);
    tally_pool(tallies_cycles(&tallies), PRECISION, pooled);
    *remarks = tally_remarks(tallies_cycles(&tallies));
    tallies_free(&tallies);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Any ticks: never a value without an ok, never an ok that is not a positive number.
#include "tests/fuzz/fuzz.h"

#include "runner/estimate/stopwatch.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct slices slices = {.links = {32, 32, 32},
                            .n = {128, 128, 32, 128, 128, 128, 16, 16},
                            .sees_interrupts = size & 1};
    if (size & 2)
        slices.n[SEGMENT_watch_before] = slices.n[SEGMENT_watch_after] = 0;
    slices.count = size / sizeof(struct slice);
    if (slices.count > 64)
        slices.count = 64;
    slices.slices = malloc((slices.count + 1) * sizeof(struct slice));
    memcpy(slices.slices, data, slices.count * sizeof(struct slice));
    // The bytes behind the last whole slice say which member is excluded: one evaluation an input,
    // because its bootstrap is what takes the time.
    int excluded = SEGMENT_add + (int)(size % sizeof(struct slice) % (CHAINS_all + 1));
    struct stopwatch_value value;
    stopwatch_evaluate(&slices, excluded, 17, 1, &value);
    if (value.status == STATUS_ok)
        must(value.cycles.value > 0 && isfinite(value.cycles.value));
    else
        must(value.detail[0] != '\0');
    must(value.status >= STATUS_unstable || isnan(value.cycles.value));
    free(slices.slices);
    return 0;
}

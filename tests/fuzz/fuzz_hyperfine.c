// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever hyperfine exports: times that are positive numbers, or a reason.
#include "tests/fuzz/fuzz.h"

#include "runner/engine/hyperfine_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char why[160] = "";
    struct hyperfine_times times[2];
    if (hyperfine_json_parse((const char *)data, size, 2, times, why, sizeof why)) {
        must(why[0] != '\0');
        return 0;
    }
    for (int i = 0; i < 2; i++)
        for (size_t run = 0; run < times[i].count; run++)
            must(times[i].seconds[run] > 0);
    return 0;
}

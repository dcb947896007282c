// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever a variant prints: its slices or a reason, and an end mark proves an end.
#include "tests/fuzz/fuzz.h"

#include "runner/estimate/slices.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char why[160] = "";
    struct slices slices;
    if (!slices_parse((const char *)data, size, 3, &slices, why, sizeof why)) {
        must(slices.count >= 1 && slices.count <= 3 && slices.n[SEGMENT_loop] > 0);
        slices_free(&slices);
    } else {
        must(why[0] != '\0' && !slices.slices);
    }
    why[0] = '\0';
    must(!slices_parse_end((const char *)data, size, 1000, why, sizeof why) || why[0]);
    return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever perf prints: a status that is ok has a number, any other has none and a reason.
#include "tests/fuzz/fuzz.h"

#include "runner/engine/perf_text.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const events[] = {"msr/tsc/", "task-clock", "cycles:u", "instructions:u",
                                         "uncore_imc_0/event=0x4,umask=0x3/"};
    struct perf_count counts[5];
    perf_text_parse((const char *)data, size, events, 5, counts);
    for (size_t i = 0; i < 5; i++)
        must(counts[i].status == STATUS_ok ? isfinite(counts[i].value) && counts[i].value >= 0
                                           : isnan(counts[i].value) && counts[i].detail[0]);
    return 0;
}

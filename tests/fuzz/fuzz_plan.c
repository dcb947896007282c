// SPDX-License-Identifier: GPL-3.0-or-later
// Any variants.csv and proof.csv (the input is cut at its first zero byte): a plan in which
// every variant without a true proof is unproved, or an error.
#include "fuzz.h"

#include "plan.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint8_t *zero = memchr(data, 0, size);
    if (!zero)
        return 0;
    size_t first = (size_t)(zero - data);
    struct error error = {0};
    struct plan plan;
    // No binaries are there: nothing can be proved.
    int failed = plan_parse("/nonexistent", (const char *)data, first, (const char *)zero + 1,
                            size - first - 1, NULL, &plan, &error);
    must(failed ? error.text[0] != '\0' : plan.count > 0);
    for (size_t i = 0; !failed && i < plan.count; i++)
        must(plan.rows[i].unproved && plan.rows[i].iterations > 0);
    plan_free(&plan);
    return 0;
}

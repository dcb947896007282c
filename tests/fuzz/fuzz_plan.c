// SPDX-License-Identifier: GPL-3.0-or-later
// Any variants.csv and proof.csv (the input is cut at its first zero byte): a plan in which
// every variant without a true proof is unproved, or an error. A part of it by names is a part.
#include "tests/fuzz/fuzz.h"

#include "runner/run/plan.h"

#include <math.h>

// A build's folder without binaries: nothing can be proved.
static const char folder[] = FUZZ_BARE;

static void check_plan(const struct plan *plan) {
    double cycles = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct variant *row = &plan->rows[i];
        struct engine_job job = plan_job(plan, i);
        must(row->unproved && row->iterations > 0 && !strchr(row->name, '/'));
        must(isnan(row->retired) || row->retired > 0);
        for (size_t other = 0; other < i; other++)
            must(strcmp(plan->rows[other].name, row->name));
        must(row->excluded_chain >= SEGMENT_add && row->excluded_chain <= CHAINS_all);
        must(job.index == i && job.variant == row->name && job.path == row->path);
        must(!strncmp(row->path, folder, sizeof folder - 1));
    }
    char why[320] = "";
    must(!plan_calibrator(plan, &cycles, why, sizeof why) && why[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint8_t *zero = memchr(data, 0, size);
    if (!zero)
        return 0;
    size_t first = (size_t)(zero - data);
    struct error error = {0};
    fuzz_file(folder, "variants.csv", data, first);
    fuzz_file(folder, "proof.csv", zero + 1, size - first - 1);
    struct plan plan, part;
    int failed = plan_read(folder, NULL, &plan, &error);
    must(failed ? error.text[0] != '\0' : plan.count > 0);
    if (!failed) {
        check_plan(&plan);
        if (!plan_read(folder, "*a*,seed.*", &part, &error))
            check_plan(&part);
        must(part.count <= plan.count);
        plan_free(&part);
    }
    plan_free(&plan);
    return 0;
}

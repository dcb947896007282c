// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/engine/bpf_evidence.h"

#include "common/memory.h"
#include "runner/bpf/evidence.h"

#include <stdlib.h>
#include <string.h>

// What is known of the kernel, for as long as we run. NULL with *error.
static struct evidence_kernel *known_kernel(struct error *error) {
    static struct evidence_kernel kernel;
    static bool is_open;
    if (!is_open && evidence_open("objdump", &kernel, error)) {
        evidence_close(&kernel);
        return NULL;
    }
    is_open = true;
    return &kernel;
}

static char *take(char **text) {
    char *taken = *text ? *text : text_make("%s", "");
    *text = NULL;
    return taken;
}

static const char *const verdicts[] = {[EVIDENCE_proved] = "proved",
                                       [EVIDENCE_unproved] = "unproved",
                                       [EVIDENCE_emulated] = "emulated"};

static void take_evidence(struct evidence *evidence, struct execution *execution) {
    execution_free_code(execution);
    struct execution_code *code = execution->code = memory_zero(1, sizeof *code);
    code->verdict = verdicts[evidence->verdict];
    code->restores = evidence->restores;
    code->mix = take(&evidence->native.mix);
    code->order = take(&evidence->native.order);
    code->calls = take(&evidence->calls);
    code->length = evidence->text_length;
    code->listing = take(&evidence->text);
    execution->loop_address = evidence->native.loop_address;
    execution->loop_bytes = (long long)evidence->native.loop_bytes;
    if (evidence->verdict == EVIDENCE_unproved)
        ends_with(execution, STATUS_unproved, "not executed: %s", evidence->why);
    if (evidence->verdict == EVIDENCE_emulated) {
        execution->privilege = PRIVILEGE_emulated;
        ends_with(execution, STATUS_emulated, "not executed: %s", evidence->why);
    }
}

bool bpf_prove(const struct object *object, const struct loaded *loaded,
               struct execution *execution) {
    struct evidence evidence = {0};
    struct error error;
    struct evidence_kernel *kernel = known_kernel(&error);
    bool failed = !kernel || evidence_make(kernel, object, loaded, &evidence, &error);
    if (failed)
        ends_with(execution, STATUS_unproved, "not executed: %s", error.text);
    else
        take_evidence(&evidence, execution);
    bool proved = !failed && evidence.verdict == EVIDENCE_proved;
    evidence_free(&evidence);
    return proved;
}

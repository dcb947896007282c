// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever result.csv a node sends: an attempt whose numbers and outcome are what its fields say
// and that is the same when written and read again, or an error. Its claim is judged by the CPU
// that it names.
#include "tests/fuzz/fuzz.h"

#include "campaign/fleet/attempt.h"
#include "campaign/fleet/claims.h"
#include "common/table.h"

#include <stdio.h>

static void check_claim(const struct attempt *attempt) {
    const char *found = NULL, *again;
    char feature[64];
    enum claim claim = claim_check(attempt->claim, attempt->cpu_vendor, attempt->cpu_family,
                                   attempt->cpu_model, &found);
    must(claim < CLAIM_COUNT && found && (claim != CLAIM_confirmed || *found));
    // A found generation is its own claim, also as Slurm's feature.
    claim_feature(found, feature, sizeof feature);
    must(strlen(feature) < sizeof feature);
    must(!*found || claim_check(feature, attempt->cpu_vendor, attempt->cpu_family,
                                attempt->cpu_model, &again) == CLAIM_confirmed);
    // However little room there is.
    size_t room = 1 + strlen(attempt->claim) % 16;
    must(strlen(claim_feature(attempt->claim, feature, room)) < room);
}

static void check_attempt(const struct attempt *attempt) {
    char name[80], *text;
    size_t length;
    struct error error = {0};
    struct attempt again;
    must(attempt->outcome_id < OUTCOME_COUNT);
    must(!strcmp(attempt->outcome, outcomes[attempt->outcome_id].name));
    must(attempt->job_id > 0 && attempt->task_id >= 0 && attempt->restart_id >= 0);
    FILE *stream = open_memstream(&text, &length);
    table_write_row(stream, (const char *const[]){"key", "value"}, 2);
    for (size_t i = 0; i < attempt_fields.count; i++)
        table_write_row(stream,
                        (const char *const[]){attempt_fields.list[i].name,
                                              field_text(&attempt_fields.list[i], attempt)},
                        2);
    fclose(stream);
    snprintf(name, sizeof name, "results/box/%lld-%lld-%lld", attempt->job_id, attempt->task_id,
             attempt->restart_id);
    must(!attempt_parse(name, text, length, &again, &error));
    for (size_t i = 0; i < attempt_fields.count; i++)
        must(!strcmp(field_text(&attempt_fields.list[i], &again),
                     field_text(&attempt_fields.list[i], attempt)));
    must(attempt_parse("results/box/0-0-0", text, length, &again, &error) && error.text[0]);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct error error = {0};
    struct attempt attempts[2] = {0};
    if (attempt_parse("results/box/.carried", (const char *)data, size, &attempts[0], &error)) {
        must(error.text[0] != '\0');
        return 0;
    }
    check_attempt(&attempts[0]);
    check_claim(&attempts[0]);
    // A later one without values never hides one that has some.
    attempts[1].outcome_id = OUTCOME_failed;
    attempts[1].job_id = INT64_MAX;
    must(attempts_choose(attempts, 2) == 0 || !outcomes[attempts[0].outcome_id].has_values);
    return 0;
}

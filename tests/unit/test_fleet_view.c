// SPDX-License-Identifier: GPL-3.0-or-later
// Which attempt counts, where a generation is, and what comes through srun.
#include "campaign/fleet/frame.h"
#include "campaign/fleet/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <sha2.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct attempt make(long long job, long long restart, enum outcome outcome) {
    struct attempt attempt = {.job_id = job, .restart_id = restart, .outcome_id = outcome};
    snprintf(attempt.job, sizeof attempt.job, "%lld", job);
    snprintf(attempt.restart, sizeof attempt.restart, "%lld", restart);
    return attempt;
}

static void the_highest_restart_of_the_latest_job_counts(void **state) {
    (void)state;
    const struct attempt attempts[] = {make(9, 3, OUTCOME_done), make(10, 0, OUTCOME_done),
                                       make(10, 2, OUTCOME_incomplete), make(10, 1, OUTCOME_done)};
    assert_int_equal(attempts_choose(attempts, 4), 2);
    assert_int_equal(attempts_choose(attempts, 2), 1);
    assert_int_equal(attempts_choose(attempts, 0), -1);
}

static void a_refusal_never_hides_values(void **state) {
    (void)state;
    const struct attempt attempts[] = {make(9, 0, OUTCOME_done), make(9, 1, OUTCOME_mismatch),
                                       make(9, 2, OUTCOME_failed)};
    assert_int_equal(attempts_choose(attempts, 3), 0);
    assert_int_equal(attempts_choose(attempts + 1, 2), 1);
}

static enum stage judge(struct attempt *attempt, const char *job_state, int alive, int carried,
                        struct generation *generation) {
    struct slurm_job job = {.id = 7, .reason = "Resources", .node = "n1"};
    *generation = (struct generation){
        .attempts = attempt, .count = attempt ? 1 : 0, .chosen = attempt ? 0 : -1};
    if (job_state)
        snprintf(job.state, sizeof job.state, "%s", job_state);
    view_judge(generation, job_state ? &job : NULL, alive, carried);
    return generation->stage;
}

static void a_generation_is_where_its_attempts_and_its_job_say(void **state) {
    (void)state;
    struct generation one;
    struct attempt done = make(7, 0, OUTCOME_done), mismatch = make(7, 0, OUTCOME_mismatch);
    struct attempt failed = make(7, 0, OUTCOME_failed), incomplete = make(7, 0, OUTCOME_incomplete);
    assert_int_equal(judge(&done, "COMPLETED", 0, 0, &one), STAGE_measured);
    assert_string_equal(one.detail, "");
    assert_int_equal(judge(&done, "PENDING", 1, 0, &one), STAGE_measured);
    assert_string_equal(one.detail, "job 7 is PENDING and may bring another");
    assert_int_equal(judge(&incomplete, "FAILED", 0, 0, &one), STAGE_incomplete);
    assert_int_equal(judge(&mismatch, "FAILED", 0, 0, &one), STAGE_refused);
    assert_int_equal(judge(&mismatch, "RUNNING", 1, 0, &one), STAGE_running);
    assert_int_equal(judge(&failed, "FAILED", 0, 0, &one), STAGE_failed);
    assert_int_equal(judge(NULL, "PENDING", 1, 0, &one), STAGE_waiting);
    assert_string_equal(one.detail, "job 7 PENDING (Resources)");
    assert_int_equal(judge(NULL, "NODE_FAIL", 0, 0, &one), STAGE_lost);
    assert_string_equal(one.detail, "job 7 was last seen NODE_FAIL (Resources)");
    assert_int_equal(judge(NULL, "NODE_FAIL", 0, 1, &one), STAGE_waiting);
    assert_int_equal(judge(NULL, NULL, 0, 0, &one), STAGE_lost);
}

static size_t make_frame(char *text, size_t size, const char *before, const char *payload) {
    char sha256[65];
    SHA256Data((const uint8_t *)payload, strlen(payload), sha256);
    return (size_t)snprintf(text, size, "%s" FRAME_LINE "%s", before, strlen(payload), sha256,
                            payload);
}

static void a_result_is_found_among_what_a_site_prints(void **state) {
    (void)state;
    char text[512];
    const char *payload;
    size_t length, whole = make_frame(text, sizeof text, "Hello from the prolog\n", "the tar");
    struct error error;
    strcat(text, "bye\n");
    assert_int_equal(frame_find(text, whole + 4, &payload, &length, &error), 0);
    assert_int_equal(length, 7);
    assert_memory_equal(payload, "the tar", 7);
}

static void a_cut_or_damaged_result_is_refused(void **state) {
    (void)state;
    char text[512];
    const char *payload;
    size_t length, whole = make_frame(text, sizeof text, "", "the tar");
    struct error error;
    assert_int_equal(frame_find(text, whole - 1, &payload, &length, &error), -1);
    assert_non_null(strstr(error.text, "cut off: 7 bytes are announced, 6 came"));
    assert_int_equal(frame_find(text, 40, &payload, &length, &error), -1);
    text[whole - 1] ^= 1;
    assert_int_equal(frame_find(text, whole, &payload, &length, &error), -1);
    assert_non_null(strstr(error.text, "do not fit its hash"));
    assert_int_equal(frame_find("no result\n", 10, &payload, &length, &error), -1);
    assert_non_null(strstr(error.text, "holds no result"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_highest_restart_of_the_latest_job_counts),
        cmocka_unit_test(a_refusal_never_hides_values),
        cmocka_unit_test(a_generation_is_where_its_attempts_and_its_job_say),
        cmocka_unit_test(a_result_is_found_among_what_a_site_prints),
        cmocka_unit_test(a_cut_or_damaged_result_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

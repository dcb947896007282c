// SPDX-License-Identifier: GPL-3.0-or-later
// What sinfo, squeue and sbatch print, as values.
#include "campaign/fleet/slurm_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <string.h>
#include <cmocka.h>

static void the_first_feature_is_the_generation(void **state) {
    (void)state;
    struct slurm_nodes nodes;
    struct error error;
    assert_int_equal(slurm_parse_nodes("a|zen5,amd|idle\nb|skylake|mixed\n", &nodes, &error), 0);
    assert_int_equal(nodes.count, 2);
    assert_string_equal(nodes.nodes[0].name, "a");
    assert_string_equal(nodes.nodes[0].generation, "zen5");
    assert_string_equal(nodes.nodes[1].generation, "skylake");
    assert_string_equal(nodes.nodes[1].state, "mixed");
    free(nodes.nodes);
}

static void a_node_in_two_partitions_is_one_node(void **state) {
    (void)state;
    struct slurm_nodes nodes;
    struct error error;
    assert_int_equal(slurm_parse_nodes("a|zen5|idle\na|zen5|idle\n", &nodes, &error), 0);
    assert_int_equal(nodes.count, 1);
    free(nodes.nodes);
}

static void a_node_without_features_has_no_generation(void **state) {
    (void)state;
    struct slurm_nodes nodes;
    struct error error;
    assert_int_equal(slurm_parse_nodes("a|(null)|idle\n", &nodes, &error), 0);
    assert_string_equal(nodes.nodes[0].generation, "");
    free(nodes.nodes);
}

static void a_line_in_another_form_is_quoted_in_the_error(void **state) {
    (void)state;
    static const char *const bad[] = {"a|zen5\n", "a|zen5|idle|more\n", "a|../x|idle\n",
                                      "a|.hidden|idle\n", "slurm: hello\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct slurm_nodes nodes;
        struct error error = {0};
        assert_int_equal(slurm_parse_nodes(bad[i], &nodes, &error), -1);
        assert_non_null(strstr(error.text, "sinfo:1: "));
        free(nodes.nodes);
    }
}

static void a_short_line_behind_a_good_one_is_named_by_its_number(void **state) {
    (void)state;
    struct slurm_nodes nodes;
    struct error error = {0};
    assert_int_equal(slurm_parse_nodes("a|zen5|idle\nb|zen5\n", &nodes, &error), -1);
    assert_non_null(strstr(error.text, "sinfo:2: "));
    free(nodes.nodes);
}

static void a_node_that_is_down_or_silent_is_not_usable(void **state) {
    (void)state;
    static const char *const usable[] = {"idle", "mixed", "allocated", "completing", "reserved"};
    static const char *const unusable[] = {"down", "down*",        "drained", "draining", "idle*",
                                           "fail", "powered_down", "unknown", ""};
    for (size_t i = 0; i < sizeof usable / sizeof *usable; i++)
        assert_true(slurm_state_usable(usable[i]));
    for (size_t i = 0; i < sizeof unusable / sizeof *unusable; i++)
        assert_false(slurm_state_usable(unusable[i]));
}

static void a_job_is_its_number_state_reason_and_node(void **state) {
    (void)state;
    struct slurm_jobs jobs;
    struct error error;
    const char *text = "12|asmsweep.x.zen5|PENDING|Resources|\n"
                       "13_4|asmsweep.x.zen4|RUNNING|None|n1\n";
    assert_int_equal(slurm_parse_jobs(text, &jobs, &error), 0);
    assert_int_equal(jobs.count, 2);
    assert_int_equal(jobs.jobs[0].id, 12);
    assert_string_equal(jobs.jobs[0].reason, "Resources");
    assert_string_equal(jobs.jobs[0].node, "");
    assert_int_equal(jobs.jobs[1].id, 13);
    assert_string_equal(jobs.jobs[1].name, "asmsweep.x.zen4");
    free(jobs.jobs);
    assert_int_equal(slurm_parse_jobs("", &jobs, &error), 0);
    assert_int_equal(jobs.count, 0);
}

static void an_ended_job_brings_nothing_more(void **state) {
    (void)state;
    static const char *const ended[] = {"COMPLETED", "FAILED",    "NODE_FAIL", "DEADLINE",
                                        "TIMEOUT",   "CANCELLED", "PREEMPTED", ""};
    assert_true(slurm_state_alive("PENDING"));
    assert_true(slurm_state_alive("COMPLETING"));
    for (size_t i = 0; i < sizeof ended / sizeof *ended; i++)
        assert_false(slurm_state_alive(ended[i]));
}

static void a_submitted_job_is_found_behind_a_greeting_and_before_a_cluster(void **state) {
    (void)state;
    struct error error;
    long long id = 0;
    assert_int_equal(slurm_parse_submitted("17\n", &id, &error), 0);
    assert_int_equal(id, 17);
    assert_int_equal(slurm_parse_submitted("Welcome to the centre\n18;big\n", &id, &error), 0);
    assert_int_equal(id, 18);
    assert_int_equal(slurm_parse_submitted("Welcome\n", &id, &error), -1);
    assert_int_equal(slurm_parse_submitted("", &id, &error), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_feature_is_the_generation),
        cmocka_unit_test(a_node_in_two_partitions_is_one_node),
        cmocka_unit_test(a_node_without_features_has_no_generation),
        cmocka_unit_test(a_line_in_another_form_is_quoted_in_the_error),
        cmocka_unit_test(a_short_line_behind_a_good_one_is_named_by_its_number),
        cmocka_unit_test(a_node_that_is_down_or_silent_is_not_usable),
        cmocka_unit_test(a_job_is_its_number_state_reason_and_node),
        cmocka_unit_test(an_ended_job_brings_nothing_more),
        cmocka_unit_test(a_submitted_job_is_found_behind_a_greeting_and_before_a_cluster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// What hyperfine exports: every time of every command, or a reason; and the slope of two.
#include "tests/unit/unit.h"

#include "runner/engine/hyperfine_json.h"

static struct hyperfine_times times[2];
static char why[160];

static int parse(const char *text, size_t length, size_t commands) {
    why[0] = '\0';
    return hyperfine_json_parse(text, length, commands, times, why, sizeof why);
}

// As hyperfine 1.15 writes it, the parts that are not read included.
static void every_time_of_every_command_is_read_in_its_order(void **state) {
    (void)state;
    static const char text[] =
        "{\n  \"results\": [\n    {\n      \"command\": \"'bin/a' 100\",\n"
        "      \"mean\": 9.9,\n      \"stddev\": null,\n      \"median\": 0.0025,\n"
        "      \"times\": [\n        0.0026109980000000002,\n        0.002468886\n      ],\n"
        "      \"exit_codes\": [\n        0,\n        0\n      ]\n    },\n"
        "    {\"command\": \"'bin/a' 200\", \"parameters\": {\"times\": [7, 7]}, "
        "\"times\": [4.8e-3, 5e-324, 1], \"exit_codes\": [0, 0, 0]}\n  ]\n}\n";
    assert_int_equal(parse(text, sizeof text - 1, 2), 0);
    assert_int_equal(times[0].count, 2);
    assert_near(times[0].seconds[0], 0.0026109980000000002, 0);
    assert_near(times[0].seconds[1], 0.002468886, 0);
    assert_int_equal(times[1].count, 3);
    assert_near(times[1].seconds[0], 0.0048, 0);
    assert_true(times[1].seconds[1] > 0);
    assert_near(times[1].seconds[2], 1, 0);
    for (size_t length = 0; length < sizeof text - 4; length++) // all cuts but behind the last }
        assert_int_equal(parse(text, length, 2), -1);
}

#define RESULT(times, codes) "{\"results\":[{\"times\":" times ",\"exit_codes\":" codes "}]}"
#define TEN "1,1,1,1,1,1,1,1,1,1,"
#define ZEROS "0,0,0,0,0,0,0,0,0,0,"

// One command is expected of each.
static const struct {
    const char *text, *why;
} refused[] = {
    {"", "its export is not JSON: cut off?"},
    {"{\"results\":[", "its export is not JSON: cut off?"},
    {"\xff\xfe", "its export is not JSON: cut off?"},
    {"null", "has not the commands that were asked for"},
    {"[]", "has not the commands that were asked for"},
    {"{\"results\":{\"a\":{}}}", "has not the commands that were asked for"},
    {"{\"results\":[]}", "has not the commands that were asked for"},
    {"{\"results\":[{},{}]}", "has not the commands that were asked for"},
    {"{\"Results\":[{\"times\":[1,2],\"exit_codes\":[0,0]}]}", "has not the commands"},
    {"{\"results\":[null]}", "without times and exit_codes of one length"},
    {"{\"results\":[[]]}", "without times and exit_codes of one length"},
    {"{\"results\":[{\"times\":[1,2]}]}", "without times and exit_codes of one length"},
    {"{\"results\":[{\"exit_codes\":[0,0]}]}", "without times and exit_codes of one length"},
    {RESULT("null", "[0,0]"), "without times and exit_codes of one length"},
    {RESULT("{\"a\":1,\"b\":2}", "[0,0]"), "without times and exit_codes of one length"},
    {RESULT("[1,2,3]", "[0,0]"), "without times and exit_codes of one length"},
    {RESULT("[1,2]", "[0,4]"), "a run did not end with status 0"},
    {RESULT("[1,2]", "[0,-11]"), "a run did not end with status 0"},
    {RESULT("[1,2]", "[0,null]"), "a run did not end with status 0"},
    {RESULT("[1,2]", "[0,0.4]"), "a run did not end with status 0"},
    {RESULT("[1,2]", "[\"0\",0]"), "a run did not end with status 0"},
    {RESULT("[1,null]", "[0,0]"), "a time that is no positive number"},
    {RESULT("[1,\"2\"]", "[0,0]"), "a time that is no positive number"},
    {RESULT("[1,0]", "[0,0]"), "a time that is no positive number"},
    {RESULT("[1,-0.0]", "[0,0]"), "a time that is no positive number"},
    {RESULT("[1,-2]", "[0,0]"), "a time that is no positive number"},
    {RESULT("[1,1e999]", "[0,0]"), "a time that is no positive number"},
    {RESULT("[1]", "[0]"), "fewer than two runs"},
    {RESULT("[]", "[]"), "fewer than two runs"},
    {RESULT("[" TEN TEN TEN TEN TEN TEN "1,1,1,1,1]",
            "[" ZEROS ZEROS ZEROS ZEROS ZEROS ZEROS "0,0,0,0,0]"),
     "more runs than were asked for"},
};

static void whatever_else_is_refused_with_its_reason(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        if (!parse(refused[i].text, strlen(refused[i].text), 1))
            fail_msg("taken: %s", refused[i].text);
        if (strncmp(why, "hyperfine: ", 11) || !strstr(why, refused[i].why))
            fail_msg("%s: %s, not %s", refused[i].text, why, refused[i].why);
    }
}

static void a_name_that_comes_twice_hides_nothing(void **state) {
    (void)state;
    static const char *const twice[] = {
        "{\"results\":[{\"times\":[1,2],\"exit_codes\":[0,0],\"exit_codes\":[0,9]}]}",
        "{\"results\":[{\"times\":[1,2],\"times\":[3,4],\"exit_codes\":[0,0]}]}",
        "{\"results\":[{\"times\":[1,2],\"exit_codes\":[0,0]}],\"results\":[]}",
    };
    for (size_t i = 0; i < COUNT_OF(twice); i++) {
        assert_int_equal(parse(twice[i], strlen(twice[i]), 1), -1);
        assert_contains(why, "comes twice");
    }
}

static void what_stands_behind_the_export_is_refused(void **state) {
    (void)state;
    static const char text[] = RESULT("[1,2]", "[0,0]") " {}";
    assert_int_equal(parse(text, sizeof text - 1, 1), -1);
    assert_string_equal(why, "hyperfine: its export is not JSON: cut off?");
    static const char blanks[] = RESULT("[1,2]", "[0,0]") " \r\n\t\n";
    assert_int_equal(parse(blanks, sizeof blanks - 1, 1), 0);
}

// Means 1.5 and 3.5, standard deviations sqrt(1/2): t(1) * sqrt(1/4 + 1/4) / 10.
static void the_slope_is_the_difference_of_means_and_its_half_from_both(void **state) {
    (void)state;
    const struct hyperfine_times once = {{1, 2}, 2}, twice = {{3, 4}, 2};
    double slope, half;
    hyperfine_slope(&once, &twice, 10, &slope, &half);
    assert_near(slope, 0.2, 1e-12);
    assert_near(half, 12.7062047 * sqrt(0.5) / 10, 1e-6);
    hyperfine_slope(&twice, &once, 10, &slope, &half);
    assert_near(slope, -0.2, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_time_of_every_command_is_read_in_its_order),
        cmocka_unit_test(whatever_else_is_refused_with_its_reason),
        cmocka_unit_test(a_name_that_comes_twice_hides_nothing),
        cmocka_unit_test(what_stands_behind_the_export_is_refused),
        cmocka_unit_test(the_slope_is_the_difference_of_means_and_its_half_from_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

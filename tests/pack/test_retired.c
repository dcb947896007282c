// SPDX-License-Identifier: GPL-3.0-or-later
// From counted runs to instructions per iteration.
#include "tests/pack/pack_test.h"

#include "runner/prove/judge.h"

static char end1000[] = "end 1000\n", end2000[] = "end 2000\n", cut[] = "end 10";

static void fill(struct guest_result *results, uint64_t ticks_n, uint64_t ticks_2n) {
    for (int run = 0; run < RETIRED_RUNS; run++)
        results[run] = (struct guest_result){.end = GUEST_EXITED,
                                             .output = run % 2 ? end2000 : end1000,
                                             .ticks = run % 2 ? ticks_2n : ticks_n};
}

static void what_both_runs_have_in_common_cancels(void **state) {
    struct guest_result results[RETIRED_RUNS];
    char why[200];
    int64_t found;
    (void)state;
    fill(results, 30487, 60487);
    assert_int_equal(retired_count(results, &found, why, sizeof why), 0);
    assert_int_equal(found, 30000);
    fill(results, 28900, 57403); // a pattern: 28.503 an iteration
    assert_int_equal(retired_count(results, &found, why, sizeof why), 0);
    assert_int_equal(found, 28503);
}

static void rounds_that_disagree_are_not_counted(void **state) {
    struct guest_result results[RETIRED_RUNS];
    char why[200];
    int64_t found;
    (void)state;
    fill(results, 30487, 60487);
    results[2].ticks++;
    assert_int_equal(retired_count(results, &found, why, sizeof why), -1);
    assert_string_equal(why, "two runs of 1000 iterations retired 30487 and 30488");
}

static void a_run_without_its_end_is_not_counted(void **state) {
    struct guest_result results[RETIRED_RUNS];
    char why[200];
    int64_t found;
    (void)state;
    fill(results, 30487, 60487);
    results[3].output = cut;
    assert_int_equal(retired_count(results, &found, why, sizeof why), -1);
    assert_string_equal(why, "no end mark for 2000 iterations");
    fill(results, 30487, 60487);
    results[0].end = GUEST_FAULTED;
    strcpy(results[0].detail, "invalid opcode (#UD)");
    assert_int_equal(retired_count(results, &found, why, sizeof why), -1);
    assert_string_equal(why, "invalid opcode (#UD)");
    fill(results, 30487, 60487);
    results[1].exit_status = 4;
    assert_int_equal(retired_count(results, &found, why, sizeof why), -1);
    assert_string_equal(why, "exit status 4, output 'end 2000'");
}

static void numbers_are_read_exactly(void **state) {
    static const struct {
        const char *text;
        int64_t thousandths;
    } good[] = {{"30", 30000}, {"28.5", 28500}, {"28.503", 28503}, {"0.001", 1}, {"7", 7000}};
    static const char *const bad[] = {"", ".5", "1.2345", "30 ", "-1", "3e1", "0x10"};
    int64_t value;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(retired_parse(good[i].text, &value), 0);
        assert_int_equal(value, good[i].thousandths);
    }
    assert_int_equal(retired_parse("28.500", &value), 0);
    assert_int_equal(value, 28500);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(retired_parse(bad[i], &value), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_both_runs_have_in_common_cancels),
        cmocka_unit_test(rounds_that_disagree_are_not_counted),
        cmocka_unit_test(a_run_without_its_end_is_not_counted),
        cmocka_unit_test(numbers_are_read_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

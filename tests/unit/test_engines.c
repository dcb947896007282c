// SPDX-License-Identifier: GPL-3.0-or-later
// What all engines share: how long an execution took, by two clocks that need not agree.
#include "tests/unit/unit.h"

#include "runner/engine/engine.h"

static void no_part_of_a_time_is_below_0_or_above_the_whole(void **state) {
    (void)state;
    static const struct {
        double whole, running, run, started;
    } rows[] = {
        {0.5, 0.3, 0.3, 0.2},    // perf's task-clock within what we waited
        {0.5, 1.0, 0.5, 0},      // a clock that runs ahead of ours: seen with perf and hyperfine
        {0.5, -0.1, 0, 0.5},     // and one that ran back
        {0.5, NAN, 0.5, 0},      // not told
        {0.5, INFINITY, 0.5, 0}, // told by a program that is not perf
        {0.5, 0, 0, 0.5},        // it never ran
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct execution execution = {0};
        execution_took(&execution, rows[i].whole, rows[i].running);
        assert_near(execution.seconds_run, rows[i].run, 1e-12);
        assert_near(execution.seconds_started, rows[i].started, 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_part_of_a_time_is_below_0_or_above_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

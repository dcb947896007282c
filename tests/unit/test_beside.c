// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "runner/estimate/beside.h"
#include "tests/host/synthetic_cpu.h"

static struct interval evaluate(struct synthetic_cpu cpu, size_t count, int excluded) {
    struct slices slices;
    synthetic_slices(&cpu, count, 5, &slices);
    struct interval cycles = beside_evaluate(&slices, excluded, 7);
    synthetic_free(&slices);
    return cycles;
}

static struct synthetic_cpu cpu_of(double add, double rol, double loop) {
    struct synthetic_cpu cpu = {.ticks_a_cycle = 0.75, .step = 25, .noise = 0.002};
    cpu.cycles[SEGMENT_add] = add;
    cpu.cycles[SEGMENT_rol] = rol;
    cpu.cycles[SEGMENT_imul] = 3.01;
    cpu.cycles[SEGMENT_loop] = loop;
    return cpu;
}

static void a_loop_beside_a_neighbour_has_its_cycles(void **state) {
    (void)state;
    static const double costs[] = {5.5, 23, 417};
    for (size_t i = 0; i < COUNT_OF(costs); i++) {
        struct interval cycles = evaluate(cpu_of(1.004, 1.004, costs[i]), 200, CHAINS_all);
        assert_near(cycles.value, costs[i], 0.006 * costs[i]);
        assert_true(cycles.low < costs[i] && cycles.high > costs[i]);
        assert_true(cycles.value - cycles.low >= 0.0049 * costs[i]);
    }
}

static void the_unit_is_that_of_the_chains_that_lost_least(void **state) {
    (void)state;
    assert_near(evaluate(cpu_of(1.2, 1, 20), 200, CHAINS_all).value, 20, 0.15);
    assert_near(evaluate(cpu_of(1.2, 1, 20), 200, SEGMENT_rol).value, 20 / 1.2, 0.15);
    assert_near(evaluate(cpu_of(1, 1.2, 20), 200, SEGMENT_add).value, 20 / 1.2, 0.15);
}

static void a_few_slices_have_no_value(void **state) {
    (void)state;
    assert_nan(evaluate(cpu_of(1, 1, 20), 19, CHAINS_all).value);
    assert_near(evaluate(cpu_of(1, 1, 20), 20, CHAINS_all).value, 20, 0.2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_beside_a_neighbour_has_its_cycles),
        cmocka_unit_test(the_unit_is_that_of_the_chains_that_lost_least),
        cmocka_unit_test(a_few_slices_have_no_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

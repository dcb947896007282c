// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of the 2016 mail, from the counts it printed (results/published/petition_2016.csv).
#include "common/table.h"
#include "common/units.h"
#include "results/petition.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static struct table petition;

static double cell(const char *program, const char *column) {
    double value;
    for (size_t row = 0; row < petition.rows; row++) {
        if (strcmp(table_cell(&petition, row, "program"), program) != 0)
            continue;
        assert_int_equal(units_scan_number(table_cell(&petition, row, column), &value), 0);
        return value;
    }
    fail_msg("no program %s", program);
    return 0;
}

// Cycles of one iteration.
static struct bounds loop(const char *program) {
    return petition_from_ipc(cell(program, "instructions_total"), cell(program, "ipc_printed"),
                             cell(program, "iterations"));
}

static void expect(struct bounds bounds, double centre, double low, double high, double digit) {
    // Equal when rounded to the digit that the figure was given with.
    assert_float_equal(bounds.centre, centre, digit / 2);
    assert_float_equal(bounds.low, low, digit / 2);
    assert_float_equal(bounds.high, high, digit / 2);
}

static void mean_of_the_27_to_1_loop_is_2_07(void **state) {
    (void)state;
    expect(petition_part(loop("cli27_sti1"), 28, 0), 2.07, 2.05, 2.09, 0.01);
}

static void cli_is_1_99_and_sti_3_99_without_overhead(void **state) {
    (void)state;
    struct bounds sti = petition_part(loop("sti28"), 28, 0);
    struct bounds cli = petition_other(loop("cli27_sti1"), 27, 1, loop("sti28"), 28, 0);
    expect(sti, 3.99, 3.92, 4.06, 0.01);
    expect(cli, 1.99, 1.97, 2.02, 0.01);
}

static void an_unknown_overhead_widens_both(void **state) {
    (void)state;
    struct bounds cli =
        petition_other(loop("cli27_sti1"), 27, 1, loop("sti28"), 28, PETITION_OVERHEAD_HIGH);
    expect(cli, 1.99, 1.94, 2.02, 0.01);
    struct bounds sti = petition_part(loop("sti28"), 28, PETITION_OVERHEAD_HIGH);
    assert_float_equal(sti.low, 3.88, 0.005);
    assert_float_equal(sti.high, 4.06, 0.005);
    // The centre with a whole cycle of overhead.
    assert_float_equal((loop("sti28").centre - 1) / 28, 3.95, 0.005);
}

static void a_push_popf_pair_is_21_7_and_not_10(void **state) {
    (void)state;
    expect(petition_part(loop("push_popf"), 14, 0), 21.7, 20.7, 22.9, 0.1);
}

static void cli_and_sti_do_not_add_to_the_pair(void **state) {
    (void)state;
    struct bounds pair = petition_part(loop("push_popf"), 14, 0);
    struct bounds with_cli = petition_part(loop("cli_push_popf"), 14, 0);
    struct bounds with_sti = petition_part(loop("sti_push_popf"), 14, 0);
    struct bounds sti = petition_part(loop("sti28"), 28, 0);
    struct bounds cli = petition_other(loop("cli27_sti1"), 27, 1, loop("sti28"), 28, 0);
    expect(petition_minus(with_cli, pair), 7.2, 4.8, 9.6, 0.1);
    assert_float_equal(petition_minus(with_sti, pair).low, 7.5, 0.05);
    assert_float_equal(petition_minus(with_sti, pair).high, 12.9, 0.05);
    assert_int_equal(petition_additive(with_cli, cli, pair), ADDITIVE_no);
    assert_int_equal(petition_additive(with_sti, sti, pair), ADDITIVE_no);
}

static void costs_that_do_add_are_called_so(void **state) {
    (void)state;
    struct bounds two = {2, 1.9, 2.1}, pair = {20, 19, 21}, whole = {22.5, 21, 24};
    assert_int_equal(petition_additive(whole, two, pair), ADDITIVE_yes);
    struct bounds sharp = {22.3, 22.3, 22.3}, a = {2, 2, 2}, b = {20, 20, 20};
    assert_int_equal(petition_additive(sharp, a, b), ADDITIVE_yes); // within 2 %
}

static void one_pair_an_iteration_is_24_65(void **state) {
    (void)state;
    struct bounds each = petition_from_cycles(cell("push_popf_pair", "cycles_total"),
                                              cell("push_popf_pair", "iterations"));
    assert_float_equal(each.centre, 24.65, 0.006);
}

static int read_petition(void **state) {
    (void)state;
    struct error error = {0};
    if (table_read(PUBLISHED_FOLDER "/petition_2016.csv", NULL, &petition, &error) == 0)
        return 0;
    print_error("%s\n", error.text);
    return -1;
}

static int free_petition(void **state) {
    (void)state;
    table_free(&petition);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mean_of_the_27_to_1_loop_is_2_07),
        cmocka_unit_test(cli_is_1_99_and_sti_3_99_without_overhead),
        cmocka_unit_test(an_unknown_overhead_widens_both),
        cmocka_unit_test(a_push_popf_pair_is_21_7_and_not_10),
        cmocka_unit_test(cli_and_sti_do_not_add_to_the_pair),
        cmocka_unit_test(costs_that_do_add_are_called_so),
        cmocka_unit_test(one_pair_an_iteration_is_24_65),
    };
    return cmocka_run_group_tests(tests, read_petition, free_petition);
}

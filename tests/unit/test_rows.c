// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "common/rows.h"

static void statuses_stand_in_the_order_of_precedence(void **state) {
    (void)state;
    static const char *const order[] = {
        "unproved",    "refused",       "emulated",    "unavailable", "timed_out",
        "faulted",     "not_supported", "not_counted", "multiplexed", "invalid_reference",
        "implausible", "unstable",      "ok"};
    assert_int_equal(STATUS_COUNT, COUNT_OF(order));
    for (size_t i = 0; i < COUNT_OF(order); i++) {
        assert_string_equal(status_name((enum status)i), order[i]);
        assert_int_equal(status_from_name(order[i]), (int)i);
        assert_true(strlen(status_meaning((enum status)i)) > 5);
    }
    assert_int_equal(status_from_name("OK"), -1);
    assert_int_equal(status_from_name(""), -1);
}

static void of_two_statuses_the_earlier_stands_whatever_the_order(void **state) {
    (void)state;
    assert_int_equal(status_worse(STATUS_ok, STATUS_unstable), STATUS_unstable);
    assert_int_equal(status_worse(STATUS_unproved, STATUS_refused), STATUS_unproved);
    assert_int_equal(status_worse(STATUS_implausible, STATUS_invalid_reference),
                     STATUS_invalid_reference);
    assert_int_equal(status_worse(STATUS_ok, STATUS_ok), STATUS_ok);
}

static void each_file_has_its_own_columns_from_0(void **state) {
    (void)state;
    static const struct {
        enum csv_file file;
        size_t count;
        const char *first, *last;
    } files[] = {
        {FILE_measurements, 40, "run_id", "hint"}, {FILE_summary, 47, "run_id", "hint"},
        {FILE_samples, 17, "run_id", "loop_2n"},   {FILE_environment, 2, "key", "value"},
        {FILE_costs, 31, "run_id", "subtrahend"},  {FILE_proof, 15, "variant", "hint"},
    };
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        size_t count;
        const struct column *columns = rows_columns(files[i].file, &count);
        assert_int_equal(count, files[i].count);
        assert_string_equal(columns[0].name, files[i].first);
        assert_string_equal(columns[count - 1].name, files[i].last);
    }
}

static void no_file_names_a_column_twice(void **state) {
    (void)state;
    for (int file = 0; file < CSV_FILE_COUNT; file++) {
        size_t count;
        const struct column *columns = rows_columns((enum csv_file)file, &count);
        for (size_t i = 0; i < count; i++)
            for (size_t j = i + 1; j < count; j++)
                assert_string_not_equal(columns[i].name, columns[j].name);
    }
}

static void privileges_and_quantities_have_their_names(void **state) {
    (void)state;
    static const char *const order[] = {"not_needed", "real",    "emulated",
                                        "faulting",   "ignored", "unavailable"};
    assert_int_equal(PRIVILEGE_COUNT, COUNT_OF(order));
    for (size_t i = 0; i < COUNT_OF(order); i++)
        assert_string_equal(privilege_name((enum privilege)i), order[i]);
    assert_string_equal(quantity_name(QUANTITY_cycles), "cycles");
    assert_string_equal(quantity_unit(QUANTITY_ticks), "TSC ticks");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses_stand_in_the_order_of_precedence),
        cmocka_unit_test(of_two_statuses_the_earlier_stands_whatever_the_order),
        cmocka_unit_test(each_file_has_its_own_columns_from_0),
        cmocka_unit_test(no_file_names_a_column_twice),
        cmocka_unit_test(privileges_and_quantities_have_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

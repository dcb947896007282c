// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "common/rows.h"

static void statuses_stand_in_the_order_of_precedence(void **state) {
    (void)state;
    static const char *const order[] = {
        "unproved",          "refused",       "emulated",    "unavailable", "timed_out",
        "faulted",           "not_supported", "not_counted", "multiplexed", "contended",
        "invalid_reference", "not_constant",  "implausible", "unstable",    "ok"};
    assert_int_equal(STATUS_COUNT, COUNT_OF(order));
    for (size_t i = 0; i < COUNT_OF(order); i++) {
        assert_string_equal(status_name((enum status)i), order[i]);
        assert_true(strlen(status_meaning((enum status)i)) > 5);
    }
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
        {FILE_measurements, 47, "run_id", "later"},
        {FILE_summary, 50, "run_id", "restores"},
        {FILE_samples, 33, "run_id", "times_interrupted"},
        {FILE_environment, 2, "key", "value"},
        {FILE_costs, 33, "run_id", "remarks"},
        {FILE_proof, 24, "variant", "listing_sha256"},
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

// A text of costs.csv with one row: what may not be empty, and one cell.
static char *cost_with(const char *column, const char *cell) {
    char *text;
    size_t length, count;
    const struct column *columns = rows_columns(FILE_costs, &count);
    FILE *stream = open_memstream(&text, &length);
    rows_write_header(stream, FILE_costs);
    for (size_t i = 0; i < count; i++)
        fprintf(stream, "%s%s", i ? "," : "",
                !strcmp(columns[i].name, column)   ? cell
                : columns[i].type == CELL_method   ? "direct"
                : columns[i].type == CELL_additive ? "untested"
                : columns[i].type == CELL_status   ? "ok"
                                                   : "");
    fputs("\r\n", stream);
    fclose(stream);
    return text;
}

// Cells for every column of a file, none empty, in `text`.
static void fill(enum csv_file file, void *row) {
    size_t count;
    const struct column *columns = rows_columns(file, &count);
    rows_empty(file, row);
    for (size_t i = 0; i < count; i++) {
        void *cell = (char *)row + columns[i].offset;
        if (columns[i].type == CELL_text)
            *(cell_text *)cell = i % 2 ? "a, \"b\"" : "plain";
        else if (columns[i].type == CELL_integer)
            *(cell_integer *)cell = (long long)i * 10000000000;
        else if (columns[i].type == CELL_number)
            *(cell_number *)cell = 0.125 + (double)i;
        else
            *(unsigned *)cell = 1;
    }
}

static void a_row_of_every_file_comes_back_as_it_was_written(void **state) {
    (void)state;
    for (int file = 0; file < CSV_FILE_COUNT; file++) {
        struct rows rows, again;
        struct error error;
        char *text, *second;
        size_t length;
        rows_make((enum csv_file)file, 0, &rows);
        fill((enum csv_file)file, rows_add(&rows));
        rows_add(&rows); // an empty one
        FILE *stream = open_memstream(&text, &length);
        assert_int_equal(rows_write_all(stream, &rows), 0);
        fclose(stream);
        assert_int_equal(rows_parse("x.csv", text, length, (enum csv_file)file, &again, &error), 0);
        assert_int_equal(again.count, 2);
        stream = open_memstream(&second, &length);
        rows_write_all(stream, &again);
        fclose(stream);
        assert_string_equal(text, second);
        free(text);
        free(second);
        rows_free(&rows);
        rows_free(&again);
    }
}

static void empty_cells_are_no_0(void **state) {
    (void)state;
    struct rows rows;
    struct error error;
    char *text = cost_with("run_id", "");
    assert_int_equal(rows_parse("costs.csv", text, strlen(text), FILE_costs, &rows, &error), 0);
    const struct costs_row *cost = rows.row;
    assert_nan(cost->cycles);
    assert_int_equal(cost->ring, -1);
    assert_string_equal(cost->item, "");
    assert_int_equal(cost->status, STATUS_ok);
    rows_free(&rows);
    free(text);
}

static void a_file_of_far_too_many_columns_is_none_of_ours(void **state) {
    (void)state;
    struct rows rows;
    struct error error;
    char text[4096] = "key,value";
    for (int i = 0; i < 100; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), ",c%d", i);
    strcat(text, "\r\n");
    assert_int_equal(rows_parse("notes.csv", text, strlen(text), FILE_notes, &rows, &error), -1);
    assert_string_equal(error.text, "notes.csv:1: 102 columns are none of our files");
    rows_free(&rows);
}

static void a_wrong_cell_is_told_with_line_column_and_text(void **state) {
    (void)state;
    static const struct {
        const char *column, *cell, *told;
    } wrong[] = {
        {"status", "fine", "status is 'fine', no word of this version"},
        {"status", "", "status is '', no word of this version"},
        {"method", "guessed", "method is 'guessed', no word of this version"},
        {"additive", "maybe", "additive is 'maybe', no word of this version"},
        {"cycles", "1 ", "cycles is '1 ', no number"},
        {"cycles", "nan", "cycles is 'nan', no number"},
        {"cycles", "\"1,5\"", "cycles is '1,5', no number"},
        {"ring", "3.0", "ring is '3.0', no whole number from 0"},
        {"ring", "-1", "ring is '-1', no whole number from 0"},
        {"remarks", "width_only;fine", "remarks is 'width_only;fine', no word of this version"},
        {"run_id", "a\r\nb", "fewer fields than the header has"},
    };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct rows rows;
        struct error error;
        char wanted[200];
        char *text = cost_with(wrong[i].column, wrong[i].cell);
        assert_int_equal(rows_parse("costs.csv", text, strlen(text), FILE_costs, &rows, &error),
                         -1);
        snprintf(wanted, sizeof wanted, "costs.csv:2: %s", wrong[i].told);
        assert_string_equal(error.text, wanted);
        assert_int_equal(error.kind, ERROR_INPUT);
        rows_free(&rows);
        free(text);
    }
}

static void a_file_that_is_not_there_is_told_with_the_remedy(void **state) {
    (void)state;
    struct rows rows;
    struct error error;
    assert_int_equal(rows_read("/nonexistent/costs.csv", FILE_costs, "solve it", &rows, &error),
                     -1);
    assert_string_equal(error.text, "/nonexistent/costs.csv: cannot be read: No such file or "
                                    "directory; solve it");
    rows_free(&rows);
}

static void an_older_file_lacks_what_came_later_and_nothing_else(void **state) {
    (void)state;
    static const char older[] = "variant,elf_sha256,loop_sha256,loop_address,loop_bytes,"
                                "jcc_erratum,mix_claimed,mix_found,order_found,retired_expected,"
                                "retired_cpl0,retired_cpl3,status,detail,unknown\r\n"
                                "one,aa,bb,0x1,5,no,,,,,,,ok,,more\r\n";
    struct rows rows;
    struct error error;
    assert_int_equal(rows_parse("proof.csv", older, strlen(older), FILE_proof, &rows, &error), 0);
    const struct proof_row *row = rows.row;
    assert_string_equal(row->hint, "");
    assert_int_equal(row->loop_bytes, 5);
    // What is written like it has its columns: those that it lacks are left out.
    char *text;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    rows_write(stream, FILE_proof, row, &rows);
    fclose(stream);
    assert_string_equal(text, "one,aa,bb,0x1,5,no,,,,,,,ok,,\r\n");
    free(text);
    rows_free(&rows);
    assert_int_equal(rows_parse("proof.csv", "variant,hint\r\n", 14, FILE_proof, &rows, &error),
                     -1);
    assert_string_equal(error.text, "proof.csv:1: no column 'elf_sha256'");
    rows_free(&rows);
}

static void shared_columns_are_copied_by_one_assignment(void **state) {
    (void)state;
    struct summary_row summary;
    struct costs_row cost;
    fill(FILE_summary, &summary);
    rows_empty(FILE_costs, &cost);
    summary.cpu_name = "Some CPU";
    cost.machine_keys = summary.machine_keys;
    assert_string_equal(cost.cpu_name, "Some CPU");
    assert_ptr_equal(cost.kernel, summary.kernel);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses_stand_in_the_order_of_precedence),
        cmocka_unit_test(of_two_statuses_the_earlier_stands_whatever_the_order),
        cmocka_unit_test(each_file_has_its_own_columns_from_0),
        cmocka_unit_test(no_file_names_a_column_twice),
        cmocka_unit_test(privileges_and_quantities_have_their_names),
        cmocka_unit_test(a_row_of_every_file_comes_back_as_it_was_written),
        cmocka_unit_test(empty_cells_are_no_0),
        cmocka_unit_test(a_file_of_far_too_many_columns_is_none_of_ours),
        cmocka_unit_test(a_wrong_cell_is_told_with_line_column_and_text),
        cmocka_unit_test(a_file_that_is_not_there_is_told_with_the_remedy),
        cmocka_unit_test(an_older_file_lacks_what_came_later_and_nothing_else),
        cmocka_unit_test(shared_columns_are_copied_by_one_assignment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "common/table.h"

#include <unistd.h>

static struct table table;
static struct error error;

static int parse(const char *text, size_t length) {
    error = (struct error){0};
    return table_parse("t.csv", text, length, NULL, &table, &error);
}
// A literal, its NULs included.
#define PARSE(literal) parse(literal, sizeof(literal) - 1)

static void quotes_commas_and_newlines_in_a_field_are_kept(void **state) {
    (void)state;
    assert_int_equal(PARSE("a,b\r\n\"x,\"\"y\"\"\",\"one\ntwo\r\nthree\"\r\n,\r\n"), 0);
    assert_int_equal(table.columns, 2);
    assert_int_equal(table.rows, 2);
    assert_string_equal(table_cell(&table, 0, "a"), "x,\"y\"");
    assert_string_equal(table_cell(&table, 0, "b"), "one\ntwo\r\nthree");
    assert_string_equal(table_cell(&table, 1, "a"), "");
    assert_string_equal(table_cell(&table, 1, "b"), "");
    table_free(&table);
}

static void unix_line_ends_are_taken_too_and_blanks_are_kept(void **state) {
    (void)state;
    assert_int_equal(PARSE("a,b\n 1 ,\t2\n"), 0);
    assert_string_equal(table_cell(&table, 0, "a"), " 1 ");
    assert_string_equal(table_cell(&table, 0, "b"), "\t2");
    table_free(&table);
}

static void line_ends_may_be_mixed_and_a_cell_of_a_megabyte_is_one_cell(void **state) {
    (void)state;
    enum { LONG = 1 << 20 };
    assert_int_equal(PARSE("a,b\r1,2\n\r\n3,4\r\n\n5,6\r"), 0);
    assert_int_equal(table.rows, 3);
    assert_string_equal(table_cell(&table, 1, "b"), "4");
    assert_string_equal(table_cell(&table, 2, "b"), "6");
    table_free(&table);
    char *text = malloc(LONG + 16);
    memcpy(text, "a,b\n", 4);
    memset(text + 4, 'x', LONG);
    memcpy(text + 4 + LONG, ",2\n", 3);
    assert_int_equal(parse(text, LONG + 7), 0);
    assert_int_equal(strlen(table_cell(&table, 0, "a")), LONG);
    assert_string_equal(table_cell(&table, 0, "b"), "2");
    table_free(&table);
    free(text);
}

static void a_column_that_is_not_there_is_empty_and_minus_1(void **state) {
    (void)state;
    assert_int_equal(PARSE("a\r\n1\r\n"), 0);
    assert_int_equal(table_column(&table, "b"), -1);
    assert_string_equal(table_cell(&table, 0, "b"), "");
    table_free(&table);
}

static void every_damage_is_an_error_that_names_file_and_line(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t length;
        const char *message;
    } damages[] = {
#define DAMAGE(text, message) {text, sizeof(text) - 1, message}
        DAMAGE("", "t.csv:1: empty; a header line is expected"),
        DAMAGE("\r\n\r\n", "t.csv:1: empty; a header line is expected"),
        DAMAGE("\xef\xbb\xbf"
               "a,b\r\n1,2\r\n",
               "t.csv:1: begins with a byte order mark; save it as UTF-8 without one"),
        DAMAGE("a,b", "t.csv:1: the last line is cut off; the file is incomplete"),
        DAMAGE("a,b\r\n1,2\r\n3,4", "t.csv:3: the last line is cut off; the file is incomplete"),
        DAMAGE("a,b\r\n1,2\r\n3", "t.csv:3: the last line is cut off; the file is incomplete"),
        DAMAGE("a,b\r\n1,\"2\r\n3,4\r\n",
               "t.csv:2: the last line is cut off inside quotes; the file is incomplete"),
        DAMAGE("a,b\r\n1\r\n", "t.csv:2: fewer fields than the header has"),
        DAMAGE("a,b\r\n1,2\r\n1,2,3\r\n", "t.csv:3: more fields than the header has"),
        DAMAGE("a,b\r\n1,2\0\r\n", "t.csv:2: a NUL byte in the file; it is damaged"),
        DAMAGE("a\0,b\r\n", "t.csv:1: a NUL byte in the file; it is damaged"),
        DAMAGE("a,b\r\n1,2\"2\r\n", "t.csv:2: a quote in the middle of a field"),
        DAMAGE("a,b\r\n1,\"2\"2\r\n", "t.csv:2: a quote in the middle of a field"),
        DAMAGE("a,b,a\r\n", "t.csv:1: column 'a' comes twice"),
#undef DAMAGE
    };
    for (size_t i = 0; i < COUNT_OF(damages); i++) {
        if (!parse(damages[i].text, damages[i].length))
            fail_msg("taken, not refused: %s", damages[i].message);
        assert_string_equal(error.text, damages[i].message);
        assert_int_equal(error.kind, ERROR_INPUT);
        assert_int_equal(table.rows, 0);
        assert_null(table.cells);
    }
}

static void a_required_column_that_is_missing_is_named(void **state) {
    (void)state;
    static const char *const required[] = {"a", "mix", NULL};
    assert_int_equal(table_parse("t.csv", "a,b\n", 4, required, &table, &error), -1);
    assert_string_equal(error.text, "t.csv:1: no column 'mix'");
}

static void a_file_that_cannot_be_read_is_named(void **state) {
    (void)state;
    assert_int_equal(table_read("/nonexistent/t.csv", NULL, &table, &error), -1);
    assert_string_equal(error.text,
                        "/nonexistent/t.csv: cannot be read: No such file or directory");
    table_free(&table);
    assert_int_equal(table_read("/", NULL, &table, &error), -1);
    assert_contains(error.text, "/: cannot be read");
    table_free(&table);
}

// Long enough that arrays grow several times, and longer than one read.
static void what_is_written_is_read_back_the_same(void **state) {
    (void)state;
    static const char *const fields[] = {"plain", "a,b", "say \"x\"", "two\nlines", "cr\rhere",
                                         "",      "\"",  " blanks ",  "k=v;k=v",    "\xc3\xa4"};
    enum { FIELDS = COUNT_OF(fields), ROWS = 5000 };
    static const char *const header[FIELDS] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    char path[] = "/tmp/asmsweep-table-XXXXXX";
    int file = mkstemp(path);
    FILE *stream = fdopen(file, "w");
    assert_int_equal(table_write_row(stream, header, FIELDS), 0);
    for (int row = 0; row < ROWS; row++)
        assert_int_equal(table_write_row(stream, fields, FIELDS), 0);
    fclose(stream);
    int failed = table_read(path, NULL, &table, &error);
    unlink(path);
    assert_int_equal(failed, 0);
    assert_int_equal(table.rows, ROWS);
    for (size_t row = 0; row < ROWS; row += ROWS - 1)
        for (size_t i = 0; i < FIELDS; i++)
            assert_string_equal(table.cells[row * FIELDS + i], fields[i]);
    table_free(&table);
}

static void only_what_needs_quotes_is_quoted_and_lines_end_in_crlf(void **state) {
    (void)state;
    char *text;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    table_write_row(stream, (const char *const[]){"a b", NULL, "x,y", "q\"q"}, 4);
    fclose(stream);
    assert_string_equal(text, "a b,,\"x,y\",\"q\"\"q\"\r\n");
    free(text);
}

static void a_stream_that_fails_is_reported(void **state) {
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    setvbuf(full, NULL, _IONBF, 0);
    assert_int_equal(table_write_row(full, (const char *const[]){"a"}, 1), -1);
    fclose(full);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotes_commas_and_newlines_in_a_field_are_kept),
        cmocka_unit_test(unix_line_ends_are_taken_too_and_blanks_are_kept),
        cmocka_unit_test(line_ends_may_be_mixed_and_a_cell_of_a_megabyte_is_one_cell),
        cmocka_unit_test(a_column_that_is_not_there_is_empty_and_minus_1),
        cmocka_unit_test(every_damage_is_an_error_that_names_file_and_line),
        cmocka_unit_test(a_required_column_that_is_missing_is_named),
        cmocka_unit_test(a_file_that_cannot_be_read_is_named),
        cmocka_unit_test(what_is_written_is_read_back_the_same),
        cmocka_unit_test(only_what_needs_quotes_is_quoted_and_lines_end_in_crlf),
        cmocka_unit_test(a_stream_that_fails_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "common/units.h"

enum kind { INTEGER, NUMBER, SECONDS, PART };

// What each scanner makes of a text; NaN: it must refuse it.
static const struct {
    enum kind kind;
    const char *text;
    double value;
} rows[] = {
    {INTEGER, "0", 0},       {INTEGER, "-1", -1},     {INTEGER, "4294967295", 4294967295.0},
    {INTEGER, "", NAN},      {INTEGER, "-", NAN},     {INTEGER, "--1", NAN},
    {INTEGER, "+1", NAN},    {INTEGER, " 1", NAN},    {INTEGER, "1 ", NAN},
    {INTEGER, "1.0", NAN},   {INTEGER, "0x10", NAN},  {INTEGER, "99999999999999999999", NAN},
    {NUMBER, "4.27", 4.27},  {NUMBER, "-3", -3},      {NUMBER, "1e-3", 1e-3},
    {NUMBER, "+2.5E2", 250}, {NUMBER, "100,00", NAN}, {NUMBER, "1e", NAN},
    {NUMBER, "5.", NAN},     {NUMBER, "1e999", NAN},  {NUMBER, "inf", NAN},
    {NUMBER, "nan", NAN},    {NUMBER, "0x1p3", NAN},  {NUMBER, "1 2", NAN},
    {NUMBER, "", NAN},       {NUMBER, "-", NAN},      {NUMBER, "1-2", NAN},
    {SECONDS, "90", 90},     {SECONDS, "90s", 90},    {SECONDS, "1.5m", 90},
    {SECONDS, "2min", 120},  {SECONDS, "2h", 7200},   {SECONDS, "250ms", 0.25},
    {SECONDS, "0", NAN},     {SECONDS, "-1s", NAN},   {SECONDS, "1d", NAN},
    {SECONDS, "s", NAN},     {SECONDS, "1 s", NAN},   {PART, "0.5%", 0.005},
    {PART, "0.005", 0.005},  {PART, "0", NAN},        {PART, "100%", NAN},
    {PART, "1", NAN},        {PART, "-1%", NAN},      {PART, "5%%", NAN},
};

static int scan(enum kind kind, const char *text, double *value) {
    long long whole = 0;
    int failed = 0;
    switch (kind) {
    case INTEGER:
        failed = units_scan_integer(text, -10, 1LL << 60, &whole);
        *value = (double)whole;
        break;
    case NUMBER:
        failed = units_scan_number(text, value);
        break;
    case SECONDS:
        failed = units_scan_seconds(text, value);
        break;
    case PART:
        failed = units_scan_part(text, value);
        break;
    }
    return failed;
}

static void every_text_is_read_or_refused_as_the_table_says(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        double value = 4711;
        int failed = scan(rows[i].kind, rows[i].text, &value);
        if ((failed != 0) != (isnan(rows[i].value) != 0))
            fail_msg("row %zu, '%s': %s", i, rows[i].text, failed ? "refused" : "taken");
        if (!failed)
            assert_near(value, rows[i].value, fabs(rows[i].value) * 1e-15);
    }
}

static void a_whole_number_outside_its_bounds_is_refused(void **state) {
    (void)state;
    long long value = 5;
    assert_int_equal(units_scan_integer("0", 1, 10, &value), -1);
    assert_int_equal(units_scan_integer("11", 1, 10, &value), -1);
    assert_int_equal(value, 5);
    assert_int_equal(units_scan_integer("10", 1, 10, &value), 0);
    assert_int_equal(value, 10);
}

static void seconds_read_well(void **state) {
    (void)state;
    static const struct {
        double seconds;
        const char *text;
    } said[] = {{0.84, "0.8 s"},        {9.94, "9.9 s"},           {9.96, "10 s"},
                {59.4, "59 s"},         {59.6, "1 min 00 s"},      {185, "3 min 05 s"},
                {3599.7, "1 h 00 min"}, {7620, "2 h 07 min"},      {0, "0.0 s"},
                {-0.0, "0.0 s"},        {-0.5, "unknown time"},    {-1e-9, "unknown time"},
                {NAN, "unknown time"},  {INFINITY, "unknown time"}};
    for (size_t i = 0; i < COUNT_OF(said); i++) {
        char text[32];
        assert_string_equal(units_format_seconds(said[i].seconds, text, sizeof text), said[i].text);
    }
}

static void a_value_that_is_none_is_an_empty_cell(void **state) {
    (void)state;
    char text[32];
    assert_string_equal(units_format_value(NAN, text, sizeof text), "");
    assert_string_equal(units_format_value(INFINITY, text, sizeof text), "");
    assert_string_equal(units_format_value(-INFINITY, text, sizeof text), "");
    assert_string_equal(units_format_value(18.2, text, sizeof text), "18.2");
    assert_string_equal(units_format_value(0, text, sizeof text), "0");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_text_is_read_or_refused_as_the_table_says),
        cmocka_unit_test(a_whole_number_outside_its_bounds_is_refused),
        cmocka_unit_test(seconds_read_well),
        cmocka_unit_test(a_value_that_is_none_is_an_empty_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

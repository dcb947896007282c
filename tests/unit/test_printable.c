// SPDX-License-Identifier: GPL-3.0-or-later
// Words of other programs: whatever the bytes, a row and a terminal get plain ones.
#include "tests/unit/unit.h"

#include "common/printable.h"

static char text[16];

static void what_is_printable_is_kept_and_nothing_else(void **state) {
    (void)state;
    assert_string_equal(printable_copy(text, sizeof text, "a b~!", 5), "a b~!");
    assert_string_equal(printable_copy(text, sizeof text, "\xff\x1b[2J\t\x7f", 7), "??[2J??");
    assert_string_equal(printable_copy(text, sizeof text,
                                       "1\xc2\xa0"
                                       "234",
                                       6),
                        "1??234");
    assert_string_equal(printable_copy(text, sizeof text, "a\0b", 3), "a?b");
    assert_string_equal(printable_copy(text, sizeof text, "", 0), "");
}

static void what_has_no_room_is_cut_and_ends_all_the_same(void **state) {
    (void)state;
    assert_string_equal(printable_copy(text, 4, "abcdef", 6), "abc");
    assert_string_equal(printable_copy(text, 1, "abcdef", 6), "");
    strcpy(text, "\xc3\xa4x");
    assert_string_equal(printable_copy(text, sizeof text, text, 3), "??x");
}

static void the_first_line_that_says_something_is_taken(void **state) {
    (void)state;
    assert_string_equal(printable_line(text, sizeof text, "\n  \r\n one\xff\r\ntwo"), "one?");
    assert_string_equal(printable_line(text, sizeof text, "one"), "one");
    assert_string_equal(printable_line(text, sizeof text, " \n"), "");
}

static void parts_stand_behind_each_other_as_far_as_they_fit(void **state) {
    (void)state;
    text[0] = '\0';
    printable_add(text, sizeof text, "%s", "");
    assert_string_equal(text, "");
    printable_add(text, sizeof text, "%d a", 1);
    printable_add(text, sizeof text, "%s", "");
    printable_add(text, sizeof text, "two");
    assert_string_equal(text, "1 a; two");
    printable_add(text, sizeof text, "three and more");
    assert_string_equal(text, "1 a; two; three");
    printable_add(text, sizeof text, "four");
    assert_string_equal(text, "1 a; two; three");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_printable_is_kept_and_nothing_else),
        cmocka_unit_test(what_has_no_room_is_cut_and_ends_all_the_same),
        cmocka_unit_test(the_first_line_that_says_something_is_taken),
        cmocka_unit_test(parts_stand_behind_each_other_as_far_as_they_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "common/error.h"

#include <errno.h>

static void a_message_names_file_and_line(void **state) {
    (void)state;
    struct error error = {0};
    assert_int_equal(error_set(&error, ERROR_INPUT, "a.csv", 7, "no column '%s'", "mix"), -1);
    assert_int_equal(error.kind, ERROR_INPUT);
    assert_string_equal(error.text, "a.csv:7: no column 'mix'");
}

static void line_0_is_the_file_as_a_whole_and_no_file_is_no_place(void **state) {
    (void)state;
    struct error error = {0};
    error_set(&error, ERROR_MISSING, "a.csv", 0, "empty");
    assert_string_equal(error.text, "a.csv: empty");
    error_set(&error, ERROR_MISSING, NULL, 9, "no perf");
    assert_string_equal(error.text, "no perf");
}

static void errno_is_appended_in_words_and_kept(void **state) {
    (void)state;
    struct error error = {0};
    errno = ENOSPC;
    assert_int_equal(error_errno(&error, ERROR_INPUT, "out", "cannot be written"), -1);
    assert_string_equal(error.text, "out: cannot be written: No space left on device");
    assert_int_equal(errno, ENOSPC);
}

static void a_long_message_is_cut_and_never_overruns(void **state) {
    (void)state;
    struct {
        struct error error;
        char guard[16];
    } guarded;
    char path[4096];
    memset(guarded.guard, 'g', sizeof guarded.guard);
    memset(path, 'p', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    errno = EIO;
    error_errno(&guarded.error, ERROR_INPUT, path, "%s", path);
    assert_int_equal(strlen(guarded.error.text), sizeof guarded.error.text - 1);
    error_errno(&guarded.error, ERROR_INPUT, "short", "%s", path);
    assert_int_equal(strlen(guarded.error.text), sizeof guarded.error.text - 1);
    error_set(&guarded.error, ERROR_INPUT, path, 3, "%s", path);
    assert_int_equal(strlen(guarded.error.text), sizeof guarded.error.text - 1);
    for (size_t i = 0; i < sizeof guarded.guard; i++)
        assert_int_equal(guarded.guard[i], 'g');
}

static void kinds_are_the_exit_statuses(void **state) {
    (void)state;
    assert_int_equal(ERROR_INCOMPLETE, 1);
    assert_int_equal(ERROR_INPUT, 2);
    assert_int_equal(ERROR_MISSING, 3);
    assert_int_equal(ERROR_CHANGED, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_names_file_and_line),
        cmocka_unit_test(line_0_is_the_file_as_a_whole_and_no_file_is_no_place),
        cmocka_unit_test(errno_is_appended_in_words_and_kept),
        cmocka_unit_test(a_long_message_is_cut_and_never_overruns),
        cmocka_unit_test(kinds_are_the_exit_statuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

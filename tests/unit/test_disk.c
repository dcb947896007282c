// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "common/disk.h"
#include "common/replace.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

// Each test works in a folder of its own, and leaves it empty.
static int enter_folder(void **state) {
    char *path = strdup("/tmp/asmsweep-test-XXXXXX");
    *state = path;
    return !path || !mkdtemp(path) || chdir(path);
}

static int leave_folder(void **state) {
    int failed = chdir("/") || rmdir(*state);
    free(*state);
    return failed;
}

static void bytes_come_back_as_they_were_written(void **state) {
    (void)state;
    struct error error = {0};
    static const char bytes[] = "a\0b\r\n";
    size_t length;
    assert_int_equal(replace_text("file", bytes, sizeof bytes, &error), 0);
    char *text = disk_read("file", &length, &error);
    assert_non_null(text);
    assert_int_equal(length, sizeof bytes);
    assert_memory_equal(text, bytes, sizeof bytes);
    assert_int_equal(text[length], 0);
    free(text);
    assert_int_equal(unlink("file"), 0);
}

static void what_cannot_be_read_is_no_text_and_says_why(void **state) {
    (void)state;
    struct error error = {0};
    assert_null(disk_read("none", NULL, &error));
    assert_string_equal(error.text, "none: cannot be read: No such file or directory");
    assert_null(disk_read(".", NULL, &error));
    assert_string_equal(error.text, ".: cannot be read: Is a directory");
}

static void a_replacement_that_fails_says_why_and_leaves_no_temporary(void **state) {
    (void)state;
    struct error error = {0};
    assert_int_equal(mkdir("folder", 0777), 0);
    assert_int_equal(replace_text("folder", "text", 4, &error), -1);
    assert_string_equal(error.text, "folder: cannot be written: Is a directory");
    assert_int_equal(replace_text("none/file", "text", 4, &error), -1);
    assert_string_equal(error.text, "none/file: cannot be written: No such file or directory");
    assert_int_equal(rmdir("folder"), 0);
}

static void folders_are_made_with_those_above_and_may_be_there(void **state) {
    (void)state;
    struct error error = {0};
    assert_int_equal(disk_make_folders("a/b//c/", &error), 0);
    assert_int_equal(disk_make_folders("a/b/c", &error), 0);
    assert_int_equal(replace_text("a/b/file", "", 0, &error), 0);
    assert_int_equal(disk_make_folders("a/b/file/c", &error), -1);
    assert_int_equal(errno, ENOTDIR);
    assert_int_equal(unlink("a/b/file") || rmdir("a/b/c") || rmdir("a/b") || rmdir("a"), 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)
    const struct CMUnitTest tests[] = {
        TEST(bytes_come_back_as_they_were_written),
        TEST(what_cannot_be_read_is_no_text_and_says_why),
        TEST(a_replacement_that_fails_says_why_and_leaves_no_temporary),
        TEST(folders_are_made_with_those_above_and_may_be_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// A result's bytes in what srun printed.
#include "tests/unit/unit.h"

#include "campaign/fleet/frame.h"

#define SHA256_OF_TAR "90aebae315675cbf04612de4f7d5874850f48e0b8dd82becbeaa47ca93f5ebfb"
#define FRAME "asmsweep-fleet-result 1 3 " SHA256_OF_TAR "\ntar"

// The text in memory of its own, without a NUL behind it: sanitizers see a step too far.
static int find(const char *text, size_t *at, size_t *length, struct error *error) {
    const char *payload = NULL;
    size_t size = strlen(text);
    char *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, text, size);
    *error = (struct error){0};
    int failed = frame_find(copy, size, &payload, length, error);
    *at = failed ? 0 : (size_t)(payload - copy);
    free(copy);
    return failed;
}

static void the_bytes_are_found_between_prolog_and_epilog(void **state) {
    (void)state;
    struct error error;
    size_t at, length;
    assert_int_equal(find("hello\n" FRAME "bye\n", &at, &length, &error), 0);
    assert_int_equal(at, strlen("hello\n" FRAME) - 3);
    assert_int_equal(length, 3);
}

static void a_mark_inside_a_line_is_none(void **state) {
    (void)state;
    struct error error;
    size_t at, length;
    assert_int_equal(find("$ " FRAME, &at, &length, &error), -1);
    assert_contains(error.text, "holds no result");
}

static void missing_and_changed_bytes_are_errors(void **state) {
    (void)state;
    struct error error;
    size_t at, length;
    assert_int_equal(find("asmsweep-fleet-result 1 3 " SHA256_OF_TAR "\nta", &at, &length, &error),
                     -1);
    assert_contains(error.text, "3 bytes are announced, 2 came");
    assert_int_equal(find("asmsweep-fleet-result 1 3 " SHA256_OF_TAR "\ntap", &at, &length, &error),
                     -1);
    assert_contains(error.text, "do not fit its hash");
    assert_int_equal(find("asmsweep-fleet-result 1 3", &at, &length, &error), -1);
    assert_contains(error.text, "first line is cut off");
}

static void the_number_stands_in_the_first_line_or_it_is_damaged(void **state) {
    (void)state;
    static const char *const bad[] = {
        "asmsweep-fleet-result 1  \n3",
        "asmsweep-fleet-result 1 \n3 " SHA256_OF_TAR "\ntar",
        "asmsweep-fleet-result 1 -3 " SHA256_OF_TAR "\ntar",
        "asmsweep-fleet-result 1 99999999999999999999 " SHA256_OF_TAR "\ntar",
        "asmsweep-fleet-result 1 3 short\ntar",
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct error error;
        size_t at, length;
        assert_int_equal(find(bad[i], &at, &length, &error), -1);
        assert_contains(error.text, "first line is damaged");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bytes_are_found_between_prolog_and_epilog),
        cmocka_unit_test(a_mark_inside_a_line_is_none),
        cmocka_unit_test(missing_and_changed_bytes_are_errors),
        cmocka_unit_test(the_number_stands_in_the_first_line_or_it_is_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

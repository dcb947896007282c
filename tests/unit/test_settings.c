// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "tests/unit/run_folder.h"

static char text[16384];

static void write_settings(const struct settings *settings) {
    FILE *stream = fmemopen(text, sizeof text, "w");
    settings_write(settings, stream);
    fclose(stream);
}

static int read_settings(const char *from, struct settings *settings, struct error *error) {
    FILE *stream = fmemopen((void *)from, strlen(from), "r");
    int failed = settings_read("journal", stream, settings, error);
    fclose(stream);
    return failed;
}

static void what_is_written_is_read_back_to_the_last_bit(void **state) {
    (void)state;
    struct settings settings = some_settings(), back;
    struct error error = {0};
    write_settings(&settings);
    assert_int_equal(read_settings(text, &back, &error), 0);
#define TEXT(name, size) assert_string_equal(settings.name, back.name);
#define NUMBER(name) assert_true(settings.name == back.name);
#define REAL(name) assert_true(settings.name == back.name);
    SETTINGS(TEXT, NUMBER, REAL)
#undef TEXT
#undef NUMBER
#undef REAL
}

static void every_cut_is_refused_and_names_what_is_missing(void **state) {
    (void)state;
    struct settings settings = some_settings(), back;
    struct error error = {0};
    write_settings(&settings);
    for (size_t length = strlen(text) - 1; length > 0; length--) {
        text[length] = '\0';
        assert_int_equal(read_settings(text, &back, &error), -1);
        assert_contains(error.text, "journal: not a whole journal");
        assert_int_equal(error.kind, ERROR_INPUT);
    }
}

static void a_damaged_line_is_named(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *named;
    } damages[] = {
        {"asmsweep-journal 1\n", "asmsweep-journal 2\n", "its first line"},
        {"asmsweep-journal 1\n", "asmsweep-journal 10\n", "its first line"},
        {"seed 1796031020123", "seed 17960 31020123", "seed"},
        {"precision 0.005", "precision 0,005", "precision"},
        {"blocks 5\n", "block 5\n", "blocks"},
        {"begin\n", "start\n", "begin"},
    };
    struct settings settings = some_settings(), back;
    for (size_t i = 0; i < COUNT_OF(damages); i++) {
        struct error error = {0};
        char *damaged;
        write_settings(&settings);
        assert_contains(text, damages[i].from);
        size_t before = (size_t)(strstr(text, damages[i].from) - text);
        assert_true(asprintf(&damaged, "%.*s%s%s", (int)before, text, damages[i].to,
                             text + before + strlen(damages[i].from)) > 0);
        assert_int_equal(read_settings(damaged, &back, &error), -1);
        assert_contains(error.text, damages[i].named);
        free(damaged);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back_to_the_last_bit),
        cmocka_unit_test(every_cut_is_refused_and_names_what_is_missing),
        cmocka_unit_test(a_damaged_line_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

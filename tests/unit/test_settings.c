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
    struct journal journal;
    journal_parse(from, strlen(from), true, &journal);
    *settings = journal.settings;
    int failed = journal_check(&journal, "journal", error);
    journal_free(&journal);
    return failed;
}

static void what_is_written_is_read_back_to_the_last_bit(void **state) {
    (void)state;
    struct settings settings = some_settings(), back;
    struct error error = {0};
    write_settings(&settings);
    assert_int_equal(read_settings(text, &back, &error), 0);
#define SETTING_TEXT(name, size) assert_string_equal(settings.name, back.name);
#define SETTING_NUMBER(name) assert_true(settings.name == back.name);
#define SETTING_LATER(name) assert_true(settings.name == back.name);
#define SETTING_REAL(name) assert_true(settings.name == back.name);
#define JOURNAL_LINE(kind, fields, meaning)
#include "common/journal.def"
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

static struct journal parsed(const char *behind) {
    struct settings settings = some_settings();
    struct journal journal;
    write_settings(&settings);
    strcat(text, behind);
    journal_parse(text, strlen(text), true, &journal);
    return journal;
}

static void executions_sizes_and_end_are_read_behind_the_head(void **state) {
    (void)state;
    struct journal journal = parsed("done 0 0 3 a.b 100 20\ndone 1 2 4 c 200 40\n");
    long long whole = (long long)strlen(text);
    assert_int_equal(journal.count, 2);
    assert_string_equal(journal.lines[0].variant, "a.b");
    assert_int_equal(journal.lines[1].core, 1);
    assert_int_equal(journal.lines[1].block, 2);
    assert_int_equal(journal.lines[1].slot, 4);
    assert_int_equal(journal.lines[1].measurements_bytes, 200);
    assert_int_equal(journal.lines[1].samples_bytes, 40);
    assert_int_equal(journal.bytes, whole);
    assert_string_equal(journal.end, "");
    journal_free(&journal);
    journal = parsed("done 0 0 3 a.b 100 20\ndone 1 2 4 c 200 40\n"
                     "size summary.csv 77\nend complete\n");
    assert_int_equal(journal.bytes, whole); // what one goes on behind
    assert_int_equal(journal.size_count, 1);
    assert_string_equal(journal.sizes[0].file, "summary.csv");
    assert_int_equal(journal.sizes[0].bytes, 77);
    assert_string_equal(journal.end, "complete");
    journal_free(&journal);
}

static void what_is_torn_or_gone_on_with_has_no_end(void **state) {
    (void)state;
    static const char *const endless[] = {"end complete",
                                          "end complete\ndone 0 0 0 a 1 1\n",
                                          "end complete\nx",
                                          "end\n",
                                          "end a b\n",
                                          "end completed\n",
                                          "done 0 99999999999 0 a 1 1\n"};
    for (size_t i = 0; i < COUNT_OF(endless); i++) {
        struct journal journal = parsed(endless[i]);
        assert_string_equal(journal.end, "");
        journal_free(&journal);
    }
    struct journal torn = parsed("done 0 0 3 a 100 20\ndone 0 0 4 b 10");
    assert_int_equal(torn.count, 1);
    assert_int_equal(torn.bytes, (long long)(strlen(text) - strlen("done 0 0 4 b 10")));
    journal_free(&torn);
}

// Of a longer one only the last 4096 bytes are read, which may begin within the head.
static void a_journal_of_any_length_has_its_end(void **state) {
    (void)state;
    char folder[32], path[64];
    struct settings settings = some_settings();
    make_folder(folder);
    snprintf(path, sizeof path, "%s/journal", folder);
    write_settings(&settings);
    for (int lines = 0; lines < 300; lines++) {
        struct journal journal;
        struct error error = {0};
        FILE *stream = fopen(path, "w");
        fputs(text, stream);
        for (int i = 0; i < lines; i++)
            fprintf(stream, "done 0 0 %d a.variant %d 1\n", i, i + 1);
        fputs("size summary.csv 77\nend complete\n", stream);
        fclose(stream);
        assert_int_equal(journal_read(folder, true, &journal, &error), 0);
        assert_string_equal(journal.end, "complete");
        assert_int_equal(journal.size_count, 1);
        journal_free(&journal);
    }
    remove_folder(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back_to_the_last_bit),
        cmocka_unit_test(every_cut_is_refused_and_names_what_is_missing),
        cmocka_unit_test(a_damaged_line_is_named),
        cmocka_unit_test(executions_sizes_and_end_are_read_behind_the_head),
        cmocka_unit_test(what_is_torn_or_gone_on_with_has_no_end),
        cmocka_unit_test(a_journal_of_any_length_has_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

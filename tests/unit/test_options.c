// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "common/options.h"

static int flag;
static const char *text;
static long long number;
static double seconds, part;

static const struct option_row rows[] = {
    {"out", 'o', OPTION_TEXT, &text, "DIR", 0, 0, "the run's folder"},
    {"blocks", 0, OPTION_INTEGER, &number, "N", 1, 1000, "executions of each variant"},
    {"budget", 0, OPTION_SECONDS, &seconds, "TIME", 0, 0, "stop after TIME"},
    {"precision", 'p', OPTION_PART, &part, "P", 0, 0, "half-width to reach"},
    {"resume", 0, OPTION_FLAG, &flag, NULL, 0, 0, "resume the run in -o DIR"},
};
static const struct option_list list = {"asmsweep-run", "run DIR [options]", "Measures.", rows,
                                        COUNT_OF(rows)};

static const char *positionals[2];
static struct error error;

// Parse a NULL-terminated list of words (without the program's name).
static int parse(const char *const *words) {
    const char *argv[16] = {"program"};
    int argc = 1;
    while (*words)
        argv[argc++] = *words++;
    flag = 0, text = NULL, number = -1, seconds = -1, part = -1;
    error = (struct error){0};
    positionals[0] = positionals[1] = NULL;
    return options_parse(&list, argc, (char **)argv, positionals, 1, 2, &error);
}
#define PARSE(...) parse((const char *const[]){__VA_ARGS__, NULL})

static void every_way_of_writing_a_value_is_taken(void **state) {
    (void)state;
    assert_int_equal(
        PARSE("build/x", "-o", "d", "--blocks=7", "--budget", "2m", "--precision=1%", "--resume"),
        0);
    assert_string_equal(text, "d");
    assert_int_equal(number, 7);
    assert_near(seconds, 120, 0);
    assert_near(part, 0.01, 1e-15);
    assert_int_equal(flag, 1);
    assert_string_equal(positionals[0], "build/x");
    assert_null(positionals[1]);
}

static void two_dashes_end_the_options_and_one_is_a_word(void **state) {
    (void)state;
    assert_int_equal(PARSE("-", "--", "--blocks"), 0);
    assert_string_equal(positionals[0], "-");
    assert_string_equal(positionals[1], "--blocks");
    assert_int_equal(number, -1);
}

static void help_is_asked_for_by_either_name(void **state) {
    (void)state;
    assert_int_equal(PARSE("--help"), -1);
    assert_int_equal(error.kind, ERROR_HELP);
    assert_int_equal(PARSE("-h"), -1);
    assert_int_equal(error.kind, ERROR_HELP);
}

static void each_mistake_gets_its_own_line(void **state) {
    (void)state;
    static const struct {
        const char *words[4], *message;
    } mistakes[] = {
        {{"--blokcs"}, "unknown option '--blokcs'; try --help"},
        {{"--block", "3"}, "unknown option '--block'; try --help"},
        {{"--blocksX"}, "unknown option '--blocksX'; try --help"},
        {{"-x"}, "unknown option '-x'; try --help"},
        {{"-od"}, "unknown option '-od'; try --help"},
        {{"--blocks"}, "--blocks needs a value: N"},
        {{"--blocks", "0"}, "--blocks takes a whole number from 1 to 1000, not '0'"},
        {{"--blocks=1e3"}, "--blocks takes a whole number from 1 to 1000, not '1e3'"},
        {{"--budget", "soon"}, "--budget takes a time like 90s, 5m or 2h, not 'soon'"},
        {{"-p", "2"}, "--precision takes a part like 0.5% or 0.005, not '2'"},
        {{"--out", "--resume"}, "--out needs a value: DIR"},
        {{"--out", "-p", "1%"}, "--out needs a value: DIR"},
        {{"--out", "--blocks=3"}, "--out needs a value: DIR"},
        {{"--out="}, "--out takes a text that is not empty, not ''"},
        {{"--resume=1"}, "--resume takes no value"},
        {{"a", "b", "c"}, "one argument too many: 'c'"},
        {{"--resume"}, "run takes DIR [options]"},
    };
    for (size_t i = 0; i < COUNT_OF(mistakes); i++) {
        assert_int_equal(parse(mistakes[i].words), -1);
        assert_string_equal(error.text, mistakes[i].message);
        assert_int_equal(error.kind, ERROR_INPUT);
    }
}

static void a_list_is_given_once(void **state) {
    (void)state;
    const char *only = NULL;
    const struct option_row row = {"only", 0, OPTION_TEXT, &only, "GLOB,...", 0, 0, ""};
    const struct option_list lists = {"p", "run [options]", "", &row, 1};
    char *once[] = {"p", "--only", "a,b", NULL}, *twice[] = {"p", "--only=a", "--only", "b", NULL};
    assert_int_equal(options_parse(&lists, 3, once, positionals, 0, 0, &error), 0);
    assert_string_equal(only, "a,b");
    assert_int_equal(options_parse(&lists, 4, twice, positionals, 0, 0, &error), -1);
    assert_string_equal(error.text, "--only is there twice; it takes one list: --only A,B");
}

static void the_help_is_what_the_rows_say(void **state) {
    (void)state;
    static const char expected[] = "usage: asmsweep-run run DIR [options]\n"
                                   "Measures.\n"
                                   "\n"
                                   "  -o, --out DIR              the run's folder\n"
                                   "      --blocks N             executions of each variant\n"
                                   "      --budget TIME          stop after TIME\n"
                                   "  -p, --precision P          half-width to reach\n"
                                   "      --resume               resume the run in -o DIR\n"
                                   "      --help                 print this\n";
    char *printed;
    size_t length;
    FILE *stream = open_memstream(&printed, &length);
    options_help(&list, stream);
    fclose(stream);
    assert_string_equal(printed, expected);
    free(printed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_of_writing_a_value_is_taken),
        cmocka_unit_test(two_dashes_end_the_options_and_one_is_a_word),
        cmocka_unit_test(help_is_asked_for_by_either_name),
        cmocka_unit_test(each_mistake_gets_its_own_line),
        cmocka_unit_test(a_list_is_given_once),
        cmocka_unit_test(the_help_is_what_the_rows_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

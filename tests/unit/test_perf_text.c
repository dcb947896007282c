// SPDX-License-Identifier: GPL-3.0-or-later
// The parser of perf stat's output: against every text of the real perf that is kept in
// tests/fixtures/perf, and against hand-made ones of shapes that were seen elsewhere.
#include "tests/unit/unit.h"

#include "runner/engine/perf_text.h"

enum { MOST = 8 };

static struct perf_count counts[MOST];

static size_t read_file(const char *name, char *text, size_t size) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", PERF_FIXTURES, name);
    FILE *stream = fopen(path, "rb");
    if (!stream)
        fail_msg("%s cannot be opened", path);
    size_t length = fread(text, 1, size - 1, stream);
    fclose(stream);
    text[length] = '\0';
    return length;
}

// "EVENT STATUS VALUE [PMU] | DETAIL", taken apart in place.
struct expected {
    const char *event, *status, *value, *pmu, *detail;
};

static struct expected take_expected(char *line) {
    struct expected expected = {.pmu = "", .detail = ""};
    char *bar = strstr(line, " | "), *rest = NULL;
    if (bar) {
        *bar = '\0';
        expected.detail = bar + 3;
    }
    expected.event = strtok_r(line, " ", &rest);
    expected.status = strtok_r(NULL, " ", &rest);
    expected.value = strtok_r(NULL, " ", &rest);
    char *pmu = strtok_r(NULL, " []", &rest);
    if (pmu)
        expected.pmu = pmu;
    return expected;
}

static void compare(const char *name, const struct expected *expected,
                    const struct perf_count *count) {
    char value[32] = "-";
    if (!isnan(count->value))
        snprintf(value, sizeof value, "%.12g", count->value);
    if (strcmp(status_name(count->status), expected->status) || strcmp(value, expected->value) ||
        strcmp(count->pmu, expected->pmu) || !strstr(count->detail, expected->detail) ||
        (*count->detail && !*expected->detail))
        fail_msg("%s, %s: %s %s [%s] | %s", name, expected->event, status_name(count->status),
                 value, count->pmu, count->detail);
}

static void check_block(char *block) {
    static char text[32768];
    struct expected expected[MOST];
    const char *events[MOST];
    char *rest = NULL, *name = strtok_r(block, "\n", &rest), *line;
    size_t length = read_file(name, text, sizeof text), count = 0;
    while ((line = strtok_r(NULL, "\n", &rest))) {
        expected[count] = take_expected(line);
        events[count] = expected[count].event;
        count++;
    }
    assert_true(count > 0);
    perf_text_parse(text, length, events, count, counts);
    for (size_t i = 0; i < count; i++)
        compare(name, &expected[i], &counts[i]);
}

static void every_fixture_gives_the_rows_of_its_triple(void **state) {
    (void)state;
    static char triples[32768];
    read_file("triples.txt", triples, sizeof triples);
    size_t blocks = 0;
    for (char *at = strstr(triples, "\n\n"), *next; at; at = next) {
        at += 2;
        next = strstr(at, "\n\n");
        if (next)
            *next = '\0';
        check_block(at);
        blocks++;
    }
    assert_int_equal(blocks, FIXTURE_COUNT);
}

// One event asked for, one text; value NaN: no value.
static const struct {
    const char *claim, *event, *text;
    size_t length;
    enum status status;
    double value;
    const char *detail;
} hand_made[] = {
#define TEXT(literal) literal, sizeof(literal) - 1
    {"running of 100.00 proves nothing", "cycles:u", TEXT("<not supported>;;cycles:u;0;100.00;;\n"),
     STATUS_not_supported, NAN, "<not supported>"},
    {"-r puts a percentage in", "task-clock",
     TEXT("4.27;msec;task-clock;12.42%;4268037;100.00;0.383;CPUs utilized\n"), STATUS_ok, 4.27, ""},
    {"-I puts a time in front", "task-clock",
     TEXT("     1.000205120;4.27;msec;task-clock;4268037;100.00;0.383;CPUs utilized\n"), STATUS_ok,
     4.27, ""},
    {"-I and -r at once", "task-clock", TEXT("1.0002;4.27;msec;task-clock;1.2%;4268037;100.00;;\n"),
     STATUS_ok, 4.27, ""},
    {"more metric columns behind", "cycles:u",
     TEXT("1000;;cycles:u;500;100.00;3.1;GHz;;;0.2;more;7\n"), STATUS_ok, 1000, ""},
    {"no metric columns at all", "cycles:u", TEXT("1000;;cycles:u;500;100.00\n"), STATUS_ok, 1000,
     ""},
    {"a comma in the value", "cycles:u", TEXT("1000,5;;cycles:u;500;100.00;;\n"),
     STATUS_not_counted, NAN, "a comma in the number '1000,5'"},
    {"a comma in the running part", "cycles:u", TEXT("1000;;cycles:u;500;100,00;;\n"),
     STATUS_not_counted, NAN, "a comma in the number '100,00'"},
    {"2^64 - 1", "cycles:u", TEXT("18446744073709551615;;cycles:u;500;100.00;;\n"),
     STATUS_implausible, NAN, "ran over or below 0"},
    {"below 0", "cycles:u", TEXT("-5;;cycles:u;500;100.00;;\n"), STATUS_not_counted, NAN,
     "'-5' where a number belongs"},
    {"words for a number", "cycles:u", TEXT("nan;;cycles:u;500;100.00;;\n"), STATUS_not_counted,
     NAN, "'nan' where a number belongs"},
    {"no text in any language", "cycles:u", TEXT("\xff\x1b[2J;;cycles:u;500;100.00;;\n"),
     STATUS_not_counted, NAN, "perf printed '??[2J' where a number belongs"},
    {"blanks between the digits", "cycles:u",
     TEXT("1\xe2\x80\xaf"
          "234\xc2\xa0"
          "567;;cycles:u;500;100.00;;\n"),
     STATUS_not_counted, NAN, "perf printed '1???234??567' where a number belongs"},
    {"points between the digits", "cycles:u", TEXT("1.234.567;;cycles:u;500;100.00;;\n"),
     STATUS_not_counted, NAN, "perf printed '1.234.567' where a number belongs"},
    {"a byte order mark", "cycles:u",
     TEXT("\xef\xbb\xbf"
          "1000;;cycles:u;500;100.00;;\n"),
     STATUS_not_counted, NAN, "perf printed '???1000' where a number belongs"},
    {"one point between the digits", "cycles:u", TEXT("1.234;;cycles:u;500;100.00;;\n"),
     STATUS_not_counted, NAN, "perf printed '1.234' where a whole number belongs"},
    {"a part of a unit", "power/energy-pkg/", TEXT("1.23;Joules;power/energy-pkg/;500;100.00;;\n"),
     STATUS_ok, 1.23, ""},
    {"a clock before there were units", "cpu-clock", TEXT("1.23;;cpu-clock;500;100.00;;\n"),
     STATUS_ok, 1.23, ""},
    {"an exponent", "cycles:u", TEXT("1e3;;cycles:u;500;100.00;;\n"), STATUS_not_counted, NAN,
     "perf printed '1e3' where a number belongs"},
    {"a sign", "cycles:u", TEXT("+5;;cycles:u;500;100.00;;\n"), STATUS_not_counted, NAN,
     "perf printed '+5' where a number belongs"},
    {"infinity", "cycles:u", TEXT("inf;;cycles:u;500;100.00;;\n"), STATUS_not_counted, NAN,
     "perf printed 'inf' where a number belongs"},
    {"counted in no time", "cycles:u", TEXT("1000;;cycles:u;0;100.00;;\n"), STATUS_not_counted, NAN,
     "perf printed a running time of 0 ns"},
    {"counted in less than no time", "cycles:u", TEXT("1000;;cycles:u;-5;100.00;;\n"),
     STATUS_not_counted, NAN, "perf printed a running time of -5 ns"},
    {"ran more than all the time", "cycles:u", TEXT("1000;;cycles:u;500;250.00;;\n"),
     STATUS_not_counted, NAN, "250.00 % of the time: that cannot be"},
    {"ran less than none of the time", "cycles:u", TEXT("1000;;cycles:u;500;-1.00;;\n"),
     STATUS_not_counted, NAN, "-1.00 % of the time: that cannot be"},
    {"an empty value", "cycles:u", TEXT(";;cycles:u;500;100.00;;\n"), STATUS_not_counted, NAN,
     "where a number belongs"},
    {"a NUL in the row", "cycles:u",
     TEXT("10\0"
          "00;;cycles:u;500;100.00;;\n"),
     STATUS_not_counted, NAN, "no row"},
    {"a NUL behind the numbers", "cycles:u", TEXT("1000;;cycles:u;500;100.00;\0;\n"),
     STATUS_not_counted, NAN, "no row"},
    {"a NUL elsewhere", "cycles:u", TEXT("\0\0;\n1000;;cycles:u;500;100.00;;\n"), STATUS_ok, 1000,
     ""},
    {"CR LF", "cycles:u", TEXT("# started\r\n\r\n1000;;cycles:u;500;100.00;;\r\n"), STATUS_ok, 1000,
     ""},
    {"a cut-off line", "cycles:u", TEXT("1000;;cycles:u;500;100.00"), STATUS_not_counted, NAN,
     "no row"},
    {"a line cut in the running time", "cycles:u", TEXT("1000;;cycles:u;5\n"), STATUS_not_counted,
     NAN, "cut off"},
    {"an event that is missing", "branches:u", TEXT("1000;;cycles:u;500;100.00;;\n"),
     STATUS_not_counted, NAN, "no row"},
    {"no text at all", "cycles:u", TEXT(""), STATUS_not_counted, NAN, "no row"},
    {"an event twice with values", "cycles:u",
     TEXT("1000;;cycles:u;500;100.00;;\n1001;;cycles:u;500;100.00;;\n"), STATUS_multiplexed, NAN,
     "two rows"},
    {"an event three times with values", "cycles:u",
     TEXT("1;;cycles:u;5;100.00;;\n2;;cycles:u;5;100.00;;\n3;;cycles:u;5;100.00;;\n"),
     STATUS_multiplexed, NAN, "two rows"},
    {"an event twice, once damaged", "cycles:u",
     TEXT("1,5;;cycles:u;500;100.00;;\n1001;;cycles:u;500;100.00;;\n"), STATUS_multiplexed, NAN,
     "two rows"},
    {"an event twice, once cut", "cycles:u",
     TEXT("1000;;cycles:u;500;100.00;;\n1001;;cycles:u;5\n"), STATUS_multiplexed, NAN, "two rows"},
    {"an event twice, neither counted", "cycles:u",
     TEXT("<not counted>;;cycles:u;0;0.00;;\n<not supported>;;cycles:u;0;100.00;;\n"),
     STATUS_not_counted, NAN, "perf: <not counted>"},
    {"ran half the time", "cycles:u", TEXT("1000;;cycles:u;500;50.00;;\n"), STATUS_multiplexed, NAN,
     "50.00 %"},
    {"ran 99.99 % of the time", "cycles:u", TEXT("1000;;cycles:u;500;99.99;;\n"),
     STATUS_multiplexed, NAN, "99.99 %"},
    {"never ran", "cycles:u", TEXT("0;;cycles:u;0;0.00;;\n"), STATUS_not_counted, NAN, "0.00 %"},
    {"0 that was counted is 0", "cpu-migrations", TEXT("0;;cpu-migrations;500;100.00;0.000;/sec\n"),
     STATUS_ok, 0, ""},
    {"user mode for the question of all", "context-switches",
     TEXT("0;;context-switches:u;500;100.00;;\n"), STATUS_not_supported, NAN,
     "perf_event_paranoid"},
    {"the same for a PMU's event", "msr/tsc/", TEXT("1000;;msr/tsc/u;500;100.00;;\n"),
     STATUS_not_supported, NAN, "perf_event_paranoid"},
    {"all modes for the question of user mode", "cycles:u", TEXT("1000;;cycles;500;100.00;;\n"),
     STATUS_not_supported, NAN, "all modes"},
    {"hybrid, as perf 6.8 writes it", "cycles:u",
     TEXT("<not counted>;;cpu_atom/cycles/u;0;0.00;;\n1000;;cpu_core/cycles/u;500;100.00;;\n"),
     STATUS_ok, 1000, ""},
    {"hybrid, counted on both", "cycles:u",
     TEXT("900;;cpu_atom/cycles/u;500;100.00;;\n1000;;cpu_core/cycles/u;500;100.00;;\n"),
     STATUS_multiplexed, NAN, "two rows"},
    {"a name within a name", "cycles:u", TEXT("7;;ref-cycles:u;500;100.00;;\n"), STATUS_not_counted,
     NAN, "no row"},
    {"a tracepoint's colon", "sched:sched_switch", TEXT("3;;sched:sched_switch;500;100.00;;\n"),
     STATUS_ok, 3, ""},
    {"a child that prints a row's look-alike", "cycles:u",
     TEXT("cycles:u;cycles:u\n1000;;cycles:u;500;100.00;;\n"), STATUS_ok, 1000, ""},
#undef TEXT
};

static void every_trap_is_a_status_or_the_right_number(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(hand_made); i++) {
        perf_text_parse(hand_made[i].text, hand_made[i].length, &hand_made[i].event, 1, counts);
        int right = counts[0].status == hand_made[i].status &&
                    (isnan(hand_made[i].value) ? isnan(counts[0].value)
                                               : counts[0].value == hand_made[i].value) &&
                    strstr(counts[0].detail, hand_made[i].detail);
        if (!right || (counts[0].status != STATUS_ok && !*counts[0].detail))
            fail_msg("%s: %s %g | %s", hand_made[i].claim, status_name(counts[0].status),
                     counts[0].value, counts[0].detail);
    }
}

static void each_of_two_names_gets_its_own_row(void **state) {
    (void)state;
    static const char text[] = "10;;cycles:u;5;100.00;;\n30;;cycles;5;100.00;;\n";
    static const char *const events[] = {"cycles", "cycles:u"};
    perf_text_parse(text, sizeof text - 1, events, 2, counts);
    assert_near(counts[0].value, 30, 0);
    assert_near(counts[1].value, 10, 0);
}

// No byte of a row may be trusted: each is damaged in turn, and the sanitizers look on.
static void damaged_bytes_never_give_another_number_for_a_whole_row(void **state) {
    (void)state;
    static const char row[] = "4321;;cycles:u;500;100.00;0.5;x\n";
    static const char *const events[] = {"cycles:u"};
    for (size_t at = 0; at < sizeof row - 1; at++)
        for (int byte = 0; byte < 256; byte++) {
            char text[sizeof row];
            memcpy(text, row, sizeof row);
            text[at] = (char)byte;
            perf_text_parse(text, sizeof row - 1, events, 1, counts);
            if (counts[0].status == STATUS_ok && at > 3)
                assert_near(counts[0].value, 4321, 0);
            if (counts[0].status != STATUS_ok)
                assert_nan(counts[0].value);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fixture_gives_the_rows_of_its_triple),
        cmocka_unit_test(every_trap_is_a_status_or_the_right_number),
        cmocka_unit_test(each_of_two_names_gets_its_own_row),
        cmocka_unit_test(damaged_bytes_never_give_another_number_for_a_whole_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

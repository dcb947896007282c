// SPDX-License-Identifier: GPL-3.0-or-later
// The parser of what a variant prints: only a whole answer is one.
#include "tests/unit/unit.h"

#include "runner/estimate/slices.h"

#define HEADER "slices 2 links 32 32 32 n 256 256 128 9 64 64 16 16 interrupts 1\n"
#define TICKS "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"
#define SLICE "s " TICKS " 16 0\n"
#define CHECK "c 4 100 900 101 0\n"

static struct slices slices;
static char why[160];

static int parse(const char *text, size_t length, size_t expected) {
    why[0] = '\0';
    return slices_parse(text, length, expected, &slices, why, sizeof why);
}

static void a_whole_answer_is_taken_number_by_number(void **state) {
    (void)state;
    static const char text[] = HEADER SLICE CHECK "s " TICKS " 9999999999999999999 65535\n"
                                                  "c 128 7 8 9 7\nnote flags 1024\nend 2\n";
    assert_int_equal(parse(text, sizeof text - 1, 2), 0);
    assert_int_equal(slices.count, 2);
    assert_int_equal(slices.links[SEGMENT_imul], 32);
    assert_int_equal(slices.n[SEGMENT_add], 256);
    assert_int_equal(slices.n[SEGMENT_loop], 9);
    assert_int_equal(slices.n[SEGMENT_watch_after], 16);
    assert_true(slices.sees_interrupts);
    const struct slice *first = &slices.slices[0], *second = &slices.slices[1];
    assert_int_equal(first->ticks[SEGMENT_rol][1], 4);
    assert_int_equal(first->ticks[SEGMENT_loop][0], 7);
    assert_int_equal(first->ticks[SEGMENT_width_before][0], 9);
    assert_int_equal(first->ticks[SEGMENT_watch_after][1], 16);
    assert_int_equal(first->interrupted, 0);
    assert_int_equal(first->check.times, 4);
    assert_int_equal(first->check.ticks[CHECK_before], 100);
    assert_int_equal(first->check.ticks[CHECK_loop], 900);
    assert_int_equal(first->check.ticks[CHECK_after], 101);
    assert_true(second->ticks[SEGMENT_watch_after][1] == 9999999999999999999U);
    assert_int_equal(second->interrupted, 65535);
    assert_int_equal(second->check.times, 128);
    assert_int_equal(second->check.interrupted, 7);
    assert_int_equal(slices.flags_left, 0x400);
    slices_free(&slices);
}

// Where quiet moments or time were short; watch segments are not wanted by every loop.
static void fewer_slices_than_were_asked_for_are_an_answer(void **state) {
    (void)state;
    static const char text[] =
        "slices 2 links 32 32 32 n 256 256 128 9 64 64 0 0 interrupts 0\n" SLICE "end 200\n";
    assert_int_equal(parse(text, sizeof text - 1, 200), 0);
    assert_int_equal(slices.count, 1);
    assert_int_equal(slices.slices[0].check.times, 0);
    assert_int_equal(slices.n[SEGMENT_watch_before], 0);
    assert_false(slices.sees_interrupts);
    slices_free(&slices);
}

// 2 slices are expected of each.
static const struct {
    const char *text;
    size_t length;
    const char *why;
} malformed[] = {
#define TEXT(literal, why)                                                                         \
    { literal, sizeof(literal) - 1, why }
    TEXT("", "no end mark"),
    TEXT("slices 2", "no end mark"),
    TEXT(HEADER, "no end mark"),
    TEXT(HEADER SLICE SLICE, "no end mark"),
    TEXT(HEADER SLICE SLICE "end 2", "no end mark"),
    TEXT(HEADER SLICE "s " TICKS, "no end mark"),
    TEXT("end 2\n", "unexpected output: 'end 2'"),
    TEXT(HEADER "end 2\n", "unexpected output: 'end 2'"),
    TEXT(HEADER CHECK SLICE "end 2\n", "unexpected output: 'c 4 100"),
    TEXT(HEADER SLICE CHECK CHECK SLICE "end 2\n", "unexpected output"),
    TEXT(HEADER SLICE "c 2 100 900 101 0\nend 2\n", "unexpected output"),
    TEXT(HEADER SLICE "c 4 100 900 101 8\nend 2\n", "unexpected output"),
    TEXT(HEADER SLICE "c 4 100 900 101\nend 2\n", "unexpected output"),
    TEXT(HEADER SLICE "c 4294967296 100 900 101 0\nend 2\n", "unexpected output"),
    TEXT(HEADER SLICE SLICE "end 3\n", "unexpected output: 'end 3'"),
    TEXT(HEADER SLICE SLICE SLICE "end 2\n", "unexpected output: 's 1 2"),
    TEXT(HEADER SLICE SLICE "end 2\nend 2\n", "more output behind the end mark"),
    TEXT(HEADER SLICE SLICE "end 2\nx", "more output behind the end mark"),
    TEXT(HEADER SLICE SLICE "end 2 \n", "unexpected output: 'end 2 '"),
    TEXT(HEADER SLICE SLICE "end -2\n", "unexpected output"),
    TEXT(HEADER HEADER SLICE SLICE "end 2\n", "unexpected output: 'slices 2"),
    TEXT(HEADER "s " TICKS " 16\n" SLICE "end 2\n", "unexpected output"),
    TEXT(HEADER "s " TICKS " 16 0 0\n" SLICE "end 2\n", "unexpected output"),
    TEXT(HEADER "s " TICKS " 16 65536\n" SLICE "end 2\n", "unexpected output"),
    TEXT(HEADER "s " TICKS " -16 0\n" SLICE "end 2\n", "unexpected output"),
    TEXT(HEADER "s " TICKS " 016 0\n" SLICE "end 2\n", "unexpected output"),
    TEXT(HEADER "s " TICKS " 16.0 0\n" SLICE "end 2\n", "unexpected output"),
    TEXT(HEADER "s " TICKS "  16 0\n" SLICE "end 2\n", "unexpected output"),
    TEXT(HEADER "s " TICKS " 16 0 \n" SLICE "end 2\n", "unexpected output"),
    TEXT(HEADER "s " TICKS " 18446744073709551616 0\n" SLICE "end 2\n", "unexpected output"),
    TEXT(HEADER "s 1 2 3 4\0 5" TICKS " 16 0\n" SLICE "end 2\n",
         "unexpected output: 's 1 2 3 4? 5"),
    TEXT(HEADER "\n" SLICE SLICE "end 2\n", "unexpected output: ''"),
    TEXT("hello\n" HEADER SLICE SLICE "end 2\n", "unexpected output: 'hello'"),
    TEXT("\x1b[2J\xff\n" HEADER, "unexpected output: '?[2J?'"),
    TEXT("slices 1 links 32 32 32 n 256 256 128 9\n", "unexpected output: 'slices 1"),
    TEXT("slices 3 links 32 32 32 n 256 256 128 9 64 64 16 16 interrupts 1\n",
         "unexpected output: 'slices 3"),
    TEXT("slices 2 links 32 32 32 n 256 256 128 9 64 64 16 interrupts 1\n", "unexpected output"),
    TEXT("slices 2 links 32 32 32 n 256 256 128 9 64 64 16 16 16 interrupts 1\n",
         "unexpected output"),
    TEXT("slices 2 links 32 0 32 n 256 256 128 9 64 64 16 16 interrupts 1\n", "unexpected output"),
    TEXT("slices 2 links 32 32 32 n 256 256 128 0 64 64 16 16 interrupts 1\n", "unexpected output"),
    TEXT("slices 2 links 32 32 32 n 256 256 128 9 0 64 16 16 interrupts 1\n", "unexpected output"),
    TEXT("slices 2 links 32 32 32 n 256 256 128 4294967296 64 64 16 16 interrupts 1\n",
         "unexpected output"),
    TEXT("slices 2 links 32 32 32 n 256 256 128 9 64 64 16 16 interrupts 2\n", "unexpected output"),
    TEXT(HEADER SLICE SLICE "note flags\nend 2\n", "unexpected output: 'note flags'"),
    TEXT("error rsp\n", "did not leave RSP as it found it"),
    TEXT("error canary\n", "overwrote the stack"),
    TEXT("error stamp\n", "by a jump past the place"),
    TEXT("error syscall 57\n",
         "system call 57 (fork), which its sweep does not declare: syscalls = "
         "[\"fork\"]"),
    TEXT("error syscall 9999\n", "system call 9999, which there is not"),
    TEXT("error syscall 057\n", "unexpected output: 'error syscall 057'"),
    TEXT("error int80 2\n", "system call 2 by int $0x80, which none may"),
    TEXT("note setup 9000000\n", "no end mark"),
    TEXT("note setup 09\n", "unexpected output: 'note setup 09'"),
    TEXT("note setup 9\nnote setup 9\n" HEADER SLICE SLICE "end 2\n",
         "unexpected output: 'note setup 9'"),
    TEXT("error fault 11 13 1 5 0\n",
         "died of SIGSEGV at byte 5 of the body: general protection: privileged (needs"),
    TEXT("error fault 11 14 0 0 16\n",
         "died of SIGSEGV at byte 0 of setup: no such memory at 0x10"),
    TEXT("error fault 4 6 3 0 0\n", "died of SIGILL outside of its section: invalid opcode"),
    TEXT("error fault 7 2 2 1 0\n", "died of SIGBUS at byte 1 of teardown"),
    TEXT("error fault 7 2 2 01 0\n", "unexpected output: 'error fault 7 2 2 01 0'"),
    TEXT("error fault 700 2 2 1 0\n", "unexpected output: 'error fault 700 2 2 1 0'"),
    TEXT(HEADER SLICE "error rsp\n", "did not leave RSP"),
    TEXT("note traps\n" HEADER SLICE SLICE "end 2\n", "unexpected output: 'note traps'"),
    TEXT(HEADER SLICE SLICE "note traps 1\nend 2\n", "unexpected output: 'note traps 1'"),
    TEXT("error cpl0 3\n", "runs only at CPL0"),
    TEXT("error pages 38\n", "the kernel has none here (ENOSYS)"),
    TEXT("error iteration 30000000\n", "an iteration takes 30000000 TSC ticks"),
    TEXT("error iopl 38\n", "iopl: ENOSYS"),
    TEXT("error iopl 1\n", "iopl: EPERM"),
    TEXT("error iopl 22\n", "unexpected output: 'error iopl 22'"),
#undef TEXT
};

static void every_malformed_shape_is_refused_with_its_reason(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(malformed); i++) {
        if (!parse(malformed[i].text, malformed[i].length, 2))
            fail_msg("taken: '%s'", malformed[i].text);
        if (!strstr(why, malformed[i].why))
            fail_msg("'%s': %s, not '%s'", malformed[i].text, why, malformed[i].why);
        assert_null(slices.slices);
        assert_int_equal(slices.count, 0);
    }
}

static void what_the_kernel_does_in_the_loops_place_is_told(void **state) {
    (void)state;
    static const char traps[] = HEADER SLICE SLICE "note traps\nend 2\n",
                      sleeps[] = HEADER SLICE SLICE "note sleeps\nend 2\n",
                      waits[] = HEADER SLICE SLICE "note waits\nend 2\n",
                      neither[] = "note setup 9000000\n" HEADER SLICE SLICE "end 2\n";
    assert_int_equal(parse(traps, sizeof traps - 1, 2), 0);
    assert_contains(slices.emulated, "each iteration traps into the kernel");
    slices_free(&slices);
    assert_int_equal(parse(sleeps, sizeof sleeps - 1, 2), 0);
    assert_contains(slices.emulated, "puts the loop to sleep");
    slices_free(&slices);
    assert_int_equal(parse(waits, sizeof waits - 1, 2), 0);
    assert_contains(slices.emulated, "a system call of the loop waits");
    slices_free(&slices);
    assert_int_equal(parse(neither, sizeof neither - 1, 2), 0);
    assert_null(slices.emulated);
    slices_free(&slices);
}

static void numbers_that_became_subnormal_are_told(void **state) {
    (void)state;
    static const char sinks[] = HEADER SLICE SLICE "note subnormal 4096\nend 2\n",
                      minus[] = HEADER SLICE SLICE "note subnormal -1\nend 2\n";
    assert_int_equal(parse(sinks, sizeof sinks - 1, 2), 0);
    assert_int_equal(slices.subnormal, 4096);
    slices_free(&slices);
    assert_int_equal(parse(minus, sizeof minus - 1, 2), -1);
}

static void a_long_setup_is_told_before_the_end(void **state) {
    (void)state;
    static const char cut[] = "note setup 9000000\n" HEADER "s 1 2", other[] = HEADER SLICE;
    assert_int_equal(slices_long_setup(cut, sizeof cut - 1), 9000000);
    assert_int_equal(slices_long_setup(other, sizeof other - 1), 0);
    assert_int_equal(slices_long_setup("note setup 1", 12), 0);
}

static void a_long_line_of_rubbish_is_quoted_short(void **state) {
    (void)state;
    char text[5000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\n';
    assert_int_equal(parse(text, sizeof text, 2), -1);
    assert_true(strlen(why) < 100);
    assert_contains(why, "xxx'...");
}

static void every_cut_of_a_whole_answer_is_refused(void **state) {
    (void)state;
    static const char text[] = HEADER SLICE SLICE "end 2\n";
    for (size_t length = 0; length < sizeof text - 1; length++)
        assert_int_equal(parse(text, length, 2), -1);
    assert_int_equal(parse(text, sizeof text - 1, 2), 0);
    slices_free(&slices);
}

static void the_end_mark_alone_is_exact(void **state) {
    (void)state;
    assert_int_equal(slices_parse_end("end 100\n", 8, 100, why, sizeof why), 0);
    assert_int_equal(slices_parse_end("end 100\n", 8, 101, why, sizeof why), -1);
    assert_int_equal(slices_parse_end("end 100", 7, 100, why, sizeof why), -1);
    assert_contains(why, "no end mark");
    assert_int_equal(slices_parse_end("end 100\nx", 9, 100, why, sizeof why), -1);
    assert_int_equal(slices_parse_end("", 0, 100, why, sizeof why), -1);
}

static void flags_left_changed_are_named(void **state) {
    (void)state;
    char text[64], small[8];
    slices_describe_flags(0, text, sizeof text);
    assert_string_equal(text, "");
    slices_describe_flags(0x400, text, sizeof text);
    assert_string_equal(text, "leaves DF changed");
    slices_describe_flags(0x244600, text, sizeof text);
    assert_string_equal(text, "leaves IF, DF, NT, AC, ID changed");
    slices_describe_flags(0x244600, small, sizeof small);
    assert_string_equal(small, "leaves ");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_answer_is_taken_number_by_number),
        cmocka_unit_test(fewer_slices_than_were_asked_for_are_an_answer),
        cmocka_unit_test(every_malformed_shape_is_refused_with_its_reason),
        cmocka_unit_test(what_the_kernel_does_in_the_loops_place_is_told),
        cmocka_unit_test(numbers_that_became_subnormal_are_told),
        cmocka_unit_test(a_long_setup_is_told_before_the_end),
        cmocka_unit_test(a_long_line_of_rubbish_is_quoted_short),
        cmocka_unit_test(every_cut_of_a_whole_answer_is_refused),
        cmocka_unit_test(the_end_mark_alone_is_exact),
        cmocka_unit_test(flags_left_changed_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "runner/disassemble/disassembly.h"

#include <stdio.h>
#include <string.h>

// What GNU objdump 2.40 prints for `-d -w --no-show-raw-insn -j .loop` and two files.
static const char two_files[] = "\n"
                                "build/my sweep/bin/a.x:     file format elf64-x86-64\n"
                                "\n\n"
                                "Disassembly of section .loop:\n"
                                "\n"
                                "0000000000800000 <loop_begin>:\n"
                                "  800000:\tpush   %rbx\n"
                                "  800001:\tpopf\n"
                                "  800002:\tlea    (%rbx,%rdx,1),%rbx\n"
                                "  800006:\tdec    %eax\n"
                                "  800008:\tjne    800000 <loop_begin>\n"
                                "\n"
                                "000000000080000a <loop_end>:\n"
                                "  80000a:\tjmp    400100 <loop_return>\n"
                                "\n"
                                "build/my sweep/bin/b.y:     file format elf64-x86-64\n"
                                "\n\n"
                                "Disassembly of section .loop:\n"
                                "\n"
                                "0000000000800000 <loop_setup>:\n"
                                "  800000:\tmov    0x10(%rip),%rax        # 800017 <x>\n"
                                "\t...\n"
                                "  800040:\tlock addl $0x1,(%rax)\n";

static void each_file_has_its_own_instructions(void **state) {
    (void)state;
    struct disassembly disassembly;
    struct error error;
    assert_int_equal(disassembly_parse(two_files, strlen(two_files), &disassembly, &error), 0);
    assert_int_equal(disassembly.count, 2);
    const struct listing *a = &disassembly.listings[0], *b = &disassembly.listings[1];
    assert_string_equal(a->path, "build/my sweep/bin/a.x");
    assert_int_equal(a->count, 6);
    assert_string_equal(a->instructions[1].text, "popfq");
    assert_int_equal(a->instructions[4].address, 0x800008);
    assert_string_equal(a->instructions[4].text, "jnz");
    assert_int_equal(a->instructions[4].target, 0x800000);
    assert_int_equal(a->instructions[0].target, 0);
    assert_string_equal(b->path, "build/my sweep/bin/b.y");
    assert_int_equal(b->count, 2);
    assert_string_equal(b->instructions[0].text, "mov 0x10(%rip),%rax");
    disassembly_free(&disassembly);
}

// Of plain bytes objdump writes targets with 0x, and where the memory of an operand lies.
static void targets_in_plain_bytes_are_found(void **state) {
    static const char text[] =
        "/proc/1/fd/3:     file format binary\n\n\nDisassembly of section .data:\n\n"
        "ffffffff81527580 <.data>:\n"
        "ffffffff81527580:\tcall   0xffffffff8110410b\n"
        "ffffffff81527585:\tcall   *0x302010(%rip)        # 0xffffffff8182959b\n"
        "ffffffff8152758b:\tje     0xffffffff81527580\n";
    static const uint64_t targets[] = {0xffffffff8110410b, 0, 0xffffffff81527580};
    struct disassembly disassembly;
    struct error error;
    (void)state;
    assert_int_equal(disassembly_parse(text, sizeof text - 1, &disassembly, &error), 0);
    assert_int_equal(disassembly.listings[0].count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(disassembly.listings[0].instructions[i].target, targets[i]);
    disassembly_free(&disassembly);
}

static void no_output_is_no_file(void **state) {
    (void)state;
    struct disassembly disassembly;
    struct error error;
    assert_int_equal(disassembly_parse("", 0, &disassembly, &error), 0);
    assert_int_equal(disassembly.count, 0);
    disassembly_free(&disassembly);
}

static void a_strange_line_is_named(void **state) {
    (void)state;
    static const char *const strange[] = {"what is this?", "  80zz00:\tnop", ":\tnop",
                                          "  800000 nop", "  12345678123456789:\tnop"};
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
        char text[200];
        struct disassembly disassembly;
        struct error error = {0};
        snprintf(text, sizeof text, "\na:     file format elf64-x86-64\n%s\n", strange[i]);
        assert_int_equal(disassembly_parse(text, strlen(text), &disassembly, &error), -1);
        assert_non_null(strstr(error.text, "output of objdump:3:"));
        assert_non_null(strstr(error.text, strange[i]));
        assert_int_equal(disassembly.count, 0);
    }
}

static void an_instruction_before_any_file_is_an_error(void **state) {
    (void)state;
    const char *text = "  800000:\tnop\n";
    struct disassembly disassembly;
    struct error error;
    assert_int_equal(disassembly_parse(text, strlen(text), &disassembly, &error), -1);
}

static void one_instruction_has_one_spelling(void **state) {
    (void)state;
    static const struct {
        const char *objdump, *canonical;
        size_t mnemonic;
        int jump;
    } cases[] = {
        {"popf", "popfq", 5, 0},
        {"pushf", "pushfq", 6, 0},
        {"jne    800000 <loop_begin>", "jnz", 3, 1},
        {"je     800000", "jz", 2, 1},
        {"jae    800000", "jnc", 3, 1},
        {"jb,pn  800000 <x>", "jc", 2, 1},
        {"jmp    *%rax", "jmp *%rax", 3, 1},
        {"call   401000 <f>", "call", 4, 1},
        {"ret", "ret", 3, 1},
        {"bnd jmp 401000 <f>", "bnd jmp", 7, 1},
        {"lea    (%rbx,%rdx,1),%rbx", "lea (%rbx,%rdx,1),%rbx", 3, 0},
        {"lock addl $0x1,(%rax)", "lock addl $0x1,(%rax)", 9, 0},
        {"rep stos %al,%es:(%rdi)", "rep stos %al,%es:(%rdi)", 8, 0},
        {"cs nopw 0x0(%rax,%rax,1)", "cs nopw 0x0(%rax,%rax,1)", 7, 0},
        {"mov    0x0,%rax        # 10 <x>", "mov 0x0,%rax", 3, 0},
        {"lock", "lock", 4, 0},
        {"", "", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[CANONICAL_SIZE];
        canonical_text(cases[i].objdump, strlen(cases[i].objdump), text);
        assert_string_equal(text, cases[i].canonical);
        assert_int_equal(canonical_mnemonic(text), cases[i].mnemonic);
        assert_int_equal(canonical_is_jump(text), cases[i].jump);
    }
}

static void a_long_instruction_is_cut_and_not_overrun(void **state) {
    (void)state;
    char text[CANONICAL_SIZE + 8], in[400];
    memset(text, 'x', sizeof text);
    memset(in, 'a', sizeof in);
    canonical_text(in, sizeof in, text);
    assert_int_equal(strlen(text), CANONICAL_SIZE - 1);
    assert_int_equal(text[CANONICAL_SIZE], 'x');
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_file_has_its_own_instructions),
        cmocka_unit_test(targets_in_plain_bytes_are_found),
        cmocka_unit_test(no_output_is_no_file),
        cmocka_unit_test(a_strange_line_is_named),
        cmocka_unit_test(an_instruction_before_any_file_is_an_error),
        cmocka_unit_test(one_instruction_has_one_spelling),
        cmocka_unit_test(a_long_instruction_is_cut_and_not_overrun),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

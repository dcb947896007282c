// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "runner/disassemble/loop_text.h"

#include <stdlib.h>

static void mix_counts_in_order_of_first_appearance(void **state) {
    (void)state;
    const struct instruction loop[] = {{0, 0, "cli"},       {1, 0, "cli"},
                                       {2, 0, "push %rbx"}, {3, 0, "push %rcx"},
                                       {4, 0, "cli"},       {5, 0, "lock addl $0x1,(%rax)"},
                                       {9, 0, "dec %eax"},  {11, 0, "jnz"}};
    char *mix = loop_text_mix(loop, 8);
    assert_string_equal(mix, "3*cli+2*push+1*lock addl+1*dec+1*jnz");
    free(mix);
}

static void order_is_runs_of_equal_instructions(void **state) {
    (void)state;
    const struct instruction loop[] = {
        {0, 0, "cli"}, {1, 0, "cli"}, {2, 0, "push %rbx"}, {3, 0, "push %rcx"}};
    char *order = loop_text_order(loop, 4);
    assert_string_equal(order, "2*cli; push %rbx; push %rcx");
    free(order);
    order = loop_text_order(loop, 0);
    assert_string_equal(order, "");
    free(order);
}

struct triple {
    const char *claimed, *found, *difference;
};

static void mixes_differ_by_counts_and_never_by_order(void **state) {
    (void)state;
    static const struct triple cases[] = {
        {"1*a+2*b", "2*b+1*a", ""},
        {"27*cli+1*sti", "26*cli+2*sti",
         "claimed 27*cli, found 26*cli, claimed 1*sti, found 2*sti"},
        {"1*a", "1*a+1*nop", "found 1*nop, not claimed"},
        {"1*a+1*nop", "1*a", "claimed 1*nop, found none"},
        {"1*push", "1*pushfq", "claimed 1*push, found none, found 1*pushfq, not claimed"},
        {"1*a", "11*a", "claimed 1*a, found 11*a"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = loop_text_mix_difference(cases[i].claimed, cases[i].found);
        assert_string_equal(text, cases[i].difference);
        free(text);
    }
}

static void orders_part_at_the_first_instruction_that_differs(void **state) {
    (void)state;
    static const struct triple cases[] = {
        {"27*cli; sti; dec %eax; jnz", "27*cli; sti; dec %eax; jnz", ""},
        {"3*nop", "nop; 2*nop", ""},
        {"27*cli; sti", "26*cli; sti; cli", "instruction 27: claimed cli, found sti"},
        {"2*cli", "cli", "instruction 2: claimed cli, found none"},
        {"cli", "2*cli", "instruction 2: claimed none, found cli"},
        {"push %rbx; popfq", "push %rcx; popfq",
         "instruction 1: claimed push %rbx, found push %rcx"},
        {"jmp *%rax", "jmp *%rcx", "instruction 1: claimed jmp *%rax, found jmp *%rcx"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = loop_text_order_difference(cases[i].claimed, cases[i].found);
        assert_string_equal(text, cases[i].difference);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mix_counts_in_order_of_first_appearance),
        cmocka_unit_test(order_is_runs_of_equal_instructions),
        cmocka_unit_test(mixes_differ_by_counts_and_never_by_order),
        cmocka_unit_test(orders_part_at_the_first_instruction_that_differs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

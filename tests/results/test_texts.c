// SPDX-License-Identifier: GPL-3.0-or-later
// Mixes, items, contexts and generations as text.
#include "common/generation.h"
#include "results/context.h"
#include "results/item.h"
#include "results/mix.h"
#include "results/published.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void a_mix_is_read_and_its_loop_taken_out(void **state) {
    (void)state;
    struct mix mix;
    assert_int_equal(mix_parse("27*cli+1*sti+1*dec+1*jnz", &mix), 0);
    assert_true(mix_strip_loop(&mix));
    assert_int_equal(mix.terms, 2);
    assert_float_equal(mix_count(&mix, "cli"), 27, 0);
    assert_float_equal(mix_count(&mix, "dec"), 0, 0);
}

static void text_that_is_no_mix_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"",       "cli",   "0*cli",        "-1*cli",  "1*",
                                      "1*cli+", "x*cli", "1*cli,1*sti+", "nan*cli", "inf*cli"};
    struct mix mix;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(mix_parse(bad[i], &mix), -1);
}

static void a_loop_of_another_shape_is_not_stripped(void **state) {
    (void)state;
    struct mix mix;
    mix_parse("4*nop+1*loop", &mix);
    assert_false(mix_strip_loop(&mix));
    assert_int_equal(mix.terms, 2);
}

static void groups_with_runs_count_each_instruction(void **state) {
    (void)state;
    struct mix group, mix;
    assert_int_equal(mix_of_group("4*add %rdx,%rbx; push %rbx; popfq", 4, &group), 0);
    mix_parse("4*push+16*add+4*popfq", &mix);
    assert_true(mix_equal(&group, &mix));
    mix_parse("4*push+16*add+3*popfq", &mix);
    assert_false(mix_equal(&group, &mix));
}

static void a_prefix_belongs_to_the_mnemonic(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"lock incq (%rbx)", "4*lock incq"},
        {"rep movsb", "4*rep movsb"},
        {"rep", "4*rep"},
        {"2*lock incq (%rbx); cli", "8*lock incq+4*cli"},
        {"repeat 1", "4*repeat"},
    };
    struct mix group, mix;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_int_equal(mix_of_group(pairs[i][0], 4, &group), 0);
        assert_int_equal(mix_parse(pairs[i][1], &mix), 0);
        assert_true(mix_equal(&group, &mix));
    }
}

static void parentheses_hold_instructions_that_come_again_and_again(void **state) {
    (void)state;
    static const char *const bad[] = {"8*(cli; sti", "cli; sti)", "2*(cli; (sti)", ")", "3*"};
    static const char *const pairs[][2] = {
        {"8*(cli; sti)", "8*cli+8*sti"},
        {"(cli)", "1*cli"},
        {"4*(rol $0x7,%rbx; ror $0x7,%rbx); push %rbx; popfq", "4*rol+4*ror+1*push+1*popfq"},
        {"2*(and %rdx,%rbx; mov 0xa00000(%rbx),%rbx);cli", "2*and+2*mov+1*cli"},
        {"2*(nop; 3*( lock incq (%rbx) );sti) ; cli", "2*nop+6*lock incq+2*sti+1*cli"},
    };
    struct mix group, mix;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_int_equal(mix_of_group(pairs[i][0], 1, &group), 0);
        assert_int_equal(mix_parse(pairs[i][1], &mix), 0);
        assert_true(mix_equal(&group, &mix));
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(mix_of_group(bad[i], 1, &group), -1);
    assert_int_equal(mix_of_group("mov %rdx,(%rbx); 2*lea (%rbx,%rdx,1),%rbx", 4, &group), 0);
    mix_parse("4*mov+8*lea", &mix);
    assert_true(mix_equal(&group, &mix));
}

static void items_become_general_as_published_figures_name_them(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"push %rbx; popfq", "push r64;popfq"},
        {"push r64;popfq", "push r64;popfq"},
        {"imul %rbx,%rbx", "imul r64,r64"},
        {"add $0x1,%rbx", "add $imm8,r64"},
        {"pushfq; pop %rcx", "pushfq;pop r64"},
        {"cli", "cli"},
        {"push %rbx; pop %rcx", "push r64;pop r64"},
        {"27*cli; sti", "27*cli;sti"},
        {"mov %rdx, 64(%r12); lea (%rbx,%rdx,1),%rbx", "mov r64,64(%r12);lea (%rbx,%rdx,1),r64"},
        {"and $imm8,r64;add $0x80,%rbx", "and $imm8,r64;add $imm32,r64"},
        {"and $-128,%rbx", "and $imm8,r64"},
        {"mov $0xffffffffffffffff,%r9", "mov $imm8,r64"},
        {"mov $0x123456789a,%r9", "mov $imm64,r64"},
        {"mov $place,%r9", "mov $imm,r64"}};
    char text[64];
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        item_general(pairs[i][0], text, sizeof text);
        assert_string_equal(text, pairs[i][1]);
    }
}

static void registers_keep_their_width_and_kind(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"add %dl,%dl", "add r8,r8"},
        {"add %r9b,%r9b", "add r8,r8"},
        {"add %dx,%dx", "add r16,r16"},
        {"add %r15w,%r15w", "add r16,r16"},
        {"add %edx,%edx", "add r32,r32"},
        {"add %r8d,%r8d", "add r32,r32"},
        {"add %r8,%r8", "add r64,r64"},
        {"addps %xmm0,%xmm0", "addps xmm,xmm"},
        {"vpaddd %ymm0,%ymm0,%ymm0", "vpaddd ymm,ymm,ymm"},
        {"vpaddd %zmm10,%zmm10,%zmm10{%k1}", "vpaddd zmm,zmm,zmm{k}"},
        {"knotw %k1,%k1", "knotw k,k"},
        {"paddb %mm3,%mm3", "paddb mm,mm"},
        {"mov %ds,%eax", "mov sreg,r32"},
        {"mov %cr0,%rax", "mov cr,r64"},
        {"fadd %st(1),%st", "fadd st(1),st"},
        {"shl %cl,%rbx", "shl r8,r64"},
        {"foo %strange", "foo %strange"}};
    char text[64];
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        item_general(pairs[i][0], text, sizeof text);
        assert_string_equal(text, pairs[i][1]);
    }
}

static void only_a_register_with_itself_is_the_chain(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"imul %rdx,%rdx", "imul r64,r64"},
        {"imul %rsi,%rdx", "imul r64.1,r64.2"},
        {"vpaddd %xmm0,%xmm1,%xmm1", "vpaddd xmm.1,xmm.2,xmm.2"},
        {"add %rax,%rbx; add %rbx,%rbx", "add r64.1,r64.2;add r64,r64"},
        {"add (%rsi,%rdi),%rbx", "add (%rsi,%rdi),r64"}};
    char text[64];
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        item_general(pairs[i][0], text, sizeof text);
        assert_string_equal(text, pairs[i][1]);
    }
}

static void a_body_is_held_against_its_item(void **state) {
    (void)state;
    assert_true(
        body_holds_only("push %rbx; popfq; push %rcx; popfq; dec %eax; jnz", "push r64;popfq"));
    assert_true(body_holds_only("popfq; 3*pushfq; popfq; pushfq; dec %eax; jnz", "pushfq;popfq"));
    assert_false(body_holds_only("2*add %edx,%edx; dec %eax; jnz", "add r64,r64"));
    assert_false(body_holds_only("2*imul %rsi,%rdx; dec %eax; jnz", "imul r64,r64"));
    assert_false(body_holds_only("push %rbx; pop %rcx; nop; dec %eax; jnz", "push r64;pop r64"));
    assert_true(body_repeats_one("64*imul %rbx,%rbx; dec %eax; jnz"));
    assert_false(body_repeats_one("imul %rbx,%rbx; imul %rcx,%rcx; dec %eax; jnz"));
    assert_false(body_repeats_one("dec %eax; jnz"));
}

static void a_long_item_is_cut_and_not_overrun(void **state) {
    (void)state;
    char text[8];
    item_general("push %rbx; popfq; push %rbx; popfq", text, sizeof text);
    assert_true(text[7] == '\0');
}

static void contexts_are_read_by_key(void **state) {
    (void)state;
    char value[16];
    assert_true(context_get("if=1->0;bits=df", "bits", value, sizeof value));
    assert_string_equal(value, "df");
    assert_false(context_get("if=1->0;bits=df", "bit", value, sizeof value));
    assert_string_equal(value, "");
}

static void a_change_of_flags_is_seen(void **state) {
    (void)state;
    assert_false(context_changes_flags(""));
    assert_false(context_changes_flags("if=1->1;bits=none"));
    assert_true(context_changes_flags("if=1->1;bits=df"));
    assert_true(context_changes_flags("if=0->1"));
    assert_true(context_changes_flags("if=1->0->1"));
    assert_true(context_same_change("", "if=1->1;groups=1"));
    assert_true(context_same_change("if=0->1;x=1", "if=0->1"));
    assert_false(context_same_change("if=0->1", "if=1->0"));
    assert_false(context_same_change("if=0->1", "if=1->1"));
}

static void a_context_that_says_less_is_within_one_that_says_more(void **state) {
    (void)state;
    assert_true(context_within("", "a=1"));
    assert_true(context_within("if=1->1", "filler=nop;if=1->1"));
    assert_false(context_within("if=1", "if=1->1"));
    assert_false(context_within("if=1->1;filler=add", "if=1->1;filler=nop"));
}

static void a_generation_is_named_by_the_map_only(void **state) {
    (void)state;
    assert_string_equal(generation_name("AuthenticAMD", "26", "2", ""), "Zen 5");
    assert_string_equal(generation_name("AuthenticAMD", "25", "17", ""), "Zen 4");
    assert_string_equal(generation_name("AuthenticAMD", "25", "33", ""), "Zen 3");
    assert_string_equal(generation_name("GenuineIntel", "6", "151", "E"), "Alder Lake E");
    assert_string_equal(generation_name("GenuineIntel", "6", "151", ""), "");
    assert_string_equal(generation_name("GenuineIntel", "26", "2", ""), "");
    assert_string_equal(generation_name("AuthenticAMD", "x", "2", ""), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mix_is_read_and_its_loop_taken_out),
        cmocka_unit_test(text_that_is_no_mix_is_refused),
        cmocka_unit_test(a_loop_of_another_shape_is_not_stripped),
        cmocka_unit_test(groups_with_runs_count_each_instruction),
        cmocka_unit_test(a_prefix_belongs_to_the_mnemonic),
        cmocka_unit_test(parentheses_hold_instructions_that_come_again_and_again),
        cmocka_unit_test(items_become_general_as_published_figures_name_them),
        cmocka_unit_test(registers_keep_their_width_and_kind),
        cmocka_unit_test(only_a_register_with_itself_is_the_chain),
        cmocka_unit_test(a_body_is_held_against_its_item),
        cmocka_unit_test(a_long_item_is_cut_and_not_overrun),
        cmocka_unit_test(contexts_are_read_by_key),
        cmocka_unit_test(a_change_of_flags_is_seen),
        cmocka_unit_test(a_context_that_says_less_is_within_one_that_says_more),
        cmocka_unit_test(a_generation_is_named_by_the_map_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

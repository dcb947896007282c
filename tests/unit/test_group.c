// SPDX-License-Identifier: GPL-3.0-or-later
// A group against the body that holds it, with the assembler's readings made by hand.
#include "runner/prove/group.h"

#include "tests/unit/unit.h"

// Compare, where the assembler takes `written` as `att`, or `intel` in its syntax, and all other
// items as they stand. What is wrong, or how the group is spelt; the caller frees it.
static char *compared(const char *text, const char *order, long copies, const char *written,
                      const char *att, const char *intel) {
    struct group group;
    char *spelt;
    assert_int_equal(group_read(text, &group), 0);
    for (size_t i = 0; i < group.count; i++) {
        struct group_item *item = &group.item[i];
        bool other = strcmp(item->text, written) == 0;
        snprintf(item->reading.text[SYNTAX_ATT], CANONICAL_SIZE, "%s", other ? att : item->text);
        snprintf(item->reading.text[SYNTAX_INTEL], CANONICAL_SIZE, "%s", other ? intel : "");
    }
    char *wrong = group_compare(&group, order, copies, &spelt);
    group_free(&group);
    return wrong ? wrong : spelt;
}

static void is(char *found, const char *wanted) {
    assert_string_equal(found, wanted);
    free(found);
}

static void a_group_that_stands_there_is_spelt_as_the_body_is(void **unused) {
    (void)unused;
    is(compared("push %rbx; popfq", "push %rbx; popfq; push %rcx; popfq; dec %eax; jnz", 2, "", "",
                ""),
       "push %rbx; popfq");
    is(compared("27*cli; sti", "27*cli; sti; dec %eax; jnz", 1, "", "", ""), "27*cli; sti");
    is(compared("2*(rol $7,%rbx; nop)", "rol $0x7,%rbx; nop; rol $0x7,%rbx; nop; dec %eax; jnz", 1,
                "", "", ""),
       "2*(rol $7,%rbx; nop)");
    is(compared("addq $1, %rdx", "4*add $0x1,%rdx; dec %eax; jnz", 4, "addq $1,%rdx",
                "add $0x1,%rdx", ""),
       "add $0x1,%rdx");
    is(compared("add rdx, 1", "4*add $0x1,%rdx; dec %eax; jnz", 4, "add rdx,1", "",
                "add $0x1,%rdx"),
       "add $0x1,%rdx");
    is(compared("pushf;  popf", "pushfq; popfq; dec %eax; jnz", 1, "", "", ""), "pushfq;  popfq");
    is(compared("test $0x200,%ebx; je 1f; nop", "test $0x200,%ebx; jz; nop; dec %eax; jnz", 1, "",
                "", ""),
       "test $0x200,%ebx; jz; nop");
    // Other instructions may stand between, of the same kind only if the text tells them apart.
    is(compared("add %rdx,%rbx", "add %rdx,%rbx; 8*add %rsi,%r8; dec %eax; jnz", 1, "", "", ""),
       "add %rdx,%rbx");
    is(compared("dec %eax", "2*dec %eax; jnz", 1, "", "", ""), "dec %eax");
    // %ymm1 is another register than %ymm14, though its name begins so.
    is(compared("vaddps %ymm0,%ymm2,%ymm4",
                "vaddps %ymm14,%ymm15,%ymm1; vaddps %ymm14,%ymm15,%ymm2; dec %eax; jnz", 2, "", "",
                ""),
       "vaddps %ymm0,%ymm2,%ymm4");
}

static void what_stands_there_more_or_less_often_is_wrong(void **unused) {
    (void)unused;
    is(compared("bswap %ebx", "16*bswap %ebx; dec %eax; jnz", 32, "", "", ""),
       "'bswap %ebx' stands 16 times in the body, and not 32 times (groups = 32)");
    is(compared("nop", "16*nop; dec %eax; jnz", 8, "", "", ""),
       "'nop' stands 16 times in the body, and not 8 times (groups = 8)");
    is(compared("bswap %rbx", "16*bswap %ebx; dec %eax; jnz", 16, "", "", ""),
       "'bswap %rbx' stands 0 times in the body, and not 16 times (groups = 16)");
    is(compared("imul %rbx,%rbx", "4*imul %rsi,%rdx; dec %eax; jnz", 4, "", "", ""),
       "'imul %rbx,%rbx' stands 0 times in the body, and not 4 times (groups = 4)");
    is(compared("mov (%rbx),%rdx", "4*mov %rdx,(%rbx); dec %eax; jnz", 4, "", "", ""),
       "'mov (%rbx),%rdx' stands 0 times in the body, and not 4 times (groups = 4)");
    is(compared("quick work", "4*nop; dec %eax; jnz", 1, "quick work", "", ""),
       "'quick work' is no instruction that the assembler takes and the body holds");
}

static void a_mnemonic_alone_stands_for_one_kind_of_operands(void **unused) {
    (void)unused;
    is(compared("4*mov; shl", "3*mov %r8,%r9; mov %rbx,%rcx; shl $0x3,%r9; dec %eax; jnz", 1, "",
                "", ""),
       "4*mov; shl");
    // A load and a store in each copy.
    is(compared("mov; mov",
                "mov (%rbx),%rdx; mov %rdx,(%rcx); mov 0x8(%rbx),%rdx; mov "
                "%rdx,0x8(%rcx); dec %eax; jnz",
                2, "", "", ""),
       "mov; mov");
    is(compared("mov", "2*mov (%rbx),%rdx; 2*mov %rdx,%rcx; dec %eax; jnz", 4, "", "", ""),
       "'mov' stands for operands of several kinds: 2*mov (%rbx),%rdx, 2*mov %rdx,%rcx");
}

static void what_is_no_list_is_not_read(void **unused) {
    struct group group;
    static const char *const lists[] = {"", ";", "2*(nop", "nop)", "99999999*nop"};
    (void)unused;
    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        assert_int_equal(group_read(lists[i], &group), -1);
        group_free(&group);
    }
}

static void another_name_of_a_mnemonic_is_asked_for_with_the_bodys_operands(void **unused) {
    static const char order[] = "4*movzbl %bl,%edx; dec %eax; jnz";
    struct group group;
    char **texts;
    (void)unused;
    assert_int_equal(group_read("movzx", &group), 0);
    size_t count = group_aliases(&group.item[0], order, &texts);
    assert_true(count > 0);
    assert_string_equal(texts[0], "movzx %bl,%edx");
    assert_true(group_alias_fits("movzbl %bl,%edx", order));
    assert_false(group_alias_fits("movzwl %bx,%edx", order));
    for (size_t i = 0; i < count; i++)
        free(texts[i]);
    free(texts);
    group_free(&group);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_that_stands_there_is_spelt_as_the_body_is),
        cmocka_unit_test(what_stands_there_more_or_less_often_is_wrong),
        cmocka_unit_test(a_mnemonic_alone_stands_for_one_kind_of_operands),
        cmocka_unit_test(what_is_no_list_is_not_read),
        cmocka_unit_test(another_name_of_a_mnemonic_is_asked_for_with_the_bodys_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

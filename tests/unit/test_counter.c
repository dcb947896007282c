// SPDX-License-Identifier: GPL-3.0-or-later
// Which instructions write EAX, as objdump's canonical text has them.
#include "runner/disassemble/counter.h"

#include "tests/unit/unit.h"

// What a body of several instructions, separated by "; ", does to the loop's count.
static enum counter_use use_in(const char *body, const char *step) {
    struct instruction instruction[16] = {0};
    const struct instruction *writer;
    size_t count = 0;
    for (size_t length; *body; body += length + 2 * (body[length] != '\0')) {
        length = strstr(body, "; ") ? (size_t)(strstr(body, "; ") - body) : strlen(body);
        snprintf(instruction[count++].text, CANONICAL_SIZE, "%.*s", (int)length, body);
    }
    return counter_use(instruction, count, step, &writer);
}

static int is_written_by(const char *text) {
    return use_in(text, "dec %eax") == COUNTER_LOST;
}

static void a_last_operand_or_an_unnamed_one_is_written(void **unused) {
    static const char *const writers[] = {"mov $0x7,%al",   "mov %r14d,%eax",
                                          "inc %rax",       "lea 0x8(%rbx),%rax",
                                          "mul %rbx",       "imul %rbx",
                                          "idivl (%rsi)",   "cpuid",
                                          "rdtsc",          "lods %ds:(%rsi),%al",
                                          "in (%dx),%al",   "lock cmpxchg %rbx,(%rsi)",
                                          "xchg %rax,%rbx", "xchg %rbx,%rax",
                                          "pop %rax",       "lock xadd %eax,(%rsi)",
                                          "cltq",           "mulx %rbx,%rax,%rcx",
                                          "sete %al",       "rep lods %ds:(%rsi),%eax",
                                          "lahf",           "xgetbv",
                                          "xchg %al,%ah",   "lock cmpxchg16b (%rsi)",
                                          "xor %eax,%eax",  "xlat %ds:(%rbx)",
                                          "rdtscp",         "cmovz %r8d,%eax"};
    (void)unused;
    for (size_t i = 0; i < COUNT_OF(writers); i++)
        if (!is_written_by(writers[i]))
            fail_msg("'%s' writes EAX", writers[i]);
}

static void what_reads_eax_or_knows_it_not_does_not(void **unused) {
    static const char *const readers[] = {"mov %eax,%r14d",
                                          "cmp $0x7,%eax",
                                          "test %al,%al",
                                          "bt $0x9,%eax",
                                          "push %rax",
                                          "nop",
                                          "mov %rbx,(%rax)",
                                          "add %rbx,%rbx",
                                          "imul %rcx,%rbx",
                                          "lea (%rax,%rax,1),%rbx",
                                          "scas %es:(%rdi),%al",
                                          "popfq",
                                          "stos %eax,%es:(%rdi)",
                                          "rep movsb %ds:(%rsi),%es:(%rdi)",
                                          "out %al,(%dx)",
                                          "jnz"};
    (void)unused;
    for (size_t i = 0; i < COUNT_OF(readers); i++)
        if (is_written_by(readers[i]))
            fail_msg("'%s' does not write EAX", readers[i]);
}

static void what_is_put_back_is_told_from_what_is_not(void **unused) {
    static const struct {
        const char *body;
        enum counter_use use;
    } cases[] = {{"mov %eax,%r8d; xor %eax,%eax; cpuid; mov %r8d,%eax", COUNTER_PUT_BACK},
                 {"mov %rax,%r8; mul %rbx; mov %r8,%rax", COUNTER_PUT_BACK},
                 {"push %rax; rdtsc; pop %rax", COUNTER_PUT_BACK},
                 {"mov %eax,0x1ff8(%rip); lahf; mov 0x1ff2(%rip),%eax", COUNTER_PUT_BACK},
                 {"movq %rax,%xmm1; rdtsc; movq %xmm1,%rax", COUNTER_PUT_BACK},
                 {"xchg %rax,%r8; mov $0x1,%r8d; xchg %rax,%r8", COUNTER_LOST},
                 {"xchg %rax,%r8; mov $0x1,%eax; xchg %rax,%r8", COUNTER_PUT_BACK},
                 {"bswap %eax; bswap %eax", COUNTER_PUT_BACK},
                 {"inc %eax; not %eax; not %eax; dec %eax", COUNTER_PUT_BACK},
                 {"add $0x7,%eax; sub $0x8,%eax", COUNTER_LOST},
                 {"bswap %eax; bswap %eax; bswap %eax", COUNTER_LOST},
                 {"mov %eax,%ebx; cpuid; mov %ebx,%eax", COUNTER_LOST}, // EBX is CPUID's, too
                 {"mov %eax,%r8d; inc %r8d; xor %eax,%eax; mov %r8d,%eax", COUNTER_LOST},
                 {"mov %al,%r8b; rdtsc; mov %r8b,%al", COUNTER_LOST},
                 {"xor %eax,%eax; mov %eax,%r8d; mov %r8d,%eax", COUNTER_LOST},
                 {"xchg %ax,%ax; nopw 0x0(%rax,%rax,1)", COUNTER_KEPT},
                 {"mov %eax,%r8d; mov %r8d,%ecx", COUNTER_KEPT}};
    (void)unused;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (use_in(cases[i].body, "dec %eax") != cases[i].use)
            fail_msg("%s", cases[i].body);
    assert_int_equal(use_in("mul %rbx", "dec %r15"), COUNTER_KEPT);
    assert_int_equal(use_in("mov %eax,%r15d", "dec %r15"), COUNTER_LOST);
    assert_int_equal(use_in("mul %rbx; mov %eax,%r15d", "decq 0xa01040"), COUNTER_KEPT);
    assert_int_equal(use_in("nop; movq $0x1,0xa01040", "decq 0xa01040"), COUNTER_LOST);
    assert_int_equal(use_in("lock add %rbx,0xa01040", "decq 0xa01040"), COUNTER_LOST);
    assert_int_equal(use_in("mov 0xa01040,%rbx; mov %rbx,0xa01048", "decq 0xa01040"), COUNTER_KEPT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_last_operand_or_an_unnamed_one_is_written),
        cmocka_unit_test(what_reads_eax_or_knows_it_not_does_not),
        cmocka_unit_test(what_is_put_back_is_told_from_what_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

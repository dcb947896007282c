// SPDX-License-Identifier: GPL-3.0-or-later
// Which instructions write EAX, as objdump's canonical text has them.
#include "runner/prove/instruction.h"

#include "tests/unit/unit.h"

static int is_written_by(const char *text) {
    struct instruction instruction = {0};
    snprintf(instruction.text, sizeof instruction.text, "%s", text);
    return counter_is_written(&instruction, 1);
}

static void a_last_operand_or_an_unnamed_one_is_written(void **unused) {
    static const char *const writers[] = {
        "mov $0x7,%al",   "mov %r14d,%eax",      "inc %rax",     "lea 0x8(%rbx),%rax",
        "mul %rbx",       "imul %rbx",           "idivl (%rsi)", "cpuid",
        "rdtsc",          "lods %ds:(%rsi),%al", "in (%dx),%al", "lock cmpxchg %rbx,(%rsi)",
        "xchg %rax,%rbx", "xchg %rbx,%rax",      "pop %rax",     "lock xadd %eax,(%rsi)",
        "cltq",           "mulx %rbx,%rax,%rcx", "sete %al",     "rep lods %ds:(%rsi),%eax"};
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_last_operand_or_an_unnamed_one_is_written),
        cmocka_unit_test(what_reads_eax_or_knows_it_not_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

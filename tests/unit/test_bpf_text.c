// SPDX-License-Identifier: GPL-3.0-or-later
// The loop of an object as text, and where it comes to lie. No kernel is asked.
#include "tests/unit/unit.h"

#include "runner/bpf/place.h"
#include "runner/bpf/text.h"

#include <stdbool.h>

static struct object object;

static void a_loop_reads_as_the_jit_makes_it(void **state) {
    (void)state;
    static const char *const expected[] = {
        "lock add %r14,0x0(%r13)",
        "lock xadd %r14,0x40(%r13)",
        "lock xchg %rax,-0x8(%r15)",
        "lock cmpxchg %rsi,0x0(%rdi)",
        "imul %r14,%r14",
        "add $0x5,%r13d",
        "shl $0x7,%rsi",
        "sub $0xffffffffffffffff,%rdx",
        "xor %edi,%edi",
        "mov 0x8(%r13),%r15",
        "mov %r15d,-0x4(%rbp)",
        "bpf_spin_lock", // its arguments are part of it
        "test %rax,%rax",
        "jnz",
        "empty",
        "dec %rbx",
        "jnz",
    };
    size_t count;
    char(*lines)[TEXT_SIZE] = text_of_loop(&object, &count);
    assert_non_null(lines);
    for (size_t i = 0; i < COUNT_OF(expected) && i < count; i++)
        assert_string_equal(lines[i], expected[i]);
    assert_int_equal(count, COUNT_OF(expected));
    free(lines);
}

static void an_instruction_without_a_text_is_told_by_its_number(void **state) {
    (void)state;
    struct bpf_insn *insn = &object.code[object.loop_begin + 4], before = *insn;
    size_t at;
    insn->code = BPF_ALU64 | BPF_NEG;
    assert_null(text_of_loop(&object, &at));
    assert_int_equal(at, object.loop_begin + 4);
    *insn = before;
}

// Offset 20: the loop is `nop; sub $1,%rbx; test %rbx,%rbx; jne` of either length.
static const uint8_t near_loop[] = {0x90, 0x48, 0x83, 0xeb, 0x01, 0x48, 0x85, 0xdb, 0x75, 0xf6};
static const uint8_t far_loop[] = {0x90, 0x48, 0x83, 0xeb, 0x01, 0x48, 0x85,
                                   0xdb, 0x0f, 0x85, 0xf2, 0xff, 0xff, 0xff};

static void the_loop_is_found_by_its_jump_back(void **state) {
    (void)state;
    uint8_t code[64];
    memset(code, 0xcc, sizeof code);
    memcpy(code + 20, near_loop, sizeof near_loop);
    assert_int_equal(place_find(code, sizeof code), 20);
    memcpy(code + 20, far_loop, sizeof far_loop);
    assert_int_equal(place_find(code, sizeof code), 20);
    code[30] = 0x10; // forwards
    code[31] = code[32] = code[33] = 0;
    assert_int_equal(place_find(code, sizeof code), 0);
    assert_int_equal(place_find(far_loop, sizeof far_loop - 1), 0); // cut off
}

static void padding_brings_the_loop_to_a_line_and_fills_the_last_one(void **state) {
    (void)state;
    for (size_t offset = 8; offset < 200; offset++)
        for (size_t length = offset + 12; length < offset + 90; length++) {
            struct place place = place_choose(offset, length);
            assert_int_equal((8 + offset + place.before) % 64, 0);
            size_t whole = length + place.before + place.after;
            assert_int_equal((whole + 3) / 4 * 4 % 64, 40); // 8 in front, 16 behind
            assert_true(place.before < 64 + 4 && place.after < 64 + 4);
        }
}

static unsigned padded(const struct bpf_insn *code, size_t count) {
    unsigned bytes = 0;
    for (size_t i = 0; i < count; i++)
        if (code[i].code == (BPF_ALU64 | BPF_MOV) && code[i].dst_reg == 1)
            bytes += code[i].imm ? 5 : 2; // mov $1,%edi; xor %edi,%edi
    return bytes;
}

static void the_rows_of_nothing_take_every_padding(void **state) {
    (void)state;
    enum { ROW = 16, LOOP = 2 };
    for (unsigned bytes = 0; bytes < 68; bytes++) {
        struct bpf_insn code[2 * ROW + LOOP + 2] = {0};
        struct object padding = {.code = code,
                                 .count = COUNT_OF(code),
                                 .functions = {{"loop", 0, COUNT_OF(code)}},
                                 .function_count = 1,
                                 .loop_begin = ROW,
                                 .loop_end = ROW + LOOP};
        for (size_t i = 0; i < COUNT_OF(code); i++)
            code[i].code = BPF_JMP | BPF_JA;
        if (bytes == 1 || bytes == 3)
            continue; // place_choose gives none of these
        place_put(&padding, (struct place){bytes, 66 - bytes % 2 * 1});
        assert_int_equal(padded(code, ROW), bytes);
        assert_int_equal(padded(code + ROW + LOOP, ROW), 66 - bytes % 2);
    }
}

int main(void) {
    struct error error = {0};
    if (object_read(BPF_OBJECT, &object, &error)) {
        printf("no object: %s\n", error.text); // bpf-as was not there
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_reads_as_the_jit_makes_it),
        cmocka_unit_test(an_instruction_without_a_text_is_told_by_its_number),
        cmocka_unit_test(the_loop_is_found_by_its_jump_back),
        cmocka_unit_test(padding_brings_the_loop_to_a_line_and_fills_the_last_one),
        cmocka_unit_test(the_rows_of_nothing_take_every_padding),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    object_free(&object);
    return failed;
}

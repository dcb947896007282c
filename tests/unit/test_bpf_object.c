// SPDX-License-Identifier: GPL-3.0-or-later
// An object of bpf-as is read as it stands in bpf_object.s, and one that is damaged is refused.
#include "tests/unit/unit.h"

#include "common/disk.h"
#include "runner/bpf/object.h"

#include <elf.h>
#include <stdbool.h>

static char *bytes; // the file, malloc'd and so aligned
static size_t length;
static struct object object;
static struct error error;

static int parse(const void *from, size_t count) {
    object_free(&object);
    error = (struct error){0};
    return object_parse("x.o", from, count, &object, &error);
}

static void functions_references_and_the_loop_are_found(void **state) {
    (void)state;
    static const struct object_reference expected[] = {
        {0, OBJECT_USE_value, 0, "n_loop", 0},
        {2, OBJECT_USE_own, 1, "loop", 0},
        {3, OBJECT_USE_value, 0, "times", 8},
        {9, OBJECT_USE_kernel, -1, "bpf_ktime_get_ns", 0},
    };
    assert_int_equal(parse(bytes, length), 0);
    assert_int_equal(object.type, OBJECT_syscall);
    assert_int_equal(object.count, 13);
    assert_int_equal(object.function_count, 2);
    assert_string_equal(object.functions[0].name, "program");
    assert_int_equal(object.functions[0].count, 8);
    assert_int_equal(object.functions[1].first, 8);
    assert_int_equal(object.loop, 1);
    assert_int_equal(object.loop_begin, 9);
    assert_int_equal(object.loop_end, 12);
    assert_int_equal(object.reference_count, COUNT_OF(expected));
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        const struct object_reference *found = &object.references[i];
        assert_int_equal(found->at, expected[i].at);
        assert_int_equal(found->use, expected[i].use);
        assert_int_equal(found->function, expected[i].function);
        assert_string_equal(found->name, expected[i].name);
        assert_int_equal(found->offset, expected[i].offset);
    }
}

static void a_file_that_is_cut_off_is_refused_wherever(void **state) {
    (void)state;
    for (size_t count = 0; count < length; count++) {
        char *part = malloc(count + 1); // of its very size, for the sanitizer
        memcpy(part, bytes, count);
        if (!parse(part, count))
            fail_msg("the first %zu of %zu bytes are taken as a program", count, length);
        assert_contains(error.text, "x.o: ");
        free(part);
    }
}

// Where the code lies in the file.
static struct bpf_insn *code_in(char *file) {
    const Elf64_Shdr *section = (const void *)(file + ((Elf64_Ehdr *)(void *)file)->e_shoff);
    while (!(section->sh_flags & SHF_EXECINSTR) || !section->sh_size)
        section++;
    return (void *)(file + section->sh_offset);
}

static void what_refers_to_nothing_that_is_named_is_refused(void **state) {
    (void)state;
    static const struct {
        int at;
        struct bpf_insn insn;
        const char *why;
    } rows[] = {
        {6, {.code = BPF_JMP | BPF_JNE, .off = 0}, NULL}, // to the exit
        {6, {.code = BPF_JMP | BPF_JNE, .off = 1}, "a jump leaves its function"},
        {6, {.code = BPF_JMP | BPF_JNE, .off = -8}, "a jump leaves its function"},
        {6, {.code = BPF_JMP | BPF_JNE, .off = -6}, "a jump leaves its function"}, // into an lddw
        {6, {.code = BPF_JMP | BPF_CALL, .imm = 5}, "a call names nothing"},
        {6, {.code = BPF_JMP | BPF_CALL | BPF_X, .imm = 5}, "a call goes by a register"},
        {11, {.code = BPF_JMP | BPF_JNE, .dst_reg = 6, .off = -2}, "does not count r6 down"},
        {10, {.code = BPF_ALU64 | BPF_SUB, .dst_reg = 6, .imm = 2}, "does not count r6 down"},
        {9, {.code = BPF_ALU64 | BPF_MOV}, "a relocation is of a kind that no program has"},
        {7, {.code = BPF_ALU64 | BPF_MOV}, "a function has no end"},
        {1, {.imm = 1}, "an lddw is none"},
        {3, {.code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = 1, .src_reg = 1}, "an lddw is none"},
        {12, {.code = BPF_LD | BPF_IMM | BPF_DW}, "an lddw is none"},
    };
    char *copy = malloc(length);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        memcpy(copy, bytes, length);
        code_in(copy)[rows[i].at] = rows[i].insn;
        int failed = parse(copy, length);
        if (rows[i].why)
            assert_contains(error.text, rows[i].why);
        assert_int_equal(failed, rows[i].why ? -1 : 0);
    }
    free(copy);
}

static void no_flipped_bit_makes_it_read_outside(void **state) {
    (void)state;
    char *copy = malloc(length);
    for (size_t bit = 0; bit < length * 8; bit++) {
        memcpy(copy, bytes, length);
        copy[bit / 8] = (char)(copy[bit / 8] ^ 1 << bit % 8);
        if (parse(copy, length)) {
            assert_contains(error.text, "x.o: ");
            continue;
        }
        assert_true(object.loop_end < object.count);
        for (size_t i = 0; i < object.reference_count; i++)
            assert_true(object.references[i].at < object.count);
    }
    free(copy);
}

int main(void) {
    bytes = disk_read(BPF_OBJECT, &length, &error);
    if (!bytes) {
        printf("no object: %s\n", error.text); // bpf-as was not there
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_references_and_the_loop_are_found),
        cmocka_unit_test(a_file_that_is_cut_off_is_refused_wherever),
        cmocka_unit_test(what_refers_to_nothing_that_is_named_is_refused),
        cmocka_unit_test(no_flipped_bit_makes_it_read_outside),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    object_free(&object);
    free(bytes);
    return failed;
}

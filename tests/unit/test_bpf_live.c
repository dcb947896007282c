// SPDX-License-Identifier: GPL-3.0-or-later
// What the bytes of kernel functions say, of kernels that are not here: made-up memory with the
// bytes that each of them has.
#include "tests/unit/unit.h"

#include "common/memory.h"
#include "runner/bpf/live.h"

#include <stdlib.h>
#include <string.h>

// A kernel in memory: functions one behind the other, 64 bytes each.
struct function {
    const char *name;
    const char *bytes; // "9c 58 fa c3"; "call:NAME" and "jmp:NAME" are those
};

enum { BASE_LOW = 0x81000000, ROOM = 64, MOST = 40 };
#define BASE (0xffffffff00000000 + BASE_LOW)

struct kernel {
    uint8_t memory[MOST * ROOM];
    struct symbols symbols;
    size_t size;
};

static uint64_t place(const struct function *functions, const char *name) {
    for (size_t i = 0; functions[i].name; i++)
        if (!strcmp(functions[i].name, name))
            return BASE + i * ROOM;
    fail_msg("no function %s", name);
    return 0;
}

// "call:NAME" at an address, as its five bytes.
static void put_branch(uint8_t *bytes, uint64_t at, uint8_t code, uint64_t target) {
    int32_t distance = (int32_t)(target - at - 5);
    bytes[0] = code;
    memcpy(bytes + 1, &distance, 4);
}

static void put_function(struct kernel *kernel, const struct function *functions, size_t i) {
    char *text = text_make("%s", functions[i].bytes), *rest = text, *word;
    uint8_t *bytes = kernel->memory + i * ROOM;
    memset(bytes, 0xcc, ROOM);
    for (size_t at = 0; (word = strsep(&rest, " ")); at++) {
        uint64_t address = BASE + i * ROOM + at;
        char *name = strchr(word, ':');
        if (!name) {
            bytes[at] = (uint8_t)strtoul(word, NULL, 16);
            continue;
        }
        put_branch(bytes + at, address, *word == 'c' ? 0xe8 : 0xe9, place(functions, name + 1));
        at += 4;
    }
    free(text);
}

static void make(struct kernel *kernel, const struct function *functions) {
    struct error error;
    char *text;
    size_t length;
    FILE *stream = text_open(&text, &length);
    *kernel = (struct kernel){0};
    for (; functions[kernel->size].name; kernel->size++) {
        fprintf(stream, "%lx T %s\n", BASE + kernel->size * ROOM, functions[kernel->size].name);
        put_function(kernel, functions, kernel->size);
    }
    fprintf(stream, "%lx T the_end\n", BASE + kernel->size * ROOM);
    text_close(stream);
    assert_int_equal(symbols_parse("kallsyms", text, &kernel->symbols, &error), 0);
}

static int read_memory(void *context, uint64_t address, void *bytes, size_t length) {
    const struct kernel *kernel = context;
    uint64_t at = address - BASE;
    if (at > kernel->size * ROOM || length > kernel->size * ROOM - at)
        return -1;
    memcpy(bytes, kernel->memory + at, length);
    return 0;
}

// What the first two functions, which a program calls, come to.
static struct live *look(struct kernel *kernel, const struct function *functions) {
    const char *names[] = {functions[0].name, functions[1].name};
    struct live *live = memory_zero(1, sizeof *live);
    struct error error;
    make(kernel, functions);
    if (live_read(names, 2, &kernel->symbols, read_memory, kernel, "objdump", live, &error))
        fail_msg("%s", error.text);
    return live;
}

static void done(struct kernel *kernel, struct live *live) {
    live_free(live);
    free(live);
    symbols_free(&kernel->symbols);
}

// emulated: what must stand in the reason; NULL: it is not.
static void check(const struct function *functions, const char *restores, const char *emulated) {
    struct kernel kernel;
    struct live *live = look(&kernel, functions);
    char *why = live_emulated(live);
    assert_string_equal(live_restores(live), restores);
    if (emulated && (!why || !strstr(why, emulated)))
        fail_msg("'%s' is not in '%s'", emulated, why ? why : "(not emulated)");
    if (!emulated && why)
        fail_msg("%s", why);
    free(why);
    done(&kernel, live);
}

// nopl; pushf; pop %rax; nopl; mov %rax,%rdx; cli; nopl; mov %rdx,(%rdi)
#define SAVE_6 "0f 1f 44 00 00 9c 58 0f 1f 40 00 48 89 c2 fa 0f 1f 44 00 00 48 89 17 "
// mov (%rdi),%rax; test $2,%ah; je; sti; nopl
#define RESTORE_6 "48 8b 07 f6 c4 02 74 06 fb 0f 1f 44 00 00 "

static void a_kernel_of_today_restores_with_sti(void **state) {
    (void)state;
    check((struct function[]){{"bpf_local_irq_save", SAVE_6 "jmp:thunk"},
                              {"bpf_local_irq_restore", RESTORE_6 "jmp:thunk"},
                              {"thunk", "e8 01 00 00 00 cc 48 8d 64 24 08 c3"},
                              {0}},
          "sti", NULL);
}

// push %rdi; popf, as paravirt calls were patched before 2021: mov %gs:0,%rax; movb $0,(%rdi).
static void a_kernel_before_2021_restores_with_popf(void **state) {
    (void)state;
    check((struct function[]){{"bpf_spin_lock",
                               "9c 58 0f 1f 40 00 49 89 c0 fa 90 31 c0 ba 01 00 00 00 f0 0f b1 17 "
                               "75 0a 65 4c 89 04 25 00 f0 01 00 c3 89 c6 call:slow c3"},
                              {"bpf_spin_unlock",
                               "65 48 8b 04 25 00 f0 01 00 c6 07 00 90 48 89 c7 57 9d 0f 1f 00 c3"},
                              {"slow", "f3 90 ff d0 fb c3"},
                              {0}},
          "popf", NULL);
}

static void functions_below_are_looked_at(void **state) {
    (void)state;
    check((struct function[]){{"bpf_spin_lock", "call:inner 31 c0 c3"},
                              {"bpf_spin_unlock", "call:inner_unlock 31 c0 c3"},
                              {"inner", SAVE_6 "c3"},
                              {"inner_unlock", RESTORE_6 "c3"},
                              {0}},
          "sti", NULL);
}

static void xen_is_named(void **state) {
    (void)state;
    check(
        (struct function[]){
            {"bpf_local_irq_save", "call:xen_save_fl 48 89 c2 call:xen_irq_disable "
                                   "48 89 17 c3"},
            {"bpf_local_irq_restore", "48 8b 07 f6 c4 02 74 05 call:xen_irq_enable c3"},
            {"xen_save_fl", "65 0f b6 04 25 00 00 00 00 c3"},
            {"xen_irq_disable", "c6 00 01 c3"},
            {"xen_irq_enable", "c6 00 00 c3"},
            {0}},
        "", "bpf_local_irq_save calls xen_save_fl: Xen does what the CPU would");
}

static void a_pv_op_that_was_not_patched_is_a_pointer(void **state) {
    (void)state;
    check((struct function[]){{"bpf_local_irq_save",
                               "ff 15 10 20 30 00 48 89 c2 ff 15 18 20 30 00 c3"},
                              {"bpf_local_irq_restore", RESTORE_6 "c3"},
                              {0}},
          "sti", "bpf_local_irq_save goes on through a pointer (call *0x302010(%rip))");
}

static void hypercalls_and_unknown_hypervisors_are_emulated(void **state) {
    (void)state;
    check((struct function[]){{"bpf_local_irq_save", "call:hyper_save c3"},
                              {"bpf_local_irq_restore", RESTORE_6 "c3"},
                              {"hyper_save", "0f 01 d9 c3"},
                              {0}},
          "sti", "hyper_save makes a hypercall (vmmcall)");
    check((struct function[]){{"bpf_local_irq_save", "call:other_save c3"},
                              {"bpf_local_irq_restore", RESTORE_6 "c3"},
                              {"other_save", "65 48 8b 04 25 00 00 00 00 c3"},
                              {0}},
          "sti", "no PUSHF and CLI");
    check((struct function[]){{"bpf_local_irq_save", SAVE_6 "c3"},
                              {"bpf_local_irq_restore", "48 8b 07 call:other_restore c3"},
                              {"other_restore", "65 88 04 25 00 00 00 00 c3"},
                              {0}},
          "", "neither STI nor POPF");
}

// A lock's slow path waits through pointers and hypercalls; an uncontended lock is not there.
static void a_slow_path_is_not_what_runs(void **state) {
    (void)state;
    check((struct function[]){{"bpf_spin_lock", "call:inner c3"},
                              {"bpf_spin_unlock", RESTORE_6 "c3"},
                              {"inner", SAVE_6 "74 05 call:slow c3"},
                              {"slow", "ff 15 10 20 30 00 0f 01 c1 call:deep c3"},
                              {"deep", "call:deeper c3"},
                              {"deeper", "c3"},
                              {0}},
          "sti", NULL);
}

static void it_ends_at_the_depth_and_says_so(void **state) {
    struct kernel kernel;
    struct live *live = look(&kernel, (struct function[]){{"one", "call:a c3"},
                                                          {"two", "jmp:a"},
                                                          {"a", "call:b c3"},
                                                          {"b", "call:c c3"},
                                                          {"c", "c3"},
                                                          {0}});
    (void)state;
    assert_int_equal(live->count, 4); // one, two, a, b
    assert_true(live->cut);
    assert_string_equal(live->function[3].name, "b");
    assert_int_equal(live->function[3].depth, 2);
    assert_int_equal(live->function[0].length, 6); // without what fills the room
    assert_true(live_unchanged(live, read_memory, &kernel));
    kernel.memory[3 * ROOM] = 0x90; // a tracer comes
    assert_false(live_unchanged(live, read_memory, &kernel));
    done(&kernel, live);
}

static void what_is_not_there_is_named(void **state) {
    static const char *const names[] = {"bpf_local_irq_save"};
    struct kernel kernel;
    struct live live;
    struct error error;
    (void)state;
    make(&kernel, (struct function[]){{"one", "c3"}, {0}});
    assert_int_equal(
        live_read(names, 1, &kernel.symbols, read_memory, &kernel, "objdump", &live, &error), -1);
    assert_string_equal(error.text, "the kernel's symbols have no bpf_local_irq_save; what it is "
                                    "cannot be shown");
    live_free(&live);
    symbols_free(&kernel.symbols);
    assert_int_equal(
        symbols_parse("/proc/kallsyms", text_make("%016x T _stext\n", 0), &kernel.symbols, &error),
        -1);
    assert_non_null(strstr(error.text, "kernel.kptr_restrict"));
    symbols_free(&kernel.symbols);
}

static void addresses_have_names(void **state) {
    static const char text[] = "ffffffff81000000 T __pi_start\nffffffff81000000 T start\n"
                               "ffffffff81000100 t inner\t[module]\nffffffff81000200 T other\n";
    struct symbols symbols;
    struct error error;
    (void)state;
    assert_int_equal(symbols_parse("kallsyms", text_make("%s", text), &symbols, &error), 0);
    static const struct {
        uint64_t address;
        const char *name;
    } rows[] = {{0xffffffff81000000, "start"},
                {0xffffffff81000012, "start+0x12"},
                {0xffffffff81000200, "other"},
                {0xffffffff80000000, "0xffffffff80000000"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *name = symbols_name(&symbols, rows[i].address);
        assert_string_equal(name, rows[i].name);
        free(name);
    }
    assert_int_equal(symbols_next(&symbols, 0xffffffff81000000), 0xffffffff81000100);
    assert_int_equal(symbols_next(&symbols, 0xffffffff81000200), 0);
    assert_int_equal(symbols_address(&symbols, "inner"), 0); // of a module
    assert_int_equal(symbols_address(&symbols, "other"), 0xffffffff81000200);
    symbols_free(&symbols);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_of_today_restores_with_sti),
        cmocka_unit_test(a_kernel_before_2021_restores_with_popf),
        cmocka_unit_test(functions_below_are_looked_at),
        cmocka_unit_test(xen_is_named),
        cmocka_unit_test(a_pv_op_that_was_not_patched_is_a_pointer),
        cmocka_unit_test(hypercalls_and_unknown_hypervisors_are_emulated),
        cmocka_unit_test(a_slow_path_is_not_what_runs),
        cmocka_unit_test(it_ends_at_the_depth_and_says_so),
        cmocka_unit_test(what_is_not_there_is_named),
        cmocka_unit_test(addresses_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

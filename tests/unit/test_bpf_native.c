// SPDX-License-Identifier: GPL-3.0-or-later
// Native code that a kernel made of bpf_native.s proves its loop; any other does not, and is named.
#include "tests/unit/unit.h"

#include "common/memory.h"
#include "runner/bpf/native.h"

#include <stdbool.h>

// Of Linux 6.18 on a CPU with a return thunk.
static const struct {
    uint64_t address;
    const char *bytes;
} functions[] = {
    {0xffffffffc0023110, "0f 1f 44 00 00 0f 1f 00 55 48 89 e5 bf 08 00 00 00 e8 72 3a 00 00 "
                         "bf 08 00 00 00 e8 e8 3a 00 00 31 c0 c9 e9 d3 0f 0e c1 "},
    {0xffffffffc0026b98, "0f 1f 44 00 00 0f 1f 00 55 48 89 e5 be 03 00 00 00 "
                         "48 0f af f6 48 0f af f6 48 0f af f6 48 0f af f6 "
                         "48 83 ef 01 48 85 ff 75 e7 31 c0 c9 e9 41 d5 0d c1 "},
    {0xffffffffc0026c18, "0f 1f 44 00 00 0f 1f 00 55 48 89 e5 48 81 ec 08 00 00 00 53 41 55 41 56 "
                         "48 89 fb 49 bd 00 40 77 05 00 c9 ff ff 41 be 01 00 00 00 "
                         "48 89 ef 48 83 c7 f8 e8 31 09 50 c1 48 89 ef 48 83 c7 f8 e8 65 09 50 c1 "
                         "48 89 ef 48 83 c7 f8 e8 19 09 50 c1 48 89 ef 48 83 c7 f8 e8 4d 09 50 c1 "
                         "f0 4d 01 75 00 48 83 eb 01 48 85 db 75 c2 31 c0 "
                         "41 5e 41 5d 5b c9 e9 7d d4 0d c1 "},
};
static const char kallsyms[] = "ffffffff8110410b T srso_alias_return_thunk\n"
                               "ffffffff81527580 T bpf_local_irq_save\n"
                               "ffffffff815275c0 T bpf_local_irq_restore\n";

static struct object object;

// What replaces the first `from` in a function's bytes.
struct change {
    size_t function;
    const char *from, *to;
    const char *why; // must stand in the reason
};

static size_t put_bytes(const char *hex, uint8_t *bytes) {
    size_t count = 0;
    for (; *hex; hex += 3)
        bytes[count++] = (uint8_t)strtoul(hex, NULL, 16);
    return count;
}

static char *changed(const char *text, const struct change *change) {
    const char *at = strstr(text, change->from);
    assert_non_null(at);
    return text_make("%.*s%s%s", (int)(at - text), text, change->to, at + strlen(change->from));
}

static void check(const struct change *change, struct native *native) {
    uint8_t bytes[512];
    struct load_native code = {.count = COUNT_OF(functions), .bytes = bytes};
    struct symbols symbols;
    struct error error;
    size_t at = 0, length;
    char *listing;
    for (size_t i = 0; i < COUNT_OF(functions); i++) {
        bool here = change && change->function == i;
        char *hex =
            here ? changed(functions[i].bytes, change) : text_make("%s", functions[i].bytes);
        code.functions[i] = (struct load_code){functions[i].address, bytes + at, 0};
        at += code.functions[i].length = put_bytes(hex, bytes + at);
        free(hex);
    }
    assert_int_equal(symbols_parse("kallsyms", text_make("%s", kallsyms), &symbols, &error), 0);
    FILE *stream = text_open(&listing, &length);
    if (native_check(&object, &code, &symbols, "objdump", stream, stream, native, &error))
        fail_msg("%s", error.text);
    text_close(stream);
    if (!change)
        assert_contains(listing, "e8 31 09 50 c1                      call bpf_local_irq_save\n");
    free(listing);
    symbols_free(&symbols);
}

static void code_that_is_what_the_object_says_is_proved(void **state) {
    struct native native;
    (void)state;
    check(NULL, &native);
    if (native.why)
        fail_msg("%s", native.why);
    assert_string_equal(native.mix, "4*mov+4*add+2*call bpf_local_irq_save+2*call "
                                    "bpf_local_irq_restore+1*lock add+1*sub+1*test+1*jnz");
    assert_contains(native.order, "mov %rbp,%rdi; add $0xfffffffffffffff8,%rdi; "
                                  "call bpf_local_irq_save; mov %rbp,%rdi;");
    assert_int_equal(native.loop_address, 0xffffffffc0026c43);
    assert_int_equal(native.loop_bytes, 62);
    native_free(&native);
}

// In front of a call, for CPUs whose mitigation counts their depth; nops anywhere.
static void what_a_mitigation_adds_is_no_other_loop(void **state) {
    static const struct change changes[] = {
        {2, "f8 e8 31 09 50 c1", "f8 65 48 c1 3c 25 40 00 02 00 05 e8 27 09 50 c1", NULL},
        {1, "be 03", "0f ae e8 be 03", NULL},
    };
    struct native native;
    (void)state;
    // The call of a function behind it would go elsewhere: only this one is looked at.
    check(&changes[0], &native);
    assert_contains(native.why, "'call bpf_local_irq_restore+0xa' stands where 'call "
                                "bpf_local_irq_restore' must");
    native_free(&native);
    check(&changes[1], &native); // but no other instruction
    assert_contains(native.why, "'lfence' stands where 'mov $0x3,%esi' must");
    native_free(&native);
}

static void any_other_code_is_not(void **state) {
    static const struct change changes[] = {
        {2, "e8 31 09 50 c1", "0f 1f 44 00 00", // a call that is not there
         "'loop': 'mov %rbp,%rdi' stands where 'call bpf_local_irq_save' must"},
        {2, "e8 31 09 50 c1", "e8 41 09 50 c1", // into the middle of the function
         "'call bpf_local_irq_save+0x10' stands where 'call bpf_local_irq_save' must"},
        {2, "e8 31 09 50 c1", "e8 71 09 50 c1", // of the other function
         "'call bpf_local_irq_restore' stands where 'call bpf_local_irq_save' must"},
        {2, "48 89 ef 48 83 c7 f8 e8 31 09 50 c1 ", "",
         "'call bpf_local_irq_save+0x34' stands where 'call bpf_local_irq_save' must"},
        {2, "f0 4d 01 75 00", "4d 01 75 00 90", // without its lock
         "'add %r14,0x0(%r13)' stands where 'lock add %r14,0x0(%r13)' must"},
        {2, "f0 4d 01 75 00", "f0 4d 29 75 00",
         "'lock sub %r14,0x0(%r13)' stands where 'lock add %r14,0x0(%r13)' must"},
        {2, "f0 4d 01 75 00", "f0 4d 01 75 00 f0 4d 01 75 00", // once more
         "'lock add %r14,0x0(%r13)' stands where 'sub $0x1,%rbx' must"},
        {2, "75 c2", "75 ca", "'jnz' stands where 'a jump to another place' must"},
        {2, "75 c2", "74 c2", "'jz' stands where 'jnz' must"},
        {1, "48 0f af f6 ", "", "'sub $0x1,%rdi' stands where 'imul %rsi,%rsi' must"},
        {1, "48 0f af f6", "48 0f af f7", "'imul %rdi,%rsi' stands where 'imul %rsi,%rsi' must"},
        {1, "75 e7", "75 e3", "'chain': 'jnz' stands where 'a jump to another place' must"},
        {1, "31 c0 c9", "31 c0 fb", "'chain': 'sti' stands where 'ret' must"},
        {0, "e8 e8 3a", "e8 f8 3a", "'program': 'nothing' stands where 'loop' must"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(changes); i++) {
        struct native native;
        check(&changes[i], &native);
        if (!native.why)
            fail_msg("change %zu was not seen", i);
        assert_contains(native.why, changes[i].why);
        native_free(&native);
    }
}

int main(void) {
    struct error error;
    if (object_read(BPF_OBJECT, &object, &error)) {
        printf("no object: %s\n", error.text); // bpf-as was not there
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_that_is_what_the_object_says_is_proved),
        cmocka_unit_test(what_a_mitigation_adds_is_no_other_loop),
        cmocka_unit_test(any_other_code_is_not),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    object_free(&object);
    return failed;
}

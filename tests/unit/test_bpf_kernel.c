// SPDX-License-Identifier: GPL-3.0-or-later
// What the running kernel is offered: nothing that is damaged unexamined, and nothing that leaves
// IF 0 passes its verifier. Nothing here is run but the program that reads live bytes.
#include "tests/unit/unit.h"

#include "common/disk.h"
#include "common/memory.h"
#include "runner/bpf/evidence.h"

static struct evidence_kernel kernel;

static enum load_refusal offer(const struct object *object, struct loaded *loaded,
                               struct error *error) {
    static const struct load_number numbers[] = {{"n_loop", 1}};
    *error = (struct error){0};
    return load_program(object, numbers, COUNT_OF(numbers), loaded, error);
}

static void a_program_that_would_leave_if_0_is_refused_in_one_line(void **state) {
    static const struct {
        const char *name, *why, *at;
    } rows[] = {
        {"bpf_unbalanced_1", "cannot be used inside bpf_local_irq_save-ed region", "; at exit"},
        {"bpf_unbalanced_2", "cannot restore irq state out of order",
         "; at call bpf_local_irq_restore#"},
        {"bpf_unbalanced_3", "cannot be used inside bpf_spin_lock-ed region", "; at exit"},
        {"bpf_unbalanced_4", "cannot be used inside bpf_preempt_disable-ed region", "; at exit"},
    };
    size_t refused = 0;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct object object;
        struct loaded loaded;
        struct error error;
        if (object_read(PATH("%s/%s.o", BPF_OBJECTS, rows[i].name), &object, &error))
            fail_msg("%s", error.text);
        enum load_refusal refusal = offer(&object, &loaded, &error);
        load_unload(&loaded);
        object_free(&object);
        if (refusal == LOAD_no_function) { // a kernel from before them: none to misuse
            print_message("%s: %s\n", rows[i].name, error.text);
            continue;
        }
        assert_int_equal(refusal, LOAD_rejected);
        assert_contains(error.text, "the kernel's verifier: ");
        assert_contains(error.text, rows[i].why);
        assert_contains(error.text, rows[i].at);
        assert_null(strchr(error.text, '\n'));
        refused++;
    }
    assert_true(refused > 0);
}

static void a_function_that_the_kernel_lacks_is_named(void **state) {
    struct object object;
    struct loaded loaded;
    struct error error;
    (void)state;
    assert_int_equal(object_read(PATH("%s/bpf_native.o", BPF_OBJECTS), &object, &error), 0);
    for (size_t i = 0; i < object.reference_count; i++)
        if (object.references[i].use == OBJECT_USE_kernel)
            strcpy(object.references[i].name, "bpf_local_irq_rest");
    assert_int_equal(offer(&object, &loaded, &error), LOAD_no_function);
    assert_string_equal(error.text, "this kernel has no function bpf_local_irq_rest for programs");
    load_unload(&loaded);
    object_free(&object);
}

// What a damaged object came to.
struct tally {
    size_t refused, offered, taken, proved;
};

static void offer_damaged(const void *bytes, size_t length, struct tally *tally) {
    struct object object;
    struct loaded loaded;
    struct error error = {0};
    if (object_parse("damaged.o", bytes, length, &object, &error)) {
        assert_int_equal(error.kind, ERROR_INPUT);
        assert_contains(error.text, "damaged.o");
        tally->refused++;
        object_free(&object);
        return;
    }
    tally->offered++;
    if (offer(&object, &loaded, &error) == LOAD_taken) {
        struct evidence evidence;
        if (evidence_make(&kernel, &object, &loaded, &evidence, &error))
            fail_msg("%s", error.text);
        // It is another program now, and its native code is that of no other.
        if (evidence.verdict != EVIDENCE_proved) {
            assert_non_null(evidence.why);
            print_message("%s\n", evidence.why);
        }
        tally->taken++;
        tally->proved += evidence.verdict == EVIDENCE_proved;
        evidence_free(&evidence);
    } else {
        assert_true(*error.text && !strchr(error.text, '\n'));
    }
    load_unload(&loaded);
    object_free(&object);
}

// Each `step`th bit of the file, one at a time. Some make the verifier walk for seconds.
static size_t step = 101;

static void a_flipped_bit_is_examined_before_the_kernel_sees_it(void **state) {
    size_t length;
    struct error error;
    struct tally tally = {0};
    (void)state;
    char *bytes = disk_read(PATH("%s/bpf_native.o", BPF_OBJECTS), &length, &error);
    assert_non_null(bytes);
    for (size_t bit = 0; bit < 8 * length; bit += step) {
        bytes[bit / 8] ^= (char)(1 << bit % 8);
        offer_damaged(bytes, length, &tally);
        bytes[bit / 8] ^= (char)(1 << bit % 8);
    }
    print_message("%zu refused by us, %zu offered, %zu taken, of which %zu are proved\n",
                  tally.refused, tally.offered, tally.taken, tally.proved);
    assert_true(tally.refused > 0 && tally.offered > 0 && tally.taken > 0);
    free(bytes);
}

int main(int argc, char **argv) {
    struct error error = {0};
    if (argc > 1 && !strcmp(argv[1], "all"))
        step = 7;
    if (evidence_open("objdump", &kernel, &error) || kernel.blind.kind != ERROR_NONE) {
        printf("no program may be loaded here: %s\n", *error.text ? error.text : kernel.blind.text);
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_that_would_leave_if_0_is_refused_in_one_line),
        cmocka_unit_test(a_function_that_the_kernel_lacks_is_named),
        cmocka_unit_test(a_flipped_bit_is_examined_before_the_kernel_sees_it),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    evidence_close(&kernel);
    return failed;
}

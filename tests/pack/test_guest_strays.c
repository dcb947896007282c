// SPDX-License-Identifier: GPL-3.0-or-later
// Every way to go astray is named with its reason, and every good program among them is there.
#include "tests/pack/pack_test.h"

#include "runner/engine/guest.h"

#include <sys/stat.h>
#include <unistd.h>

struct stray {
    const char *name;
    int ring;
    enum guest_end end;
    const char *reason; // has to stand in the detail
};

// At CPL3 with IOPL=3, HLT and LIDT are privileged still, CLI is not.
static const struct stray strays[] = {
    {"ud2", 0, GUEST_FAULTED, "invalid opcode (#UD), vector 6, error 0x0, rip 0x401000, CPL0"},
    {"ud2", 3, GUEST_FAULTED, "invalid opcode (#UD), vector 6, error 0x0, rip 0x401000, CPL3"},
    {"hlt", 0, GUEST_TIMED_OUT, "halted (hlt), stopped at rip 0x401001, CPL0"},
    {"hlt", 3, GUEST_FAULTED, "general protection (#GP), vector 13, error 0x0, rip 0x401000"},
    {"wild_jump", 0, GUEST_FAULTED, "executing 0x123456789000, where nothing is mapped"},
    {"wild_jump", 3, GUEST_FAULTED, "executing 0x123456789000, where nothing is mapped"},
    {"write_text", 0, GUEST_FAULTED, "error 0x3: writing 0x401000, which is protected"},
    {"write_text", 3, GUEST_FAULTED, "error 0x7: writing 0x401000, which is protected"},
    {"write_kernel", 0, GUEST_FAULTED, "writing 0xffffffff80100000, where nothing is mapped"},
    {"write_kernel", 3, GUEST_FAULTED, "writing 0xffffffff80100000, where nothing is mapped"},
    {"write_gate", 0, GUEST_FAULTED, "error 0x3: writing 0xffffffff80"},
    {"write_gate", 3, GUEST_FAULTED, "error 0x7: writing 0xffffffff80"},
    {"execute_data", 0, GUEST_FAULTED, "error 0x11: executing 0x7fff"},
    {"execute_data", 3, GUEST_FAULTED, "error 0x15: executing 0x7fff"},
    {"endless", 0, GUEST_TIMED_OUT, "still running, stopped at rip 0x401000, CPL0"},
    {"endless", 3, GUEST_TIMED_OUT, "still running, stopped at rip 0x401000, CPL3"},
    {"cli_hang", 0, GUEST_TIMED_OUT, "rip 0x401001, CPL0, interrupts off (IF=0)"},
    {"cli_hang", 3, GUEST_TIMED_OUT, "rip 0x401001, CPL3, interrupts off (IF=0)"},
    {"triple_fault", 0, GUEST_CRASHED, "triple fault"},
    {"triple_fault", 3, GUEST_FAULTED, "general protection (#GP)"},
    {"bad_call", 0, GUEST_FAULTED, "system call 39 is not offered"},
    {"bad_call", 3, GUEST_FAULTED, "system call 39 is not offered"},
    {"stack_overflow", 0, GUEST_FAULTED, "stack overflow: page fault (#PF) writing 0x7ffffffdeff8"},
    {"stack_overflow", 3, GUEST_FAULTED, "stack overflow: page fault (#PF) writing 0x7ffffffdeff8"},
    {"stray_port", 0, GUEST_FAULTED, "56 bytes written to the results' port that are no record"},
    {"stray_port", 3, GUEST_FAULTED, "56 bytes written to the results' port that are no record"},
    {"exit_port", 0, GUEST_CRASHED, "it ended the machine (QEMU: exit status 33)"},
    {"exit_port", 3, GUEST_CRASHED, "it ended the machine (QEMU: exit status 33)"},
    {"dirty", 0, GUEST_EXITED, ""},
    {"dirty", 3, GUEST_EXITED, ""},
};

enum { STRAYS = sizeof strays / sizeof *strays, ENTRIES = 2 * STRAYS + 1 };

static struct {
    struct guest_result results[ENTRIES];
    char paths[ENTRIES][512];
} pack;

// good, stray, good, stray, ... good: in one call. The good ones alternate between the rings.
static int run_all(void **state) {
    struct guest_entry entries[ENTRIES];
    struct guest_options options;
    struct error error = {0};
    (void)state;
    for (size_t i = 0; i < ENTRIES; i++) {
        snprintf(pack.paths[i], sizeof pack.paths[i], "%s/%s", getenv("ASMSWEEP_GUEST_STRAYS"),
                 i % 2 ? strays[i / 2].name : "good");
        entries[i] = (struct guest_entry){pack.paths[i],
                                          {"program"},
                                          i % 2   ? strays[i / 2].ring
                                          : i % 4 ? 3
                                                  : 0};
    }
    options = (struct guest_options){.cpu = -1};
    options.directory = getenv("ASMSWEEP_GUEST_DIRECTORY");
    options.timeout = 1;
    // For a machine with a real /dev/kvm: docs/guest.md, "First things to check".
    const char *accel = getenv("ASMSWEEP_GUEST_ACCEL");
    options.accel = accel && !strcmp(accel, "kvm") ? GUEST_KVM : GUEST_TCG;
    if (guest_run(entries, ENTRIES, &options, pack.results, NULL, 0, &error))
        fail_msg("%s", error.text);
    return 0;
}

static int free_all(void **state) {
    (void)state;
    guest_results_free(pack.results, ENTRIES);
    return 0;
}

static void each_stray_is_named_with_its_reason(void **state) {
    (void)state;
    for (size_t i = 0; i < STRAYS; i++) {
        const struct guest_result *result = &pack.results[2 * i + 1];
        if (result->end != strays[i].end || !strstr(result->detail, strays[i].reason))
            fail_msg("%s at ring %d: end %d, '%s'; not end %d, '%s'", strays[i].name,
                     strays[i].ring, result->end, result->detail, strays[i].end, strays[i].reason);
    }
}

static void every_good_program_among_them_is_there(void **state) {
    size_t good = 0;
    (void)state;
    for (size_t i = 0; i < ENTRIES; i += 2) {
        const struct guest_result *result = &pack.results[i];
        assert_int_equal(result->end, GUEST_EXITED);
        assert_int_equal(result->exit_status, 0);
        assert_string_equal(result->output, "good\n");
        assert_string_equal(result->detail, "");
        good++;
    }
    assert_int_equal(good, STRAYS + 1);
}

static void a_missing_program_is_an_error_that_names_it(void **state) {
    const struct guest_entry entry = {"/no/such/variant", {"program"}, 0};
    struct guest_options options;
    struct guest_result result;
    struct error error = {0};
    (void)state;
    options = (struct guest_options){.cpu = -1};
    options.directory = getenv("ASMSWEEP_GUEST_DIRECTORY");
    assert_int_equal(guest_run(&entry, 1, &options, &result, NULL, 0, &error), -1);
    assert_int_equal(error.kind, ERROR_INPUT);
    assert_contains(error.text, "/no/such/variant");
    assert_int_equal(result.end, GUEST_NOT_RUN);
}

static void a_missing_qemu_is_an_error_with_the_package(void **state) {
    const struct guest_entry entry = {pack.paths[0], {"program"}, 0};
    struct guest_options options;
    struct guest_result result;
    struct error error = {0};
    (void)state;
    options = (struct guest_options){.cpu = -1};
    options.directory = getenv("ASMSWEEP_GUEST_DIRECTORY");
    options.qemu = "qemu-that-is-not-there";
    assert_int_equal(guest_run(&entry, 1, &options, &result, NULL, 0, &error), -1);
    assert_int_equal(error.kind, ERROR_MISSING);
    assert_contains(error.text, "qemu-system-x86");
}

// A QEMU that starts slowly, as on a busy host: seen as a kernel that never came up.
static void the_machines_start_is_no_time_of_the_entrys(void **state) {
    char path[512], qemu[] = "/tmp/asmsweep-qemu-XXXXXX";
    const struct guest_entry entry = {path, {"program"}, 0};
    struct guest_options options;
    struct guest_result result;
    struct error error = {0};
    (void)state;
    FILE *script = fdopen(mkstemp(qemu), "w");
    assert_non_null(script);
    fputs("#!/bin/sh\nsleep 1\nexec qemu-system-x86_64 \"$@\"\n", script);
    assert_int_equal(fchmod(fileno(script), 0700) | fclose(script), 0);
    snprintf(path, sizeof path, "%s/endless", getenv("ASMSWEEP_GUEST_STRAYS"));
    options = (struct guest_options){.cpu = -1};
    options.directory = getenv("ASMSWEEP_GUEST_DIRECTORY");
    options.qemu = qemu;
    options.timeout = 0.1;
    int failed = guest_run(&entry, 1, &options, &result, NULL, 0, &error);
    unlink(qemu);
    if (failed)
        fail_msg("%s", error.text);
    assert_int_equal(result.end, GUEST_TIMED_OUT);
    guest_results_free(&result, 1);
}

int main(void) {
    if (qemu_is_missing())
        return SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_stray_is_named_with_its_reason),
        cmocka_unit_test(every_good_program_among_them_is_there),
        cmocka_unit_test(a_missing_program_is_an_error_that_names_it),
        cmocka_unit_test(a_missing_qemu_is_an_error_with_the_package),
        cmocka_unit_test(the_machines_start_is_no_time_of_the_entrys),
    };
    return cmocka_run_group_tests(tests, run_all, free_all);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// CLI, STI and POPF really move IF in the guest, at CPL0 and at CPL3 with IOPL=3.
#include "tests/pack/pack_test.h"

#include "runner/engine/guest.h"
#include "runner/engine/guest_truth.h"

static struct guest_result results[2];
static char boot[512];

static int run_truth(void **state) {
    struct guest_options options;
    struct error error = {0};
    (void)state;
    options = (struct guest_options){.cpu = -1};
    options.directory = getenv("ASMSWEEP_GUEST_DIRECTORY");
    options.icount = 1;
    struct path path = guest_file(&options, "truth");
    const struct guest_entry entries[2] = {{path.text, {"truth"}, 0}, {path.text, {"truth"}, 3}};
    if (guest_run(entries, 2, &options, results, boot, sizeof boot, &error))
        fail_msg("%s", error.text);
    return 0;
}

static int free_truth(void **state) {
    (void)state;
    guest_results_free(results, 2);
    return 0;
}

// Name, IF before, IF as it should become, IF as PUSHF showed it.
#define TRANSITIONS                                                                                \
    "if cli 1 0 0\nif cli 0 0 0\nif sti 0 1 1\nif sti 1 1 1\n"                                     \
    "if popf 1 1 1\nif popf 0 0 0\nif popf 0 1 1\nif popf 1 0 0\n"

static void if_follows_cli_sti_and_popf_at_cpl0(void **state) {
    (void)state;
    assert_int_equal(results[0].end, GUEST_EXITED);
    assert_contains(results[0].output, "cs 8\n" TRANSITIONS);
}

static void if_follows_cli_sti_and_popf_at_cpl3_with_iopl3(void **state) {
    (void)state;
    assert_int_equal(results[1].end, GUEST_EXITED);
    assert_contains(results[1].output, "cs 35\n" TRANSITIONS);
}

static void under_icount_a_tick_is_an_instruction(void **state) {
    (void)state;
    // 64 pairs and the few instructions that read the TSC, over 64, rounded down.
    for (int i = 0; i < 2; i++)
        assert_string_equal(strstr(results[i].output, "ticks"),
                            "ticks cli+sti 2\nticks push+popf 2\nticks pushf+pop 2\nend\n");
}

static void software_is_never_classed_real(void **state) {
    struct guest_truth truths[2];
    struct guest_options options;
    (void)state;
    options = (struct guest_options){.cpu = -1};
    options.directory = getenv("ASMSWEEP_GUEST_DIRECTORY");
    guest_probe(&options, truths);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(truths[i].privilege, PRIVILEGE_emulated);
        assert_contains(truths[i].detail, "software CPU");
    }
}

int main(void) {
    if (qemu_is_missing())
        return SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(if_follows_cli_sti_and_popf_at_cpl0),
        cmocka_unit_test(if_follows_cli_sti_and_popf_at_cpl3_with_iopl3),
        cmocka_unit_test(under_icount_a_tick_is_an_instruction),
        cmocka_unit_test(software_is_never_classed_real),
    };
    return cmocka_run_group_tests(tests, run_truth, free_truth);
}

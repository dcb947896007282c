// SPDX-License-Identifier: GPL-3.0-or-later
// perf stat around the guest, with a perf of the test's own in front of QEMU: its counts come
// back as slopes, and a variant that does not end gives none.
#include "tests/pack/pack_test.h"

#include "runner/engine/perf_stat.h"

#include <math.h>
#include <sys/stat.h>

// Runs the command and writes what a perf would: 1000 more cycles at every call, and twice as
// many instructions.
static const char fake_perf[] =
    "#!/bin/sh\n"
    "out=$5\n"
    "shift 8\n"
    "\"$@\"\n"
    "calls=$(cat \"$FAKE_PERF/calls\" 2>/dev/null || echo 0)\n"
    "calls=$((calls + 1))\n"
    "echo $calls >\"$FAKE_PERF/calls\"\n"
    "printf '%d;;cycles:G;9;100.00;;\\n%d;;instructions:G;9;100.00;;\\n'"
    " $((calls * 1000)) $((calls * 2000)) >\"$out\"\n";

static char folder[64];

static void put_fake_perf(void) {
    char path[128], search[8192];
    strcpy(folder, "/tmp/asmsweep-perf-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/perf", folder);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(fake_perf, stream);
    fclose(stream);
    assert_int_equal(chmod(path, 0755), 0);
    snprintf(search, sizeof search, "%s:%s", folder, getenv("PATH"));
    setenv("PATH", search, 1);
    setenv("FAKE_PERF", folder, 1);
}

static void measure(const char *variant, struct execution *execution) {
    struct guest_options options;
    struct error error = {0};
    char path[512];
    options = (struct guest_options){.cpu = -1};
    options.directory = getenv("ASMSWEEP_GUEST_DIRECTORY");
    options.timeout = 2;
    snprintf(path, sizeof path, "%s/%s", getenv("ASMSWEEP_GUEST_STRAYS"), variant);
    struct engine_job job = {.variant = variant, .path = path, .iterations = 450, .retired = NAN};
    *execution = (struct execution){.status = STATUS_ok};
    if (perf_stat_guest_slopes(&options, &job, 0, execution, &error))
        fail_msg("%s", error.text);
    assert_int_equal(execution->count, 2);
}

static void counts_around_two_boots_become_slopes(void **unused) {
    (void)unused;
    struct execution execution;
    measure("counted", &execution);
    // N is 450 / 50 + 1 = 10 iterations; 2N counted 1000 cycles more than N.
    assert_int_equal(execution.counts[0].quantity, QUANTITY_cycles);
    assert_int_equal(execution.counts[0].status, STATUS_ok);
    assert_true(execution.counts[0].value == 100);
    assert_int_equal(execution.counts[1].quantity, QUANTITY_instructions);
    assert_true(execution.counts[1].value == 200);
    assert_string_equal(execution.counts[1].source, "pmu");
}

static void a_variant_that_does_not_prove_its_end_has_no_slope(void **unused) {
    (void)unused;
    struct execution execution;
    measure("ud2", &execution);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(execution.counts[i].status, STATUS_faulted);
        assert_true(isnan(execution.counts[i].value));
        assert_non_null(strstr(execution.counts[i].detail, "invalid opcode"));
    }
}

int main(void) {
    if (qemu_is_missing())
        return SKIPPED;
    put_fake_perf();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_around_two_boots_become_slopes),
        cmocka_unit_test(a_variant_that_does_not_prove_its_end_has_no_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

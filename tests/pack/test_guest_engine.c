// SPDX-License-Identifier: GPL-3.0-or-later
// The guest engine as the runner sees it, with accel=tcg: strays end with their status and
// reason, and nothing that a software CPU ran has a cost.
#include "tests/pack/pack_test.h"

#include "runner/engine/engine.h"

struct expectation {
    const char *name;
    enum status status;
    const char *detail;
};

static const struct expectation expected[] = {
    {"truth", STATUS_faulted, "unexpected output: 'cs 8'"},
    {"ud2", STATUS_faulted, "invalid opcode (#UD)"},
    {"endless", STATUS_timed_out, "still running"},
    {"triple_fault", STATUS_faulted, "triple fault"},
    {"good", STATUS_faulted, "exit status 0; unexpected output: 'good'"},
    {"stack_overflow", STATUS_faulted, "stack overflow"},
};

enum { JOBS = sizeof expected / sizeof *expected };

static struct {
    char paths[JOBS][512];
    struct engine_job jobs[JOBS];
    struct execution seen[JOBS];
    size_t count;
} state;

static int keep(const struct execution *execution, void *context) {
    (void)context;
    assert_true(state.count < JOBS);
    state.seen[state.count++] = *execution;
    return 0;
}

static struct engine_settings settings_for(const char *accel) {
    static char kernel[512];
    snprintf(kernel, sizeof kernel, "%s/kernel", getenv("ASMSWEEP_GUEST_DIRECTORY"));
    return (struct engine_settings){
        .cpu = -1, .slices = 200, .timeout = 2, .guest_kernel = kernel, .accel = accel};
}

static void make_jobs(void) {
    for (size_t i = 0; i < JOBS; i++) {
        const char *folder = strcmp(expected[i].name, "truth") ? "ASMSWEEP_GUEST_STRAYS"
                                                               : "ASMSWEEP_GUEST_DIRECTORY";
        snprintf(state.paths[i], sizeof state.paths[i], "%s/%s", getenv(folder), expected[i].name);
        state.jobs[i] = (struct engine_job){.index = 10 + i,
                                            .variant = expected[i].name,
                                            .path = state.paths[i],
                                            .needs = i % 2 ? NEEDS_cpl0 : NEEDS_none};
    }
    state.count = 0;
}

static void each_job_comes_back_once_with_status_and_reason(void **unused) {
    const struct engine *engine = engine_find("guest");
    struct engine_settings settings = settings_for("tcg");
    struct engine_probe probe;
    struct error error = {0};
    (void)unused;
    make_jobs();
    engine->probe(&settings, &probe);
    assert_int_equal(probe.usable, 1);
    assert_int_equal(probe.privilege, PRIVILEGE_emulated);
    assert_int_equal(probe.ring, 0);
    assert_int_equal(
        engine_measure(engine, &settings, &probe, state.jobs, JOBS, keep, NULL, &error), 0);
    assert_int_equal(state.count, JOBS);
    for (size_t i = 0; i < JOBS; i++) {
        assert_int_equal(state.seen[i].index, 10 + i);
        assert_int_equal(state.seen[i].status, expected[i].status);
        assert_contains(state.seen[i].detail, expected[i].detail);
        assert_int_equal(state.seen[i].slices.count, 0);
    }
}

static void where_cpl0_is_not_real_nothing_is_executed(void **unused) {
    const struct engine *engine = engine_find("guest");
    struct engine_settings settings = settings_for("kvm");
    const struct engine_probe probe = {
        .privilege = PRIVILEGE_emulated, .privilege_reason = "by traps", .accel = "kvm"};
    struct error error = {0};
    (void)unused;
    make_jobs();
    assert_int_equal(
        engine_measure(engine, &settings, &probe, state.jobs, JOBS, keep, NULL, &error), 0);
    assert_int_equal(state.count, JOBS);
    for (size_t i = 0; i < JOBS; i++) {
        assert_int_equal(state.seen[i].status, STATUS_emulated);
        assert_string_equal(state.seen[i].detail,
                            "not executed: CPL0 in this guest is emulated (by traps)");
    }
}

int main(void) {
    if (qemu_is_missing())
        return SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_job_comes_back_once_with_status_and_reason),
        cmocka_unit_test(where_cpl0_is_not_real_nothing_is_executed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

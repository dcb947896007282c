// SPDX-License-Identifier: GPL-3.0-or-later
// Ticks of CPUs that are not here: the right value, or a status that says there is none.
#include "tests/unit/unit.h"

#include "tests/host/synthetic_cpu.h"

enum { SLICES = 200, SEEDS = 20 };
static const double level = SYNTHETIC_WIDTH;

// What must come out. OR: either the right value as ok, or that status; never a wrong ok.
// NO_UNIT: the chains are so far off that the width segments, too, seem to be.
enum expect { OK, INVALID, NO_UNIT, UNSTABLE, IMPLAUSIBLE, OK_OR_UNSTABLE, OK_OR_INVALID };

static const struct row {
    const char *claim;
    struct synthetic_cpu cpu;
    int excluded;
    enum expect expect;
    double value, tolerance; // cycles an iteration; a part
    int imul;                // cycles that must be recorded
} rows[] = {
    {"imul of 3 cycles", {{1, 1, 3, 48}, .noise = 0.001}, CHAINS_all, OK, 48, 0.001, 3},
    {"imul of 4 cycles", {{1, 1, 4, 48}, .noise = 0.001}, CHAINS_all, OK, 48, 0.001, 4},
    {"imul of 5 cycles", {{1, 1, 5, 48}, .noise = 0.001}, CHAINS_all, OK, 48, 0.001, 5},
    {"imul of 6 cycles", {{1, 1, 6, 48}, .noise = 0.001}, CHAINS_all, OK, 48, 0.001, 6},
    {"imul of 3.5 cycles", {{1, 1, 3.5, 48}, .noise = 0.001}, CHAINS_all, INVALID, 0, 0, 0},
    {"imul of 2 cycles", {{1, 1, 2, 48}, .noise = 0.001}, CHAINS_all, INVALID, 0, 0, 0},
    {"imul of 7 cycles", {{1, 1, 7, 48}, .noise = 0.001}, CHAINS_all, INVALID, 0, 0, 0},
    {"the add chain is an add-immediate",
     {{0.17, 1, 3, 48}, .noise = 0.001},
     CHAINS_all,
     NO_UNIT,
     0,
     0,
     0},
    {"add-immediate where rol is left out",
     {{0.17, 1, 3, 16}, .noise = 0.001},
     SEGMENT_rol,
     NO_UNIT,
     0,
     0,
     0},
    {"add-immediate left out itself",
     {{0.17, 1, 3, 16}, .noise = 0.001},
     SEGMENT_add,
     OK,
     16,
     0.001,
     3},
    {"add-immediate where imul is left out",
     {{0.17, 1, 3, 48}, .noise = 0.001},
     SEGMENT_imul,
     NO_UNIT,
     0,
     0,
     0},
    {"rol of 2 cycles", {{1, 2, 3, 48}, .noise = 0.001}, CHAINS_all, NO_UNIT, 0, 0, 0},
    {"chains apart by 1 %", {{1, 1.01, 3, 48}, .noise = 0.001}, CHAINS_all, INVALID, 0, 0, 0},
    {"all three off", {{0.17, 0.5, 2.2, 48}, .noise = 0.001}, CHAINS_all, NO_UNIT, 0, 0, 0},
    {"all three off by one factor",
     {{1.25, 1.25, 3.75 * 1.1, 48}, .noise = 0.001},
     CHAINS_all,
     NO_UNIT,
     0,
     0,
     0},
    {"a loop of add", {{1, 1, 3, 64}, .noise = 0.001}, SEGMENT_add, OK, 64, 0.001, 3},
    {"a loop of rol", {{1, 1, 3, 64}, .noise = 0.001}, SEGMENT_rol, OK, 64, 0.001, 3},
    {"a loop of imul", {{1, 1, 4, 256}, .noise = 0.001}, SEGMENT_imul, OK, 256, 0.001, 0},
    {"two modes of the loop",
     {{1, 1, 3, 48}, .noise = 0.001, .second_loop = 96, .second_part = 0.5},
     CHAINS_all,
     UNSTABLE,
     0,
     0,
     3},
    {"a second mode in 15 %",
     {{1, 1, 3, 48}, .noise = 0.001, .second_loop = 60, .second_part = 0.15},
     CHAINS_all,
     OK_OR_UNSTABLE,
     48,
     0.002,
     3},
    {"clock drifts 8 % within",
     {{1, 1, 3, 48}, .noise = 0.001, .drift = 0.08},
     CHAINS_all,
     OK,
     48,
     0.001,
     3},
    {"clock drifts -8 % within",
     {{1, 1, 3, 48}, .noise = 0.001, .drift = -0.08},
     CHAINS_all,
     OK,
     48,
     0.001,
     3},
    {"clock drifts 8 % in a second",
     {{1, 1, 3, 48}, .noise = 0.001, .drift = 0.08, .drift_cycles = 3e9},
     CHAINS_all,
     OK,
     48,
     0.001,
     3},
    {"TSC at half the core clock",
     {{1, 1, 3, 48}, .noise = 0.001, .ticks_a_cycle = 0.5},
     CHAINS_all,
     OK,
     48,
     0.001,
     3},
    {"TSC at 1.4 times the core clock",
     {{1, 1, 3, 48}, .noise = 0.001, .ticks_a_cycle = 1.4},
     CHAINS_all,
     OK,
     48,
     0.001,
     3},
    {"TSC in steps of 26",
     {{1, 1, 3, 48}, .noise = 0.001, .step = 26},
     CHAINS_all,
     OK,
     48,
     0.001,
     3},
    {"the same without other noise", {{1, 1, 3, 48}, .step = 26}, CHAINS_all, OK, 48, 0.001, 3},
    {"steps of 26 and half the clock",
     {{1, 1, 3, 18.2}, .step = 26, .ticks_a_cycle = 0.5},
     CHAINS_all,
     OK_OR_INVALID,
     18.2,
     0.003,
     3},
    {"interrupts in 1 % of the slices",
     {{1, 1, 3, 48}, .noise = 0.001, .interrupted = 0.00125},
     CHAINS_all,
     OK,
     48,
     0.001,
     3},
    {"interrupts in 10 % of the slices",
     {{1, 1, 3, 48}, .noise = 0.001, .interrupted = 0.0125},
     CHAINS_all,
     OK,
     48,
     0.002,
     3},
    {"interrupts in 50 % of the slices",
     {{1, 1, 3, 48}, .noise = 0.001, .interrupted = 0.07},
     CHAINS_all,
     OK_OR_INVALID,
     48,
     0.005,
     3},
    {"an iteration longer than a slice",
     {{1, 1, 3, 20000}, .noise = 0.001},
     CHAINS_all,
     OK,
     20000,
     0.001,
     3},
    {"a loop of half a cycle", {{1, 1, 3, 0.5}, .noise = 0.001}, CHAINS_all, OK, 0.5, 0.001, 3},
    {"a loop faster than a jump",
     {{1, 1, 3, 0.25}, .noise = 0.001},
     CHAINS_all,
     IMPLAUSIBLE,
     0,
     0,
     3},
    {"a loop that takes no time",
     {{1, 1, 3, 1e-9}, .noise = 0.001},
     CHAINS_all,
     IMPLAUSIBLE,
     0,
     0,
     3},
};

static int fits(const struct row *row, const struct stopwatch_value *value) {
    int right = value->status == STATUS_ok &&
                fabs(value->cycles.value / row->value - 1) <= row->tolerance &&
                value->imul_cycles == row->imul;
    switch (row->expect) {
    case OK:
        return right;
    case INVALID:
        return value->status == STATUS_invalid_reference;
    case NO_UNIT:
        return value->status == STATUS_invalid_reference || value->status == STATUS_contended;
    case UNSTABLE:
        return value->status == STATUS_unstable;
    case IMPLAUSIBLE:
        return value->status == STATUS_implausible;
    case OK_OR_UNSTABLE:
        return right || value->status == STATUS_unstable;
    case OK_OR_INVALID:
        return right || value->status == STATUS_invalid_reference;
    }
    return 0;
}

static void every_cpu_gives_the_right_value_or_a_status_never_a_wrong_ok(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (unsigned long seed = 1; seed <= SEEDS; seed++) {
            struct slices slices;
            struct stopwatch_value value;
            synthetic_slices(&rows[i].cpu, SLICES, seed, &slices);
            stopwatch_evaluate(&slices, rows[i].excluded, level, seed, &value);
            synthetic_free(&slices);
            if (!fits(&rows[i], &value))
                fail_msg("%s (seed %lu): %s, %.6g cycles, imul %d: %s", rows[i].claim, seed,
                         status_name(value.status), value.cycles.value, value.imul_cycles,
                         value.detail);
            if (value.status < STATUS_unstable && !isnan(value.cycles.value))
                fail_msg("%s: %s, and yet a value", rows[i].claim, status_name(value.status));
            if (value.status != STATUS_ok && !*value.detail)
                fail_msg("%s: %s without a reason", rows[i].claim, status_name(value.status));
        }
}

static void evaluate(const struct synthetic_cpu *cpu, size_t count, struct stopwatch_value *value) {
    struct slices slices;
    synthetic_slices(cpu, count, 7, &slices);
    stopwatch_evaluate(&slices, CHAINS_all, level, 7, value);
    synthetic_free(&slices);
}

static void the_tsc_rate_and_its_drift_are_reported(void **state) {
    (void)state;
    struct synthetic_cpu cpu = {{1, 1, 3, 48}, .ticks_a_cycle = 0.7, .noise = 0.001};
    struct stopwatch_value value;
    evaluate(&cpu, SLICES, &value);
    assert_near(value.ticks_per_cycle, 0.7, 0.001);
    assert_near(value.ticks, 48 * 0.7, 0.05);
    assert_near(value.clock_drift, 0, 0.001);
    cpu.drift = 0.08;
    evaluate(&cpu, SLICES, &value);
    assert_near(value.clock_drift, 0.06, 0.01); // last quarter against first: three quarters of it
}

static void disturbed_slices_are_counted(void **state) {
    (void)state;
    struct synthetic_cpu cpu = {{1, 1, 3, 48}, .noise = 0.001, .unseen = 1};
    struct stopwatch_value value;
    evaluate(&cpu, SLICES, &value);
    assert_near(value.disturbed, 0, 0);
    // Nobody sees those of the two runs of the loop; the other segments' chains or width tell.
    cpu.interrupted = 0.025;
    evaluate(&cpu, SLICES, &value);
    assert_true(value.disturbed > 0.03 && value.disturbed < 0.2);
}

static void fewer_than_12_quiet_slices_are_contended(void **state) {
    (void)state;
    struct synthetic_cpu cpu = {.cycles = {1, 1, 3, 48}};
    struct stopwatch_value value;
    evaluate(&cpu, 11, &value);
    assert_int_equal(value.status, STATUS_contended);
    assert_nan(value.cycles.value);
    evaluate(&cpu, 12, &value);
    assert_int_equal(value.status, STATUS_ok);
    assert_int_equal(value.samples, 12);
    assert_near(value.quiet, 1, 0);
}

// Whatever agrees in an execution may have been shared throughout.
static void without_a_known_level_all_is_contended(void **state) {
    (void)state;
    struct synthetic_cpu cpu = {.cycles = {1, 1, 3, 48}};
    struct slices slices;
    struct stopwatch_value value;
    synthetic_slices(&cpu, SLICES, 5, &slices);
    stopwatch_evaluate(&slices, CHAINS_all, NAN, 5, &value);
    synthetic_free(&slices);
    assert_int_equal(value.status, STATUS_contended);
    assert_nan(value.cycles.value);
    assert_contains(value.detail, "is not known");
    assert_contains(value.detail, "all together 48");
}

// What the slices are above the level goes into the interval: a little of a light neighbour, or a
// level that is told too low.
static void what_is_above_the_level_is_in_the_interval(void **state) {
    (void)state;
    struct synthetic_cpu cpu = {
        {1, 1, 3, 48}, .noise = 0.001, .neighbour = {1, 1, {1, 1, 1, 1.004, 1.004, 1.004}}};
    struct stopwatch_value value;
    evaluate(&cpu, SLICES, &value);
    assert_int_equal(value.status, STATUS_ok);
    assert_near(value.excess, 0.004, 0.0005);
    assert_near(value.width, SYNTHETIC_WIDTH * 1.004, 0.02);
    assert_near(value.cycles.value, 48.19, 0.05);
    assert_true(value.cycles.low <= 48);
}

// 1 % of the width can be 12 % of a loop of microcode.
static void beside_a_light_neighbour_there_is_no_value(void **state) {
    (void)state;
    struct synthetic_cpu cpu = {
        {1, 1, 3, 48}, .noise = 0.001, .neighbour = {1, 1, {1, 1, 1, 1.12, 1.01, 1.01}}};
    struct stopwatch_value value;
    evaluate(&cpu, SLICES, &value);
    assert_int_equal(value.status, STATUS_contended);
    assert_nan(value.cycles.value);
    assert_contains(value.detail,
                    "a light neighbour: the width segments take 0.98 % more than alone");
}

static void segments_that_run_backwards_are_no_value(void **state) {
    (void)state;
    static const int segments[] = {SEGMENT_add, SEGMENT_rol, SEGMENT_imul, SEGMENT_loop};
    for (size_t i = 0; i < COUNT_OF(segments); i++) {
        struct synthetic_cpu cpu = {{1, 1, 3, 48}, .noise = 0.001};
        struct slices slices;
        struct stopwatch_value value;
        synthetic_slices(&cpu, SLICES, 3, &slices);
        for (size_t at = 0; at < slices.count; at++)
            slices.slices[at].ticks[segments[i]][1] = 0;
        stopwatch_evaluate(&slices, CHAINS_all, level, 3, &value);
        synthetic_free(&slices);
        assert_true(value.status == STATUS_contended || value.status == STATUS_invalid_reference ||
                    value.status == STATUS_implausible);
        assert_nan(value.cycles.value);
        assert_nan(value.cycles.low);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cpu_gives_the_right_value_or_a_status_never_a_wrong_ok),
        cmocka_unit_test(the_tsc_rate_and_its_drift_are_reported),
        cmocka_unit_test(disturbed_slices_are_counted),
        cmocka_unit_test(fewer_than_12_quiet_slices_are_contended),
        cmocka_unit_test(without_a_known_level_all_is_contended),
        cmocka_unit_test(what_is_above_the_level_is_in_the_interval),
        cmocka_unit_test(beside_a_light_neighbour_there_is_no_value),
        cmocka_unit_test(segments_that_run_backwards_are_no_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// What a run makes of its executions: which status stands in summary.csv, and when a variant
// is measured once more.
#include "runner/engine/engine.h"
#include "runner/estimate/tally.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

static struct measurements_row row_of(const char *source, double value, enum status status,
                                      const char *detail) {
    struct measurements_row row;
    rows_empty(FILE_measurements, &row);
    row.engine_keys = (struct engine_keys){"perf", "native", 3, PRIVILEGE_not_needed};
    row.quantity = QUANTITY_cycles;
    row.source = source;
    row.value = value;
    row.ci_low = value - 0.01;
    row.ci_high = value + 0.01;
    row.spread = 0.01;
    row.samples = 200;
    row.status = status;
    row.detail = detail;
    return row;
}

static void add(struct tallies *tallies, const char *source, double value, enum status status,
                const char *detail) {
    struct measurements_row row = row_of(source, value, status, detail);
    tallies_add(tallies, &row);
}

// `ok` executions of about 10 cycles, then `others` of a status.
static struct pooled pool(size_t ok, size_t others, enum status status, double value) {
    struct tallies tallies = {0};
    struct pooled pooled;
    for (size_t i = 0; i < ok; i++)
        add(&tallies, "stopwatch", 10 + 0.001 * (double)i, STATUS_ok, "");
    for (size_t i = 0; i < others; i++)
        add(&tallies, "stopwatch", value, status, "the reason");
    tally_pool(tallies_cycles(&tallies), 0.005, &pooled);
    tallies_free(&tallies);
    return pooled;
}

static void all_ok_is_their_mean(void **unused) {
    (void)unused;
    struct pooled pooled = pool(5, 0, STATUS_ok, NAN);
    assert_int_equal(pooled.status, STATUS_ok);
    assert_true(fabs(pooled.cycles.value - 10.002) < 1e-9);
    assert_string_equal(pooled.detail, "");
}

static void a_minority_without_a_value_is_told_and_left_out(void **unused) {
    (void)unused;
    struct pooled pooled = pool(4, 1, STATUS_invalid_reference, NAN);
    assert_int_equal(pooled.status, STATUS_ok);
    assert_int_equal(pooled.executions, 4);
    assert_non_null(strstr(pooled.detail, "1 of 5 executions invalid_reference: the reason"));
}

static void a_majority_without_a_value_leaves_none(void **unused) {
    (void)unused;
    struct pooled pooled = pool(2, 3, STATUS_faulted, NAN);
    assert_int_equal(pooled.status, STATUS_faulted);
    assert_true(isnan(pooled.cycles.value));
}

static void three_executions_with_a_unit_are_enough_two_are_not(void **unused) {
    (void)unused;
    struct pooled three = pool(3, 7, STATUS_invalid_reference, NAN);
    struct pooled two = pool(2, 8, STATUS_invalid_reference, NAN);
    assert_int_equal(three.status, STATUS_ok);
    assert_non_null(strstr(three.detail, "7 of 10 executions invalid_reference"));
    assert_int_equal(two.status, STATUS_invalid_reference);
    assert_true(isnan(two.cycles.value));
}

// That the core was shared says nothing of the variant: as when the reference chains disagree.
static void three_quiet_executions_are_enough_two_are_not(void **unused) {
    (void)unused;
    struct pooled three = pool(3, 7, STATUS_contended, NAN);
    struct pooled two = pool(2, 8, STATUS_contended, NAN);
    assert_int_equal(three.status, STATUS_ok);
    assert_non_null(strstr(three.detail, "7 of 10 executions contended: the reason"));
    assert_int_equal(two.status, STATUS_contended);
    assert_true(isnan(two.cycles.value));
}

// Executions of about 10 cycles: ok and followed, ok and not followed, and `changing` ones.
static struct pooled pool_followed(size_t followed, size_t blind, size_t changing,
                                   unsigned *remarks) {
    struct tallies tallies = {0};
    struct pooled pooled;
    for (size_t i = 0; i < followed + blind; i++) {
        struct measurements_row row = row_of("stopwatch", 10 + 0.001 * (double)i, STATUS_ok, "");
        row.remarks = i < followed ? 0 : 1U << REMARK_not_followed;
        tallies_add(&tallies, &row);
    }
    for (size_t i = 0; i < changing; i++)
        add(&tallies, "stopwatch", NAN, STATUS_not_constant, i ? "later" : "up to 512 72 cycles");
    tally_pool(tallies_cycles(&tallies), 0.005, &pooled);
    *remarks = tally_remarks(tallies_cycles(&tallies));
    tallies_free(&tallies);
    return pooled;
}

static void a_third_of_those_that_were_followed_says_not_constant(void **unused) {
    (void)unused;
    unsigned remarks;
    struct pooled two = pool_followed(3, 0, 2, &remarks);
    assert_int_equal(two.status, STATUS_not_constant);
    assert_true(isnan(two.cycles.value));
    assert_string_equal(two.detail, "up to 512 72 cycles");
    struct pooled one = pool_followed(4, 0, 1, &remarks);
    assert_int_equal(one.status, STATUS_ok);
    assert_non_null(strstr(one.detail, "1 of 5 executions not_constant"));
    // Who could not see it has no say.
    assert_int_equal(pool_followed(1, 3, 2, &remarks).status, STATUS_not_constant);
    // One alone wants further executions.
    struct pooled alone = pool_followed(1, 3, 1, &remarks);
    assert_int_equal(alone.status, STATUS_contended);
    assert_true(isnan(alone.cycles.value));
    assert_string_equal(alone.detail, "in one execution that was followed: up to 512 72 cycles");
    assert_int_equal(pool_followed(0, 0, 1, &remarks).status, STATUS_not_constant);
}

struct change {
    double early, later; // cycles; 0: behind the last one
};
static const struct change faster = {122.9, 119.4}, slower = {119.1, 121}, none = {0, 0};

// `constant` executions of about 121.2 cycles that were followed; others that saw `changes`.
static struct pooled pool_changes(size_t constant, const struct change *changes) {
    struct tallies tallies = {0};
    struct pooled pooled;
    for (size_t i = 0; i < constant; i++)
        add(&tallies, "stopwatch", 121.2, STATUS_ok, "");
    for (; changes->early > 0; changes++) {
        struct measurements_row row = row_of("stopwatch", NAN, STATUS_not_constant, "changes");
        row.early = changes->early;
        row.later = changes->later;
        tallies_add(&tallies, &row);
    }
    tally_pool(tallies_cycles(&tallies), 0.005, &pooled);
    tallies_free(&tallies);
    return pooled;
}

// As lock add: 7.0 and 8.0 cycles, whichever a run gets. A cost that rises is none of that.
static void executions_that_contradict_each_other_have_two_speeds(void **unused) {
    (void)unused;
    struct pooled beside = pool_changes(2, (const struct change[]){faster, faster, none});
    assert_int_equal(beside.status, STATUS_unstable);
    assert_true(fabs(beside.cycles.value - 121.2) < 1e-9);
    assert_true(beside.cycles.low == 119.4 && beside.cycles.high == 122.9);
    assert_string_equal(beside.detail,
                        "two speeds, 119.4 and 122.9 cycles: in 2 of 4 executions later iterations "
                        "were faster, in 0 slower, in 2 neither");
    struct pooled opposite = pool_changes(0, (const struct change[]){faster, slower, none});
    assert_int_equal(opposite.status, STATUS_unstable);
    assert_true(fabs(opposite.cycles.value - 121) < 1e-9);
    assert_true(opposite.cycles.low == 119.1 && opposite.cycles.high == 122.9);
    struct pooled rises = pool_changes(2, (const struct change[]){slower, slower, none});
    assert_int_equal(rises.status, STATUS_not_constant);
    assert_true(isnan(rises.cycles.value));
    struct pooled falls = pool_changes(0, (const struct change[]){faster, faster, none});
    assert_int_equal(falls.status, STATUS_not_constant);
    struct pooled once = pool_changes(2, (const struct change[]){faster, none});
    assert_int_equal(once.status, STATUS_contended);
}

static void one_execution_that_was_followed_is_enough(void **unused) {
    (void)unused;
    unsigned remarks;
    struct pooled one = pool_followed(1, 4, 0, &remarks), none;
    assert_int_equal(one.status, STATUS_ok);
    assert_int_equal(remarks, 0);
    assert_string_equal(one.detail, "");
    none = pool_followed(0, 5, 0, &remarks);
    assert_int_equal(none.status, STATUS_contended);
    assert_true(isnan(none.cycles.value));
    assert_string_equal(none.detail, remark_meaning(REMARK_not_followed));
}

static void two_modes_that_cannot_be_followed_are_unstable(void **unused) {
    (void)unused;
    struct tallies tallies = {0};
    struct pooled pooled;
    for (size_t i = 0; i < 5; i++) {
        struct measurements_row row = row_of("stopwatch", 27, STATUS_unstable, "two modes: 24, 30");
        row.remarks = 1U << REMARK_not_followed;
        tallies_add(&tallies, &row);
    }
    tally_pool(tallies_cycles(&tallies), 0.005, &pooled);
    tallies_free(&tallies);
    assert_int_equal(pooled.status, STATUS_unstable);
    assert_non_null(strstr(pooled.detail, "two modes: 24, 30"));
}

// A light neighbour in some executions: its mean excess is in the interval of the pool; a level
// that an execution is below of makes it no narrower. One `width_only` is one too many.
static void excess_quiet_and_remarks_are_those_of_all_executions(void **unused) {
    (void)unused;
    static const double excess[] = {0.002, -0.001, 0.004, 0.001, 0.003};
    struct tallies tallies = {0};
    struct pooled pooled;
    for (int i = 0; i < 5; i++) {
        struct measurements_row row = row_of("stopwatch", 10, STATUS_ok, "");
        row.excess = excess[i];
        row.quiet = 0.2 * i;
        row.remarks = i == 3 ? 1U << REMARK_width_only : 0;
        tallies_add(&tallies, &row);
    }
    const struct tally *cycles = tallies_cycles(&tallies);
    tally_pool(cycles, 0.005, &pooled);
    double own = 0.01 / sqrt(5), floor = STOPWATCH_FLOOR * 10;
    // 0.02 is the mean excess, 0.006 the doubt for the 60 % of the slices that were not quiet.
    double added = 0.02 + 0.006;
    assert_true(fabs(pooled.cycles.high - 10 - added - sqrt(own * own + floor * floor)) < 1e-6);
    assert_true(fabs(tally_quiet(cycles) - 0.4) < 1e-9);
    assert_int_equal(tally_remarks(cycles), 1U << REMARK_width_only);
    assert_non_null(strstr(pooled.detail, "provisional: quiet by width only"));
    tallies_free(&tallies);
    add(&tallies, "stopwatch", 10, STATUS_ok, "");
    assert_true(isnan(tally_quiet(tallies_cycles(&tallies)))); // a row of an older run
    tallies_free(&tallies);
}

static void two_modes_in_one_of_five_are_told_in_two_of_five_they_stand(void **unused) {
    (void)unused;
    struct pooled one = pool(4, 1, STATUS_unstable, 10.001),
                  two = pool(3, 2, STATUS_unstable, 10.001);
    assert_int_equal(one.status, STATUS_ok);
    assert_non_null(strstr(one.detail, "1 of 5 executions with two modes"));
    assert_int_equal(two.status, STATUS_unstable);
    assert_true(fabs(two.cycles.value - 10.001) < 1e-3);
}

static void executions_in_two_groups_are_unstable(void **unused) {
    (void)unused;
    struct pooled pooled = pool(3, 2, STATUS_ok, 20);
    assert_int_equal(pooled.status, STATUS_unstable);
    assert_non_null(strstr(pooled.detail, "two modes between executions: 10.001 and 20"));
}

static void sources_are_pooled_apart_and_the_first_stands_for_the_variant(void **unused) {
    (void)unused;
    struct tallies tallies = {0};
    add(&tallies, "stopwatch", 10, STATUS_ok, "");
    add(&tallies, "pmu", 11, STATUS_ok, "");
    assert_int_equal(tallies.count, 2);
    assert_string_equal(tallies_cycles(&tallies)->source, "stopwatch");
    tallies_free(&tallies);
}

static void how_if_is_restored_is_what_any_row_says(void **unused) {
    struct measurements_row row = row_of("stopwatch", 5, STATUS_ok, "");
    struct tallies tallies = {0};
    (void)unused;
    row.restores = "popf";
    tallies_add(&tallies, &row);
    row.restores = ""; // of a later one that was not loaded
    tallies_add(&tallies, &row);
    assert_string_equal(tallies.items[0].restores, "popf");
    tallies_free(&tallies);
}

static void more_blocks_are_for_values_that_are_too_wide_only(void **unused) {
    (void)unused;
    struct tallies narrow = {0}, wide = {0}, refused = {0}, disturbed = {0};
    for (int i = 0; i < 5; i++) {
        add(&narrow, "stopwatch", 10 + 0.001 * i, STATUS_ok, "");
        add(&wide, "stopwatch", 10 + 0.2 * i, STATUS_ok, "");
        add(&refused, "stopwatch", NAN, STATUS_refused, "no privilege");
        add(&disturbed, "stopwatch", NAN, i ? STATUS_contended : STATUS_invalid_reference,
            "a busy neighbour");
    }
    assert_false(tallies_too_wide(&narrow, 0.005));
    assert_true(tallies_too_wide(&wide, 0.005));
    assert_false(tallies_too_wide(&refused, 0.005));
    assert_true(tallies_too_wide(&disturbed, 0.005));
    assert_true(tallies_lack_quiet(&disturbed, 0.005));
    assert_false(tallies_lack_quiet(&wide, 0.005));
    assert_false(tallies_lack_quiet(&refused, 0.005));
    tallies_free(&narrow);
    tallies_free(&wide);
    tallies_free(&refused);
    tallies_free(&disturbed);
}

// Executions of an event that happens `value` times an iteration, with a count more or less.
static struct pooled pool_event(double value, double apart) {
    struct tallies tallies = {0};
    struct pooled pooled;
    for (int i = 0; i < 5; i++) {
        struct measurements_row row;
        rows_empty(FILE_measurements, &row);
        row.quantity = QUANTITY_event;
        row.source = "kernel";
        row.event = "page-faults";
        row.value = value + (i % 2 ? apart : -apart);
        row.status = STATUS_ok;
        row.detail = "";
        tallies_add(&tallies, &row);
    }
    tally_pool(&tallies.items[0], 0.005, &pooled);
    tallies_free(&tallies);
    return pooled;
}

static void an_event_that_hardly_happens_is_known_to_a_part_of_one_count(void **unused) {
    (void)unused;
    struct pooled never = pool_event(0, 0), seldom = pool_event(0, 0.001);
    assert_int_equal(never.status, STATUS_ok);
    assert_true(never.cycles.value == 0 && never.cycles.low == 0 && never.cycles.high == 0);
    assert_int_equal(seldom.status, STATUS_ok);
    assert_true(seldom.cycles.low < 0 && seldom.cycles.high > 0);
    assert_string_equal(seldom.detail, "");
    assert_int_equal(pool_event(0, 0.1).status, STATUS_unstable);
    assert_int_equal(pool_event(1, 0.1).status, STATUS_unstable);
    assert_int_equal(pool_event(100, 0.1).status, STATUS_ok);
}

static void every_engine_names_the_source_of_its_cycles(void **unused) {
    (void)unused;
    size_t count;
    const struct engine *const *engines = engine_list(&count);
    assert_true(count >= 2);
    for (size_t i = 0; i < count; i++) {
        assert_non_null(engines[i]->source);
        assert_true(*engines[i]->source != '\0');
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ok_is_their_mean),
        cmocka_unit_test(a_minority_without_a_value_is_told_and_left_out),
        cmocka_unit_test(a_majority_without_a_value_leaves_none),
        cmocka_unit_test(three_executions_with_a_unit_are_enough_two_are_not),
        cmocka_unit_test(three_quiet_executions_are_enough_two_are_not),
        cmocka_unit_test(a_third_of_those_that_were_followed_says_not_constant),
        cmocka_unit_test(executions_that_contradict_each_other_have_two_speeds),
        cmocka_unit_test(one_execution_that_was_followed_is_enough),
        cmocka_unit_test(excess_quiet_and_remarks_are_those_of_all_executions),
        cmocka_unit_test(two_modes_that_cannot_be_followed_are_unstable),
        cmocka_unit_test(two_modes_in_one_of_five_are_told_in_two_of_five_they_stand),
        cmocka_unit_test(executions_in_two_groups_are_unstable),
        cmocka_unit_test(sources_are_pooled_apart_and_the_first_stands_for_the_variant),
        cmocka_unit_test(how_if_is_restored_is_what_any_row_says),
        cmocka_unit_test(more_blocks_are_for_values_that_are_too_wide_only),
        cmocka_unit_test(an_event_that_hardly_happens_is_known_to_a_part_of_one_count),
        cmocka_unit_test(every_engine_names_the_source_of_its_cycles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

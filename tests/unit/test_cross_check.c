// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the cross-check agrees with a run, and which loop can be its unit.
#include "runner/run/cross_check.h"

#include "tests/unit/run_folder.h"
#include "tests/unit/unit.h"

#include <sha2.h>
#include <sys/stat.h>

static void add(struct tallies *tallies, const char *engine, double value, double half) {
    struct measurements_row row;
    rows_empty(FILE_measurements, &row);
    row.engine = row.source = engine;
    row.quantity = QUANTITY_cycles;
    row.status = isnan(value) ? STATUS_faulted : STATUS_ok;
    row.value = value;
    row.ci_low = value - half;
    row.ci_high = value + half;
    tallies_add(tallies, &row);
}

// A run of 5 executions near `run`, and a cross-check.
static void expect(double run, double other, double half, enum cross_check_verdict verdict,
                   double smallest) {
    struct tallies tallies = {0};
    double cycles[2], seen;
    for (int i = 0; i < 5; i++)
        add(&tallies, "perf", run, 0.001);
    add(&tallies, "hyperfine", other, half);
    assert_int_equal(cross_check_judge(&tallies, 0.005, cycles, &seen), verdict);
    if (verdict == CROSS_CHECK_absent) {
        assert_nan(seen);
    } else {
        assert_near(cycles[0], run, 1e-6);
        assert_near(cycles[1], other, 1e-6);
        assert_near(seen, smallest, 1e-6);
    }
    tallies_free(&tallies);
}

static void a_narrow_cross_check_beside_the_run_agrees(void **unused) {
    (void)unused;
    expect(50, 50.5, 0.4, CROSS_CHECK_agrees, 0.4 / 50.5);
    expect(2, 2.05, 0.04, CROSS_CHECK_agrees, 0.04 / 2.05); // 0.1 cycle is more than 2 % here
}

static void a_gap_that_matters_is_a_disagreement_however_wide_the_cross_check(void **unused) {
    (void)unused;
    expect(50, 56, 0.4, CROSS_CHECK_disagrees, 0.4 / 56);
    expect(3, 0.5, 0.1, CROSS_CHECK_disagrees, 0.2);
}

static void a_cross_check_too_wide_to_see_what_matters_tells_nothing(void **unused) {
    (void)unused;
    expect(50, 50.1, 3, CROSS_CHECK_blind, 3 / 50.1);
    expect(50, 52, 1.1, CROSS_CHECK_blind, 1.1 / 52);     // apart, but within what it could not see
    expect(32, 9.7, 14.6, CROSS_CHECK_blind, 14.6 / 9.7); // a ratio without an upper end
}

static void what_another_call_does_not_repeat_is_no_disagreement(void **unused) {
    (void)unused;
    static const double apart[] = {1.6, 8.1, 8.0}, alike[] = {5.0, 5.02, 5.01};
    struct tallies once = {0}, stays = {0};
    double cycles[2], seen;
    for (int i = 0; i < 5; i++) {
        add(&once, "perf", 8, 0.001);
        add(&stays, "perf", 8, 0.001);
    }
    for (int i = 0; i < CROSS_CHECK_BLOCKS; i++) {
        add(&once, "hyperfine", apart[i], 0.3);
        add(&stays, "hyperfine", alike[i], 0.3);
        assert_int_equal(cross_check_judge(&once, 0.005, cycles, &seen),
                         i ? CROSS_CHECK_blind : CROSS_CHECK_disagrees);
    }
    assert_near(cycles[1], 5.9, 1e-6);
    // Student's 4.303 on 2 degrees of freedom, a standard deviation of 3.7242, and 3 executions.
    assert_near(seen, 4.303 * 3.7242 / sqrt(3) / 5.9, 1e-3);
    assert_int_equal(cross_check_judge(&stays, 0.005, cycles, &seen), CROSS_CHECK_disagrees);
    assert_near(cycles[1], 5.01, 1e-6);
    tallies_free(&once);
    tallies_free(&stays);
}

static void without_a_value_nothing_is_compared(void **unused) {
    (void)unused;
    expect(NAN, 50, 1, CROSS_CHECK_absent, NAN);
    expect(50, NAN, 1, CROSS_CHECK_absent, NAN);
}

static const char variants[] =
    "sweep,family,variant,parameters,mix,order,group,groups,context,excludes_chain,"
    "retired_expected,iterations,duplicate_of,needs,sequence,bytes_claimed,address_claimed,source\n"
    "s,%s,one,,,fixed,nop,99,,,,1000,,none,,,,\n";

static char folder[32]; // a build with one binary

// The unit of a build whose only loop is of this family and holds this; 0: none, and why.
static double unit_of(const char *family, const char *order, const char *status, char *why) {
    char plan_text[400], proof_text[600], binary[64], digits[65] = "";
    struct plan plan;
    struct error error;
    double cycles;
    snprintf(binary, sizeof binary, "%s/bin/one", folder);
    SHA256File(binary, digits);
    snprintf(plan_text, sizeof plan_text, variants, family);
    snprintf(proof_text, sizeof proof_text,
             "variant,elf_sha256,loop_sha256,loop_address,loop_bytes,jcc_erratum,mix_found,"
             "order_found,status,detail,mix_claimed,retired_expected,retired_cpl0,retired_cpl3\n"
             "one,%s,,,,,,\"%s\",%s,,,,,\n",
             digits, order, status);
    write_plan(folder, plan_text, proof_text);
    assert_int_equal(plan_read(folder, NULL, &plan, &error), 0);
    why[0] = '\0';
    const struct variant *unit = plan_calibrator(&plan, &cycles, why, 320);
    plan_free(&plan);
    return unit ? cycles : 0;
}

static void only_a_proved_chain_of_add_is_a_unit_of_as_many_cycles_as_were_found(void **unused) {
    char why[320];
    (void)unused;
    assert_int_equal((int)unit_of("calibrator", "32*add %rbx,%rbx; dec %eax; jnz", "ok", why), 32);
    assert_int_equal((int)unit_of("calibrator", "16*add %r9d,%r9d; dec %eax; jnz", "ok", why), 16);
    static const char *const none[] = {
        "push %rbx; popfq; dec %eax; jnz",      "32*add %rbx,%rcx; dec %eax; jnz",
        "32*add %rbx,%rbx; nop; dec %eax; jnz", "32*add %bl,%bl; dec %eax; jnz",
        "4*add %rbx,%rbx; dec %eax; jnz",       "32*add %rbx,%rbx; dec %eax; jnz; nop"};
    for (size_t i = 0; i < COUNT_OF(none); i++) {
        char whole[400];
        assert_int_equal((int)unit_of("calibrator", none[i], "ok", why), 0);
        snprintf(whole, sizeof whole,
                 "one holds '%.60s', not a chain of add r,r alone; name that loop otherwise, add "
                 "[[family]] with name = \"calibrator\"",
                 none[i]);
        assert_string_equal(why, whole);
    }
}

static void without_a_proved_calibrator_there_is_none(void **unused) {
    char why[320];
    (void)unused;
    assert_int_equal((int)unit_of("calibrator", "32*add %rbx,%rbx; dec %eax; jnz", "mismatch", why),
                     0);
    assert_string_equal(why, "one is unproved: its proof failed: build the sweep again");
    assert_int_equal((int)unit_of("chain", "32*add %rbx,%rbx; dec %eax; jnz", "ok", why), 0);
    assert_string_equal(why, "the sweep has no calibrator; add [[family]] with name = "
                             "\"calibrator\" and build it again");
}

static int make_build(void **unused) {
    (void)unused;
    return make_build_folder(folder, (const char *const[]){"one", NULL});
}

static int remove_build(void **unused) {
    (void)unused;
    remove_folder(folder);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_narrow_cross_check_beside_the_run_agrees),
        cmocka_unit_test(a_gap_that_matters_is_a_disagreement_however_wide_the_cross_check),
        cmocka_unit_test(a_cross_check_too_wide_to_see_what_matters_tells_nothing),
        cmocka_unit_test(what_another_call_does_not_repeat_is_no_disagreement),
        cmocka_unit_test(without_a_value_nothing_is_compared),
        cmocka_unit_test(only_a_proved_chain_of_add_is_a_unit_of_as_many_cycles_as_were_found),
        cmocka_unit_test(without_a_proved_calibrator_there_is_none),
    };
    return cmocka_run_group_tests(tests, make_build, remove_build);
}

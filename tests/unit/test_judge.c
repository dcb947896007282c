// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of a row of proof.csv when the guest has counted: only a contradiction is a
// mismatch.
#include "runner/disassemble/instruction.h"
#include "runner/prove/judge.h"

#include "runner/disassemble/counter.h"

#include "tests/unit/unit.h"

// Counts (thousandths; negative: not counted) of a loop with this mix and claim, and what they
// must come to.
static void expect(const char *mix, const char *claimed, int64_t cpl0, int64_t cpl3,
                   const char *status, const char *detail) {
    const int64_t counts[JUDGE_RINGS] = {cpl0, cpl3};
    struct proof proof = proof_new(1);
    struct proof_row *row = proof.row;
    row->status = "ok";
    row->mix_found = mix;
    row->retired_expected = claimed;
    judge_counts(&proof, row, counts, JUDGE_RINGS);
    assert_string_equal(row->status, status);
    assert_string_equal(row->detail, detail);
    proof_free(&proof);
}

static void a_claim_is_held_against_both_rings(void **unused) {
    (void)unused;
    expect("28*sti+1*dec+1*jnz", "30", 30000, 30000, "ok", "");
    expect("28*sti+1*dec+1*jnz", "30", 30000, 31500, "mismatch",
           "guest: CPL3 retires 31.5 an iteration, claimed are 30: 1.5 too many");
    expect("28*sti+1*dec+1*jnz", "3O", 30000, -1, "mismatch",
           "guest: CPL0: retired_expected '3O' is no number of at most three decimals");
}

static void without_a_claim_the_count_is_told_and_the_row_stays_ok(void **unused) {
    (void)unused;
    expect("2*nop+1*dec+1*jnz", "", 4000, 4000, "ok",
           "guest: retired 4 an iteration; nothing was claimed");
    expect("2*nop+1*dec+1*jnz", "", -1, 4000, "ok",
           "guest: retired 4 an iteration; nothing was claimed");
    expect("2*test+1*jz+3*nop+1*dec+1*jnz", "", 7250, 7250, "ok",
           "guest: retired 7.25 an iteration; nothing was claimed");
    expect("2*nop+1*dec+1*jnz", "", -1, -1, "ok", "");
}

static void without_a_claim_a_straight_loop_retires_what_stands_in_it(void **unused) {
    (void)unused;
    expect("2*nop+1*dec+1*jnz", "", 5000, -1, "mismatch",
           "guest: CPL0 retires 5 an iteration, the loop has 4: 1 too many; "
           "guest: retired 5 an iteration; nothing was claimed");
}

static void without_a_claim_the_rings_must_agree(void **unused) {
    (void)unused;
    expect("1*test+1*jz+1*nop+1*dec+1*jnz", "", 4000, 5000, "mismatch",
           "guest: CPL0 retires 4 an iteration, CPL3 5");
}

static void a_loop_with_rep_is_compared_with_nothing(void **unused) {
    (void)unused;
    expect("1*mov+1*rep movsb+1*dec+1*jnz", "4", 67000, 67000, "ok",
           "guest: retired 67 an iteration; the emulator counts each step of a rep");
    expect("1*repnz scas+1*dec+1*jnz", "", 67000, 67000, "ok",
           "guest: retired 67 an iteration; the emulator counts each step of a rep");
}

static void what_was_not_counted_leaves_the_status_and_is_forgotten(void **unused) {
    (void)unused;
    struct proof proof = proof_new(1);
    struct proof_row *row = proof.row;
    row->status = "ok";
    judge_uncounted(&proof, row, 0, "invalid opcode (#UD)");
    assert_string_equal(row->status, "ok");
    assert_string_equal(row->detail, "guest: CPL0: invalid opcode (#UD)");
    row->retired_cpl3 = "4";
    judge_forget(row);
    assert_string_equal(row->detail, "");
    assert_string_equal(row->retired_cpl3, "");
    proof_free(&proof);
}

static void forgetting_keeps_what_the_disassembly_found(void **unused) {
    (void)unused;
    struct proof proof = proof_new(3);
    proof_differs(&proof, &proof.row[0], text_make("size: claimed 6, found 7"));
    proof.row[0].disassembly = proof.row[0].detail;
    proof.row[2].hint = COUNTER_HINT;
    for (int i = 0; i < 3; i++) {
        proof_differs(&proof, &proof.row[i],
                      text_make("guest: CPL0 retires 3 an iteration, CPL3 4"));
        judge_forget(&proof.row[i]);
    }
    assert_string_equal(proof.row[0].status, "mismatch");
    assert_string_equal(proof.row[0].detail, "size: claimed 6, found 7");
    assert_string_equal(proof.row[1].status, "ok");
    assert_string_equal(proof.row[1].detail, "");
    assert_string_equal(proof.row[2].status, "ok");
    assert_string_equal(proof.row[2].detail, "");
    assert_string_equal(proof.row[2].hint, COUNTER_HINT);
    proof_free(&proof);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_claim_is_held_against_both_rings),
        cmocka_unit_test(without_a_claim_the_count_is_told_and_the_row_stays_ok),
        cmocka_unit_test(without_a_claim_a_straight_loop_retires_what_stands_in_it),
        cmocka_unit_test(without_a_claim_the_rings_must_agree),
        cmocka_unit_test(a_loop_with_rep_is_compared_with_nothing),
        cmocka_unit_test(what_was_not_counted_leaves_the_status_and_is_forgotten),
        cmocka_unit_test(forgetting_keeps_what_the_disassembly_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

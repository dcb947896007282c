// SPDX-License-Identifier: GPL-3.0-or-later
// The truth gate's judgement. The two `kvm_` texts are what a KVM that runs its guests
// de-privileged (PVM on an AMD family 25 model 17) printed; the `silicon_` one is made up from
// published figures, because no such machine was at hand.
#include "tests/pack/pack_test.h"

#include "runner/engine/guest_truth.h"

#define BOOT(hypervisor)                                                                           \
    "cs=0x8 tr=0x28 tr_loaded=0x28 cr0=0x80050033 msw=0x80050033 "                                 \
    "gdt=0xffffffff801070c0 gdt_loaded=0xffffffff801070c0 "                                        \
    "idt=0xffffffff80106040 idt_loaded=0xffffffff80106040 hypervisor=" hypervisor
#define MOVES                                                                                      \
    "if cli 1 0 0\nif cli 0 0 0\nif sti 0 1 1\nif sti 1 1 1\n"                                     \
    "if popf 1 1 1\nif popf 0 0 0\nif popf 0 1 1\nif popf 1 0 0\n"

static char kvm_output[] =
    "cs 8\n" MOVES "ticks cli+sti 3028\nticks push+popf 5828\nticks pushf+pop 5749\nend\n";
static char silicon_output[] =
    "cs 8\n" MOVES "ticks cli+sti 12\nticks push+popf 24\nticks pushf+pop 9\nend\n";
static char stuck_output[] = "cs 35\nif cli 1 0 1\nif cli 0 0 1\n";
static char short_output[] = "cs 8\nif cli 1 0 0\n";

static struct guest_truth judge(const char *boot, char *output, int ring, const char *host) {
    const struct guest_result result = {.end = GUEST_EXITED, .output = output};
    struct guest_truth truth;
    guest_truth_classify(boot, &result, ring, host, &truth);
    return truth;
}

static void if_that_moves_at_silicon_cost_is_real(void **state) {
    (void)state;
    struct guest_truth truth = judge(BOOT("KVMKVMKVM"), silicon_output, 0, "");
    assert_int_equal(truth.privilege, PRIVILEGE_real);
    assert_contains(truth.detail, "push+popf, takes 24 TSC ticks");
}

static void if_that_moves_by_traps_is_emulated(void **state) {
    (void)state;
    struct guest_truth truth = judge(BOOT("KVMKVMKVM"), kvm_output, 0, "KVMKVMKVM");
    assert_int_equal(truth.privilege, PRIVILEGE_emulated);
    assert_contains(truth.detail, "by traps: push+popf takes 5828 TSC ticks");
}

static void a_software_cpu_is_emulated_inside_and_outside(void **state) {
    (void)state;
    struct guest_truth inside = judge(BOOT("TCGTCGTCGTCG"), silicon_output, 0, "");
    struct guest_truth outside = judge(BOOT("KVMKVMKVM"), silicon_output, 0, "TCGTCGTCGTCG");
    assert_int_equal(inside.privilege, PRIVILEGE_emulated);
    assert_int_equal(outside.privilege, PRIVILEGE_emulated);
    assert_contains(outside.detail, "this machine's CPU is itself software");
}

static void a_table_that_does_not_read_back_is_emulated(void **state) {
    const char *boot = "cs=0x8 tr=0x40 tr_loaded=0x28 gdt=0x10 gdt_loaded=0x10 idt=0x20 "
                       "idt_loaded=0x20 hypervisor=KVMKVMKVM";
    (void)state;
    struct guest_truth truth = judge(boot, silicon_output, 0, "");
    assert_int_equal(truth.privilege, PRIVILEGE_emulated);
    assert_contains(truth.detail, "loaded tr=0x28 and reads 0x40");
    truth = judge("cs=0xb tr=0x28 tr_loaded=0x28", silicon_output, 0, "");
    assert_contains(truth.detail, "CS=0xb, not CPL0");
}

static void the_wrong_ring_is_emulated(void **state) {
    (void)state;
    struct guest_truth truth = judge(BOOT("KVMKVMKVM"), silicon_output, 3, "");
    assert_int_equal(truth.privilege, PRIVILEGE_emulated);
    assert_contains(truth.detail, "asked for CPL3, the program finds CS=0x8");
}

static void if_that_stays_is_ignored(void **state) {
    (void)state;
    struct guest_truth truth = judge(BOOT("KVMKVMKVM"), stuck_output, 3, "");
    assert_int_equal(truth.privilege, PRIVILEGE_ignored);
    assert_string_equal(truth.detail, "cli with IF=1 left IF=1, not 0");
}

static void a_fault_is_faulting_with_its_reason(void **state) {
    const struct guest_result result = {
        .end = GUEST_FAULTED, .vector = 13, .detail = "general protection (#GP), rip 0x40115b"};
    struct guest_truth truth;
    (void)state;
    guest_truth_classify(BOOT("KVMKVMKVM"), &result, 3, "", &truth);
    assert_int_equal(truth.privilege, PRIVILEGE_faulting);
    assert_string_equal(truth.detail, result.detail);
}

static void no_run_and_half_a_run_are_unavailable(void **state) {
    const struct guest_result result = {.end = GUEST_NOT_RUN};
    struct guest_truth truth;
    (void)state;
    guest_truth_classify("", &result, 0, "", &truth);
    assert_int_equal(truth.privilege, PRIVILEGE_unavailable);
    truth = judge(BOOT("KVMKVMKVM"), short_output, 0, "");
    assert_int_equal(truth.privilege, PRIVILEGE_unavailable);
    assert_contains(truth.detail, "1 of 8 transitions");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(if_that_moves_at_silicon_cost_is_real),
        cmocka_unit_test(if_that_moves_by_traps_is_emulated),
        cmocka_unit_test(a_software_cpu_is_emulated_inside_and_outside),
        cmocka_unit_test(a_table_that_does_not_read_back_is_emulated),
        cmocka_unit_test(the_wrong_ring_is_emulated),
        cmocka_unit_test(if_that_stays_is_ignored),
        cmocka_unit_test(a_fault_is_faulting_with_its_reason),
        cmocka_unit_test(no_run_and_half_a_run_are_unavailable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Who executes an instruction, by the list and by what is known of the place.
#include "tests/unit/unit.h"

#include "runner/engine/emulated.h"

static double slow(const char *mnemonic) {
    return !strcmp(mnemonic, "pause") ? 1400 : 60;
}

static const struct emulators bare = {.umip = false}, umip = {.umip = true},
                              guest = {.hypervisor = true, .ticks_of = slow},
                              cpl0 = {.hypervisor = true, .privileged = true};

static void each_instruction_is_emulated_where_its_executor_is_there(void **state) {
    (void)state;
    static const struct {
        const struct emulators *emulators;
        const char *mix, *why; // NULL: the CPU executes it
    } rows[] = {
        {&umip, "1*sgdt+1*dec+1*jnz", "the kernel executes sgdt for programs (UMIP)"},
        {&umip, "1*dec+1*jnz+3*strw", "the kernel executes str"},
        {&umip, "smsw", "the kernel executes smsw"},
        {&bare, "1*sgdt+1*dec+1*jnz", NULL},
        {&guest, "1*sgdt+1*dec+1*jnz", NULL},
        {&guest, "27*cpuid+1*xor", "cpuid leaves the virtual machine: the hypervisor executes it"},
        {&umip, "27*cpuid+1*xor", NULL},
        {&guest, "1*pause", "pause takes 1400 ticks here: it leaves the virtual machine"},
        {&guest, "1*rdtsc+1*rdtscp", NULL},
        {&cpl0, "1*outb", "out leaves the virtual machine"},
        {&cpl0, "1*wbinvd", "wbinvd leaves the virtual machine"},
        {&guest, "1*outb+1*invd+1*hlt", NULL}, // it faults first
        {&bare, "1*pause", NULL},
        {&guest, "1*rdrand+1*rdseed", NULL},
        {&guest, "1*inc+1*outer+2*strings", NULL}, // no prefix of a name is that name
        {&guest, "", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char why[160] = "";
        bool emulated = emulators_hold(rows[i].emulators, rows[i].mix, why, sizeof why);
        if (emulated != (rows[i].why != NULL) || (emulated && !strstr(why, rows[i].why)))
            fail_msg("%s: '%s', not '%s'", rows[i].mix, why, rows[i].why ? rows[i].why : "none");
    }
}

static void a_mix_without_any_of_the_list_is_known_as_such(void **state) {
    (void)state;
    assert_false(emulators_may_hold("27*cli+1*lock incq+1*inc+1*dec+1*jnz"));
    assert_false(emulators_may_hold(""));
    assert_true(emulators_may_hold("27*cli+1*sldt"));
}

static void the_instructions_of_a_mix_are_counted(void **state) {
    (void)state;
    assert_near(mix_total("27*cli+1*lock incq+1*dec+1*jnz"), 30, 0);
    assert_near(mix_total(""), 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_instruction_is_emulated_where_its_executor_is_there),
        cmocka_unit_test(a_mix_without_any_of_the_list_is_known_as_such),
        cmocka_unit_test(the_instructions_of_a_mix_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// variants.csv and proof.csv of a build, cell by cell: what is taken, and what is refused.
#include "runner/run/plan.h"

#include "tests/unit/run_folder.h"
#include "tests/unit/unit.h"

#include <sha2.h>
#include <sys/stat.h>

#define VARIANTS                                                                                   \
    "sweep,family,variant,parameters,mix,order,group,groups,context,excludes_chain,"               \
    "retired_expected,iterations,duplicate_of,needs,sequence,bytes_claimed,address_claimed,"       \
    "source\r\n"
#define PROOF                                                                                      \
    "variant,elf_sha256,loop_sha256,loop_address,loop_bytes,jcc_erratum,mix_found,order_found,"    \
    "status,detail,hint,mix_claimed,retired_expected,retired_cpl0,retired_cpl3\r\n"

static char folder[32], sha256[65]; // a build with the binaries one and two, which are alike
static struct plan plan;
static struct error error;

static int parse(const char *variants, const char *proof, const char *only) {
    char text[2000];
    snprintf(text, sizeof text, proof, sha256, sha256);
    error = (struct error){0};
    write_plan(folder, variants, text);
    return plan_read(folder, only, &plan, &error);
}

static const char two[] = VARIANTS
    "s,f,one,a=1;b=2,2*nop+1*dec+1*jnz,fixed,nop,2,bits=none,rol,4.125,4294967295,,iopl,,,,\n"
    "s,f,two,,,,,,,,,1,one,none,,,,\n";
static const char two_proved[] =
    PROOF "two,%s,beef,0x800010,9,yes,7*nop+1*dec+1*jnz,7*nop,ok,,,,,,\n"
          "one,%s,cafe,0x800000,5,no,1*ret,1*ret,ok,x,EAX,,,,\n";

static void every_cell_gets_to_its_place_whatever_the_order_of_the_proof(void **state) {
    (void)state;
    assert_int_equal(parse(two, two_proved, NULL), 0);
    assert_int_equal(plan.count, 2);
    const struct variant *one = &plan.rows[0], *other = &plan.rows[1];
    const char *const texts[][2] = {
        {plan.sweep, "s"},
        {one->family, "f"},
        {one->name, "one"},
        {one->parameters, "a=1;b=2"},
        {one->order, "fixed"},
        {one->group, "nop"},
        {one->context, "bits=none"},
        {one->duplicate_of, ""},
        {one->loop_sha256, "cafe"},
        {one->loop_address, "0x800000"},
        {one->jcc_erratum, "no"},
        {one->order_found, "1*ret"},
        {one->hint, "EAX"},
        {one->mix, "2*nop+1*dec+1*jnz"}, // a claim stands, even beside another find
        {other->name, "two"},
        {other->mix, "7*nop+1*dec+1*jnz"},
        {other->duplicate_of, "one"},
        {other->loop_sha256, "beef"},
        {other->jcc_erratum, "yes"},
        {other->hint, ""},
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        assert_string_equal(texts[i][0], texts[i][1]);
    assert_int_equal(one->needs, NEEDS_iopl);
    assert_int_equal(other->needs, NEEDS_none);
    assert_int_equal(one->excluded_chain, SEGMENT_rol);
    assert_int_equal(other->excluded_chain, CHAINS_all);
    assert_true(one->iterations == 4294967295 && other->iterations == 1);
    assert_near(one->groups, 2, 0);
    assert_nan(other->groups);
    assert_int_equal(one->loop_bytes, 5);
    assert_near(one->retired, 4.125, 0);
    assert_nan(other->retired);
    assert_false(one->unproved || other->unproved);
    plan_free(&plan);
}

static void a_glob_leaves_what_it_names(void **state) {
    (void)state;
    assert_int_equal(parse(two, two_proved, "x*,t?o"), 0);
    assert_int_equal(plan.count, 1);
    assert_string_equal(plan.rows[0].name, "two");
    assert_string_equal(plan.rows[0].loop_sha256, "beef");
    plan_free(&plan);
    assert_int_equal(parse(two, two_proved, "on"), -1);
    assert_string_equal(error.text + strlen(folder) + 1,
                        "variants.csv: no variant's name matches 'on'");
    plan_free(&plan);
}

#define ROW(name, chain, retired, iterations, needs)                                               \
    "s,f," name ",,,fixed,nop,2,," chain "," retired "," iterations ",," needs ",,,,\n"
#define GOOD ROW("good", "", "", "1", "none")

static void every_wrong_cell_is_named_with_its_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {VARIANTS, "variants.csv: no variants"},
        {"sweep,variant\ns,one\n", "variants.csv:1: no column 'family'"},
        {VARIANTS GOOD "s,f\n", "variants.csv:3: fewer fields than the header has"},
        {VARIANTS GOOD "s,f,one",
         "variants.csv:3: the last line is cut off; the file is incomplete"},
        {VARIANTS ROW("", "", "", "1", "none"),
         "variants.csv:2: '' is no variant's name ([a-z0-9_.-]+)"},
        {VARIANTS GOOD ROW("../up", "", "", "1", "none"),
         "variants.csv:3: '../up' is no variant's name ([a-z0-9_.-]+)"},
        {VARIANTS ROW("One", "", "", "1", "none"),
         "variants.csv:2: 'One' is no variant's name ([a-z0-9_.-]+)"},
        {VARIANTS ROW("one", "", "", "1", "root"),
         "variants.csv:2: needs is 'root', not none, iopl or cpl0"},
        {VARIANTS ROW("one", "", "", "1", ""),
         "variants.csv:2: needs is '', not none, iopl or cpl0"},
        {VARIANTS ROW("one", "loop", "", "1", "none"),
         "variants.csv:2: excludes_chain is 'loop', not add, rol, imul or empty"},
        {VARIANTS ROW("one", "", "", "0", "none"),
         "variants.csv:2: iterations is '0', not a whole number from 1"},
        {VARIANTS ROW("one", "", "", "4294967296", "none"),
         "variants.csv:2: iterations is '4294967296', not a whole number from 1"},
        {VARIANTS ROW("one", "", "", "1e3", "none"),
         "variants.csv:2: iterations is '1e3', no whole number from 0"},
        {VARIANTS ROW("one", "", "some", "1", "none"),
         "variants.csv:2: retired_expected is 'some', no number"},
        {VARIANTS ROW("one", "", "0", "1", "none"),
         "variants.csv:2: retired_expected is '0', not empty and no number above 0"},
        {VARIANTS ROW("one", "", "-3", "1", "none"),
         "variants.csv:2: retired_expected is '-3', not empty and no number above 0"},
        {VARIANTS ROW("one", "", "nan", "1", "none"),
         "variants.csv:2: retired_expected is 'nan', no number"},
        {VARIANTS GOOD ROW("one", "", "", "1", "none") GOOD,
         "variants.csv:4: the variant 'good' is there twice"},
    };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        if (!parse(wrong[i].text, PROOF, NULL))
            fail_msg("taken, not refused: %s", wrong[i].message);
        plan_free(&plan);
        assert_string_equal(error.text + strlen(folder) + 1, wrong[i].message);
        assert_int_equal(error.kind, ERROR_INPUT);
    }
}

// Rows of proof.csv for `one`, and why it is unproved; "": it is proved. %s: its hash.
static void only_its_own_hash_with_an_ok_proves_a_binary(void **state) {
    (void)state;
    static const struct {
        const char *proof, *reason;
    } proofs[] = {
        {PROOF "one,%s,,,,,,,ok,,,,,,\n", ""},
        {PROOF, "not in proof.csv: build the sweep again"},
        {PROOF "two,%s,,,,,,,ok,,,,,,\n", "not in proof.csv: build the sweep again"},
        {PROOF "one,00,,,,,,,ok,,,,,,\n",
         "its binary is not the one that was proved: build the sweep again"},
        {PROOF "one,,,,,,,,ok,,,,,,\n",
         "its binary is not the one that was proved: build the sweep again"},
        {PROOF "one,,,,,,,,not_proved,no ELF,,,,,\n", "no ELF"},
        {PROOF "one,%s,,,,,,,mismatch,mix: 3*nop,,,,,\n", "mix: 3*nop"},
        {PROOF "one,%s,,,,,,,mismatch,,,,,,\n", "its proof failed: build the sweep again"},
        {PROOF "one,%s,,,,,,,OK,,,,,,\n", "its proof failed: build the sweep again"},
        {PROOF "one,%s,,,,,,,,,,,,,\n", "its proof failed: build the sweep again"},
        {PROOF "one,%s,,,,,,,mismatch,first,,,,,\none,%s,,,,,,,ok,,,,,,\n", "first"},
    };
    for (size_t i = 0; i < COUNT_OF(proofs); i++) {
        assert_int_equal(parse(VARIANTS ROW("one", "", "", "1", "none"), proofs[i].proof, NULL), 0);
        assert_string_equal(plan.rows[0].unproved_reason, proofs[i].reason);
        assert_int_equal(plan.rows[0].unproved, *proofs[i].reason != '\0');
        plan_free(&plan);
    }
    assert_int_equal(
        parse(VARIANTS ROW("gone", "", "", "1", "none"), PROOF "gone,%s,,,,,,,ok,,,,,,\n", NULL),
        0);
    assert_string_equal(plan.rows[0].unproved_reason,
                        "its binary cannot be read: build the sweep again");
    plan_free(&plan);
}

static int make_build(void **unused) {
    (void)unused;
    char path[64];
    int failed = make_build_folder(folder, (const char *const[]){"one", "two", NULL});
    snprintf(path, sizeof path, "%s/bin/one", folder);
    return failed || !SHA256File(path, sha256) ? -1 : 0;
}

static int remove_build(void **unused) {
    (void)unused;
    remove_folder(folder);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cell_gets_to_its_place_whatever_the_order_of_the_proof),
        cmocka_unit_test(a_glob_leaves_what_it_names),
        cmocka_unit_test(every_wrong_cell_is_named_with_its_line),
        cmocka_unit_test(only_its_own_hash_with_an_ok_proves_a_binary),
    };
    return cmocka_run_group_tests(tests, make_build, remove_build);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Is a node what its feature claims, and what a fleet is told about claims.
#include "campaign/fleet/claims.h"
#include "campaign/fleet/fleet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>
#include <cmocka.h>

static const struct {
    const char *claimed, *vendor, *family, *model;
    enum claim claim;
    const char *found;
} cases[] = {
    {"zen4", "AuthenticAMD", "25", "17", CLAIM_confirmed, "Zen 4"},
    {"Zen-4", "AuthenticAMD", "25", "97", CLAIM_confirmed, "Zen 4"},
    {"zen5", "AuthenticAMD", "25", "17", CLAIM_mismatch, "Zen 4"},
    {"zen1", "AuthenticAMD", "23", "8", CLAIM_mismatch, "Zen+"}, // the first row counts
    {"zenplus", "AuthenticAMD", "23", "8", CLAIM_confirmed, "Zen+"},
    {"skylake", "GenuineIntel", "6", "85", CLAIM_confirmed, "Skylake server"},
    {"skylake-client", "GenuineIntel", "6", "85", CLAIM_mismatch, "Skylake server"},
    {"alderlake", "GenuineIntel", "6", "151", CLAIM_confirmed, "Alder Lake P"},
    {"alder_lake_e", "GenuineIntel", "6", "151", CLAIM_confirmed, "Alder Lake E"},
    {"zen4", "GenuineIntel", "6", "17", CLAIM_mismatch, ""},
    {"bignode", "AuthenticAMD", "25", "17", CLAIM_unlisted, "Zen 4"},
    {"zen", "AuthenticAMD", "26", "68", CLAIM_confirmed, "Zen 5"},
    {"zen4", "", "", "", CLAIM_mismatch, ""},
};

static void a_claim_is_confirmed_refused_or_unlisted(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *found;
        enum claim claim =
            claim_check(cases[i].claimed, cases[i].vendor, cases[i].family, cases[i].model, &found);
        if (claim != cases[i].claim || strcmp(found, cases[i].found))
            fail_msg("case %zu, %s: %s, found '%s'", i, cases[i].claimed, claims[claim].name,
                     found);
    }
}

static void a_generation_is_written_as_a_feature_that_claims_it(void **state) {
    (void)state;
    char text[64];
    const char *found;
    assert_string_equal(claim_feature("Zen 4", text, sizeof text), "zen-4");
    assert_string_equal(claim_feature("Zen+", text, sizeof text), "zenplus");
    assert_string_equal(claim_feature("Alder Lake P", text, sizeof text), "alder-lake-p");
    assert_int_equal(claim_check(text, "GenuineIntel", "6", "154", &found), CLAIM_confirmed);
}

static void parse(const char *text, struct fleet_settings *settings) {
    struct error error;
    *settings = (struct fleet_settings){0};
    assert_int_equal(fleet_settings_parse("f.toml", text, settings, &error), 0);
    assert_int_equal(fleet_settings_complete(settings, &error), 0);
}

static void a_file_of_settings_is_read_and_the_rest_gets_its_default(void **state) {
    (void)state;
    struct fleet_settings settings;
    parse("# a lab\npartition = \"short\" # ours\nattempts=5\r\nshared = false\n\n", &settings);
    assert_string_equal(settings.partition, "short");
    assert_string_equal(settings.attempts, "5");
    assert_string_equal(settings.shared, "no");
    assert_string_equal(settings.time, "2:00:00");
    assert_string_equal(settings.account, "");
}

static void the_command_line_comes_before_the_file(void **state) {
    (void)state;
    struct error error;
    struct fleet_settings settings = {.partition = "mine"};
    assert_int_equal(fleet_settings_parse("f", "partition = \"theirs\"", &settings, &error), 0);
    assert_string_equal(settings.partition, "mine");
}

static void a_bad_line_is_named_with_its_number(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"\npartitio = \"x\"\n",
         "f.toml:2: no setting 'partitio'; ./asmsweep fleet --help names them"},
        {"partition\n", "f.toml:1: not of the form"},
        {"partition = \"x\n", "f.toml:1: not of the form"},
        {"partition = two words\n", "f.toml:1: not of the form"},
        {"[fleet]\n", "f.toml:1: not of the form"},
        {"run = [\"a\"]\n", "f.toml:1: not of the form"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct fleet_settings settings = {0};
        struct error error = {0};
        assert_int_equal(fleet_settings_parse("f.toml", bad[i].text, &settings, &error), -1);
        assert_non_null(strstr(error.text, bad[i].message));
    }
}

static void a_feature_may_stand_for_another_name(void **state) {
    (void)state;
    struct fleet_settings settings;
    char claim[64];
    parse("claims = \"epyc9=zen5 epyc=zen4\"\ngenerations = \"epyc,hsw\"\n", &settings);
    fleet_settings_claim(&settings, "epyc", claim, sizeof claim);
    assert_string_equal(claim, "zen4");
    fleet_settings_claim(&settings, "epyc9", claim, sizeof claim);
    assert_string_equal(claim, "zen5");
    fleet_settings_claim(&settings, "hsw", claim, sizeof claim);
    assert_string_equal(claim, "hsw");
    assert_true(fleet_settings_wants(&settings, "hsw"));
    assert_false(fleet_settings_wants(&settings, "epyc9"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_claim_is_confirmed_refused_or_unlisted),
        cmocka_unit_test(a_generation_is_written_as_a_feature_that_claims_it),
        cmocka_unit_test(a_file_of_settings_is_read_and_the_rest_gets_its_default),
        cmocka_unit_test(the_command_line_comes_before_the_file),
        cmocka_unit_test(a_bad_line_is_named_with_its_number),
        cmocka_unit_test(a_feature_may_stand_for_another_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

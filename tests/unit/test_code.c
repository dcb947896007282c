// SPDX-License-Identifier: GPL-3.0-or-later
// The code of a variant's first load is kept; a later load must be the same.
#include "tests/unit/unit.h"

#include "common/disk.h"
#include "common/memory.h"
#include "runner/run/code.h"
#include "tests/unit/run_folder.h"

#include <sha2.h>
#include <sys/stat.h>

static const char proof[] =
    "variant,elf_sha256,loop_sha256,loop_address,loop_bytes,jcc_erratum,mix_claimed,mix_found,"
    "order_found,retired_expected,retired_cpl0,retired_cpl3,status,detail\r\n"
    "a,aa,,,,,,,,,,,ok,\r\nb,bb,,,,,,,,,,,ok,\r\n";

static char folder[32];
static struct store store;
static struct code code;
static struct error error;

static int up(void **state) {
    struct settings settings = some_settings();
    (void)state;
    make_folder(folder);
    write_plan(folder, "", proof);
    return store_create(folder, &settings, &store, &error);
}

static int down(void **state) {
    (void)state;
    code_free(&code);
    store_close(&store);
    remove_folder(folder);
    return 0;
}

// An execution of `variant` with this code becomes this.
static enum status keep(const char *variant, struct execution_code it) {
    struct execution execution = {.status = STATUS_ok, .slices = {.count = 3}, .code = &it};
    it.mix = it.mix ? it.mix : (char *)"1*nop";
    it.length = strlen(it.listing);
    assert_int_equal(code_keep(&store, variant, &execution, &code, &error), 0);
    assert_int_equal(execution.slices.count, execution.status == STATUS_ok ? 3 : 0);
    return execution.status;
}

static char *read_file(const char *name) {
    char *text = disk_read(PATH("%s/%s", folder, name), NULL, &error);
    if (!text)
        fail_msg("%s", error.text);
    return text;
}

#define FIRST                                                                                      \
    {                                                                                              \
        .verdict = "proved", .restores = "popf", .order = (char *)"cli; jnz",                      \
        .calls = (char *)"f: 1*popfq", .listing = (char *)"the first\n"                            \
    }

static void the_first_load_is_kept_and_told_in_the_proof(void **state) {
    char digits[SHA256_DIGEST_STRING_LENGTH];
    struct rows rows;
    (void)state;
    assert_int_equal(keep("b", (struct execution_code)FIRST), STATUS_ok);
    char *listing = read_file("code/b.txt");
    assert_string_equal(listing, "the first\n");
    assert_int_equal(rows_read(PATH("%s/proof.csv", folder), FILE_proof, NULL, &rows, &error), 0);
    const struct proof_row *row = rows.row;
    assert_string_equal(row[0].native, "");
    assert_string_equal(row[1].elf_sha256, "bb"); // what the build has proved stays
    assert_string_equal(row[1].native, "proved");
    assert_string_equal(row[1].native_mix, "1*nop");
    assert_string_equal(row[1].calls, "f: 1*popfq");
    assert_string_equal(row[1].restores, "popf");
    assert_string_equal(row[1].listing_sha256,
                        SHA256Data((const uint8_t *)listing, strlen(listing), digits));
    rows_free(&rows);
    free(listing);
}

static void a_later_load_is_the_same_or_has_no_value(void **state) {
    struct execution_code other = FIRST;
    (void)state;
    assert_int_equal(keep("b", (struct execution_code)FIRST), STATUS_ok);
    other.listing = (char *)"at another address\n";
    assert_int_equal(keep("b", other), STATUS_ok);
    other.order = (char *)"cli; nop; jnz";
    assert_int_equal(keep("b", other), STATUS_unproved);
    other.order = (char *)"cli; jnz";
    other.calls = (char *)"f: 1*call ftrace_caller+1*popfq"; // a tracer came
    assert_int_equal(keep("b", other), STATUS_unproved);
    assert_int_equal(keep("a", other), STATUS_ok); // another variant's first
    char *listing = read_file("code/b.txt");
    assert_string_equal(listing, "the first\n");
    free(listing);
}

// What was not proved is kept, so that it can be looked at, until something is.
static void what_is_not_proved_gives_way_to_what_is(void **state) {
    struct execution_code bad = FIRST;
    (void)state;
    bad.verdict = "emulated";
    bad.listing = (char *)"calls into Xen\n";
    keep("a", bad);
    char *listing = read_file("code/a.txt");
    assert_string_equal(listing, "calls into Xen\n");
    free(listing);
    keep("a", (struct execution_code)FIRST);
    listing = read_file("code/a.txt");
    assert_string_equal(listing, "the first\n");
    free(listing);
}

// A run that is resumed holds its loads against those from before.
static void a_resumed_run_knows_the_first_load(void **state) {
    struct execution_code other = FIRST;
    (void)state;
    keep("b", (struct execution_code)FIRST);
    code_free(&code);
    other.order = (char *)"sti; jnz";
    assert_int_equal(keep("b", other), STATUS_unproved);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_first_load_is_kept_and_told_in_the_proof, up, down),
        cmocka_unit_test_setup_teardown(a_later_load_is_the_same_or_has_no_value, up, down),
        cmocka_unit_test_setup_teardown(what_is_not_proved_gives_way_to_what_is, up, down),
        cmocka_unit_test_setup_teardown(a_resumed_run_knows_the_first_load, up, down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

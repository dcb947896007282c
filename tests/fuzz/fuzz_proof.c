// SPDX-License-Identifier: GPL-3.0-or-later
// Any proof.csv beside a good variants.csv and binaries that are there (one and two) or not
// (gone): a variant counts as proved only if a row of its own has its binary's hash and is ok,
// else there is a reason. asmsweep-prove reads the same rows.
#include "tests/fuzz/fuzz.h"

#include "runner/prove/proof.h"
#include "runner/run/plan.h"

#include <sha2.h>

static const char variants[] =
    "sweep,family,variant,parameters,mix,order,group,groups,context,excludes_chain,"
    "retired_expected,iterations,duplicate_of,needs,sequence,bytes_claimed,address_claimed,source\n"
    "s,f,one,,1*nop,fixed,nop,1,,,3,1000,,none,,,,\n"
    "s,f,two,,2*nop,fixed,nop,2,,,4,1000,,none,,,,\n"
    "s,f,gone,,3*nop,fixed,nop,3,,,5,1000,,none,,,,\n";

// Is there a row that proves it? The binaries (CMakeLists.txt) hold their own names.
static int is_proved(const struct table *proof, const char *name) {
    char digits[65];
    SHA256Data((const uint8_t *)name, strlen(name), digits);
    for (size_t row = 0; row < proof->rows; row++)
        if (!strcmp(table_cell(proof, row, "variant"), name) &&
            !strcmp(table_cell(proof, row, "elf_sha256"), digits) &&
            !strcmp(table_cell(proof, row, "status"), "ok"))
            return 1;
    return 0;
}

static void check_plan(const struct plan *plan) {
    must(plan->count == 3);
    for (size_t i = 0; i < plan->count; i++) {
        const struct variant *row = &plan->rows[i];
        must(row->loop_sha256 && row->loop_address && row->loop_bytes >= -1 && row->jcc_erratum);
        must(row->unproved ? row->unproved_reason[0] != '\0'
                           : strcmp(row->name, "gone") && is_proved(&plan->proof.table, row->name));
    }
}

static void check_proof(const struct proof *proof, const struct table *table) {
    must(proof->count == table->rows);
    for (size_t i = 0; i < proof->count; i++) {
        const struct proof_row *row = &proof->row[i];
        const char *name = table_cell(table, i, "variant");
        must(!strcmp(row->variant, name));
        must(!strcmp(row->status, table_cell(table, i, "status")));
        must(!strcmp(row->detail, table_cell(table, i, "detail")));
        must(proof_find(proof, 0, name) <= row && proof_find(proof, 0, name) >= proof->row);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct error error = {0};
    struct plan plan;
    fuzz_file(FUZZ_BUILD, "variants.csv", variants, sizeof variants - 1);
    fuzz_file(FUZZ_BUILD, "proof.csv", data, size);
    if (plan_read(FUZZ_BUILD, NULL, &plan, &error)) {
        must(strstr(error.text, "proof.csv:") != NULL);
    } else {
        check_plan(&plan);
        const struct proof proof = {.row = plan.proof.row, .count = plan.proof.count};
        check_proof(&proof, &plan.proof.table);
    }
    plan_free(&plan);
    return 0;
}

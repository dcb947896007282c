// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/run/plan.h"

#include "common/rows.h"
#include "common/units.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <sha2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const variants_columns[] = {
    "sweep",  "family",  "variant",        "parameters",       "mix",        "order",   "group",
    "groups", "context", "panel_excludes", "retired_expected", "iterations", "twin_of", "needs",
    NULL};
static const char *const proof_columns[] = {
    "variant",     "elf_sha256", "loop_sha256", "loop_address", "loop_bytes",
    "jcc_erratum", "mix_found",  "status",      "detail",       NULL};

static char *join(const char *directory, const char *middle, const char *name) {
    char *path;
    if (asprintf(&path, "%s/%s%s", directory, middle, name) < 0)
        abort();
    return path;
}

static int scan_needs(const char *text, enum needs *needs) {
    static const char *const names[] = {"none", "iopl", "cpl0"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(text, names[i])) {
            *needs = (enum needs)i;
            return 0;
        }
    return -1;
}

static int scan_panel(const char *text, int *excluded) {
    static const char *const names[] = {"add", "rol", "imul", ""};
    for (int i = 0; i < 4; i++)
        if (!strcmp(text, names[i])) {
            *excluded = i; // enum leg; the empty text is PANEL_all
            return 0;
        }
    return -1;
}

static int scan_retired(const char *text, double *retired) {
    *retired = NAN; // no claim
    return *text && (units_scan_number(text, retired) || *retired <= 0) ? -1 : 0;
}

static int read_variant(const struct plan *plan, size_t row, struct variant *variant,
                        struct error *error) {
    const struct table *table = &plan->variants;
    long long iterations;
    *variant = (struct variant){
        .family = table_cell(table, row, "family"),
        .name = table_cell(table, row, "variant"),
        .parameters = table_cell(table, row, "parameters"),
        .mix = table_cell(table, row, "mix"),
        .order = table_cell(table, row, "order"),
        .group = table_cell(table, row, "group"),
        .groups = table_cell(table, row, "groups"),
        .context = table_cell(table, row, "context"),
        .twin_of = table_cell(table, row, "twin_of"),
        .mix_source = *table_cell(table, row, "mix") ? "claimed" : "",
        .loop_sha256 = "",
        .loop_address = "",
        .loop_bytes = "",
        .jcc_erratum = "",
        .order_found = "",
    };
    // The name becomes a path: nothing but what the generator makes.
    if (!*variant->name || variant->name[0] == '.' ||
        variant->name[strspn(variant->name, "abcdefghijklmnopqrstuvwxyz0123456789_.-")])
        return error_set(error, ERROR_INPUT, table->path, table_line(row),
                         "'%s' is no variant's name ([a-z0-9_.-]+)", variant->name);
    if (scan_needs(table_cell(table, row, "needs"), &variant->needs))
        return error_set(error, ERROR_INPUT, table->path, table_line(row),
                         "needs is '%s', not none, iopl or cpl0", table_cell(table, row, "needs"));
    if (scan_panel(table_cell(table, row, "panel_excludes"), &variant->panel_excluded))
        return error_set(error, ERROR_INPUT, table->path, table_line(row),
                         "panel_excludes is '%s', not add, rol, imul or empty",
                         table_cell(table, row, "panel_excludes"));
    if (units_scan_integer(table_cell(table, row, "iterations"), 1, UINT32_MAX, &iterations))
        return error_set(error, ERROR_INPUT, table->path, table_line(row),
                         "iterations is '%s', not a whole number from 1",
                         table_cell(table, row, "iterations"));
    variant->iterations = (uint64_t)iterations;
    if (scan_retired(table_cell(table, row, "retired_expected"), &variant->retired))
        return error_set(error, ERROR_INPUT, table->path, table_line(row),
                         "retired_expected is '%s', not empty and no number above 0",
                         table_cell(table, row, "retired_expected"));
    variant->path = join(plan->directory, "bin/", variant->name);
    return 0;
}

// A binary that is gone is built again; any other reason is not the build's.
static const char *describe_unread(int number, char *text, size_t size) {
    snprintf(text, size, "its binary cannot be read: %s",
             number == ENOENT ? "build the sweep again" : strerror(number));
    return text;
}

static void find_unproved(struct variant *variant, const struct table *proof, size_t row) {
    char sha256[SHA256_DIGEST_STRING_LENGTH], text[128];
    const char *reason = NULL;
    if (row == proof->rows)
        reason = "not in proof.csv: build the sweep again";
    else if (!SHA256File(variant->path, sha256))
        reason = describe_unread(errno, text, sizeof text);
    else if (!*table_cell(proof, row, "elf_sha256") && *table_cell(proof, row, "detail"))
        reason = table_cell(proof, row, "detail"); // what the disassembly could not read
    else if (strcmp(sha256, table_cell(proof, row, "elf_sha256")))
        reason = "its binary is not the one that was proved: build the sweep again";
    else if (strcmp(table_cell(proof, row, "status"), "ok"))
        reason = table_cell(proof, row, "detail");
    if (reason && !*reason)
        reason = "its proof failed: build the sweep again";
    if (!reason)
        return;
    variant->unproved = 1;
    snprintf(variant->unproved_reason, sizeof variant->unproved_reason, "%s", reason);
}

// proof.csv has the variants in the order of variants.csv; where it has not, look for it.
static size_t proof_row(const struct table *proof, size_t guess, const char *name) {
    if (guess < proof->rows && !strcmp(table_cell(proof, guess, "variant"), name))
        return guess;
    size_t row = 0;
    while (row < proof->rows && strcmp(table_cell(proof, row, "variant"), name))
        row++;
    return row;
}

static void take_proof(struct variant *variant, const struct table *proof, size_t guess) {
    size_t row = proof_row(proof, guess, variant->name);
    find_unproved(variant, proof, row);
    if (row == proof->rows)
        return;
    variant->loop_sha256 = table_cell(proof, row, "loop_sha256");
    variant->loop_address = table_cell(proof, row, "loop_address");
    variant->loop_bytes = table_cell(proof, row, "loop_bytes");
    variant->jcc_erratum = table_cell(proof, row, "jcc_erratum");
    variant->order_found = table_cell(proof, row, "order_found");
    const char *hint = strstr(table_cell(proof, row, "detail"), PROOF_HINT);
    if (hint) {
        hint += strlen(PROOF_HINT);
        snprintf(variant->hint, sizeof variant->hint, "%.*s", (int)strcspn(hint, ";"), hint);
    }
    if (!*variant->mix) { // claims are optional, and where one is made it is what was found
        variant->mix = table_cell(proof, row, "mix_found");
        variant->mix_source = *variant->mix ? "found" : "";
    }
}

// Of the proof all that a run takes from it; what the guest counted and said is no part of it.
static int hash_files(struct plan *plan, struct error *error) {
    static const char *const others[] = {"differences.csv", "sweep.json"}; // older builds have none
    char *text, variants[SHA256_DIGEST_STRING_LENGTH];
    size_t length;
    if (!SHA256File(plan->variants.path, variants))
        return error_errno(error, ERROR_INPUT, plan->directory, "cannot be read again");
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        abort();
    fputs(variants, stream);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char *path = join(plan->directory, "", others[i]), sum[SHA256_DIGEST_STRING_LENGTH];
        if (SHA256File(path, sum))
            fprintf(stream, ",%s", sum);
        free(path);
    }
    for (size_t row = 0; row < plan->proof.rows; row++)
        for (const char *const *column = proof_columns; *column; column++)
            if (strcmp(*column, "detail"))
                fprintf(stream, ",%s", table_cell(&plan->proof, row, *column));
    fclose(stream);
    SHA256Data((const uint8_t *)text, length, plan->sha256);
    free(text);
    return 0;
}

// Does a name match one of the globs? No name has a comma in it.
static bool is_wanted(const char *only, const char *name) {
    char *globs = strdup(only), *rest = globs, *glob;
    bool wanted = false;
    if (!globs)
        abort();
    while (!wanted && (glob = strsep(&rest, ",")))
        wanted = fnmatch(glob, name, 0) == 0;
    free(globs);
    return wanted;
}

// Two rows of one name would be pooled as one variant's executions.
static int refuse_twice(const struct plan *plan, size_t row, struct error *error) {
    const char *name = plan->rows[plan->count].name;
    for (size_t i = 0; i < plan->count; i++)
        if (!strcmp(plan->rows[i].name, name))
            return error_set(error, ERROR_INPUT, plan->variants.path, table_line(row),
                             "the variant '%s' is there twice", name);
    return 0;
}

// The rows of the two tables that are already read.
static int take_rows(struct plan *plan, const char *only, struct error *error) {
    plan->rows = calloc(plan->variants.rows + 1, sizeof *plan->rows);
    if (!plan->rows)
        abort();
    for (size_t row = 0; row < plan->variants.rows; row++) {
        struct variant *variant = &plan->rows[plan->count];
        if (!plan->calibrator.path &&
            !strcmp(table_cell(&plan->variants, row, "family"), "calibrator")) {
            if (read_variant(plan, row, &plan->calibrator, error))
                return -1;
            take_proof(&plan->calibrator, &plan->proof, row);
        }
        if (only && !is_wanted(only, table_cell(&plan->variants, row, "variant")))
            continue;
        int failed = read_variant(plan, row, variant, error) || refuse_twice(plan, row, error);
        if (failed) {
            free(variant->path);
            return -1;
        }
        plan->count++;
        take_proof(variant, &plan->proof, row);
    }
    if (!plan->count)
        return error_set(error, ERROR_INPUT, plan->variants.path, 0,
                         only ? "no variant's name matches '%s'" : "no variants%s",
                         only ? only : "");
    plan->sweep = strdup(table_cell(&plan->variants, 0, "sweep"));
    return plan->sweep ? 0 : -1;
}

int plan_read(const char *directory, const char *only, struct plan *plan, struct error *error) {
    *plan = (struct plan){.directory = strdup(directory)};
    char *variants = join(directory, "", "variants.csv"), *proof = join(directory, "", "proof.csv");
    int failed = table_read(variants, variants_columns, &plan->variants, error) ||
                 table_read(proof, proof_columns, &plan->proof, error) || hash_files(plan, error) ||
                 take_rows(plan, only, error);
    free(variants);
    free(proof);
    return failed ? -1 : 0;
}

int plan_parse(const char *directory, const char *variants, size_t variants_length,
               const char *proof, size_t proof_length, const char *only, struct plan *plan,
               struct error *error) {
    *plan = (struct plan){.directory = strdup(directory)};
    return table_parse("variants.csv", variants, variants_length, variants_columns, &plan->variants,
                       error) ||
                   table_parse("proof.csv", proof, proof_length, proof_columns, &plan->proof,
                               error) ||
                   take_rows(plan, only, error)
               ? -1
               : 0;
}

void plan_free(struct plan *plan) {
    for (size_t i = 0; plan->rows && i < plan->count; i++)
        free(plan->rows[i].path);
    free(plan->calibrator.path);
    free(plan->rows);
    free(plan->directory);
    free(plan->sweep);
    table_free(&plan->variants);
    table_free(&plan->proof);
    *plan = (struct plan){0};
}

// Links of a chain of dependent add r,r (32 or 64 bits wide, at least 8 of them so that dec and
// jnz hide behind it), or 0 if the loop is anything else.
static unsigned chain_links(const char *order) {
    char from[8], to[8];
    unsigned links;
    int end = 0;
    if (sscanf(order, "%5u*add %%%7[a-z0-9],%%%7[a-z0-9]; dec %%eax; jnz%n", &links, from, to,
               &end) != 3 ||
        !end || order[end] || strcmp(from, to) || links < 8)
        return 0;
    char first = from[0], last = from[strlen(from) - 1];
    int wide = (first == 'r' || first == 'e') && last != 'b' && last != 'w';
    return wide && strcmp(from, "eax") && strcmp(from, "rax") ? links : 0;
}

const struct variant *plan_calibrator(const struct plan *plan, double *cycles, char *why,
                                      size_t size) {
    static const char remedy[] = "[[family]] with name = \"calibrator\"";
    const struct variant *calibrator = &plan->calibrator;
    *cycles = chain_links(calibrator->path ? calibrator->order_found : "");
    if (!calibrator->path)
        snprintf(why, size, "the sweep has no calibrator; add %s and build it again", remedy);
    else if (calibrator->unproved)
        snprintf(why, size, "%s is unproved: %s", calibrator->name, calibrator->unproved_reason);
    else if (!*cycles)
        snprintf(why, size,
                 "%s holds '%.60s', not a chain of add r,r alone; name that loop otherwise, add %s",
                 calibrator->name, calibrator->order_found, remedy);
    else
        return calibrator;
    return NULL;
}

struct engine_job plan_job(const struct plan *plan, size_t index) {
    const struct variant *variant = &plan->rows[index];
    return (struct engine_job){
        .index = index,
        .variant = variant->name,
        .path = variant->path,
        .needs = variant->needs,
        .panel_excluded = variant->panel_excluded,
        .iterations = variant->iterations,
        .retired = variant->retired,
    };
}

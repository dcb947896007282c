// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/run/plan.h"

#include "common/disk.h"
#include "common/memory.h"

#include <errno.h>
#include <fnmatch.h>
#include <sha2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Which of the names a text is, from 0; -1: none.
static int find_name(const char *text, const char *const *names, int count) {
    while (count-- > 0 && strcmp(names[count], text) != 0)
        ;
    return count;
}

// What is wrong in a row of variants.csv. -1.
static int wrong(const struct plan *plan, size_t row, const char *column, const char *what,
                 struct error *error) {
    const struct table *table = &plan->variants.table;
    return error_set(error, ERROR_INPUT, table->path, table_line(row), "%s is '%s', %s", column,
                     table_cell(table, row, column), what);
}

static int read_variant(const struct plan *plan, size_t at, struct variant *variant,
                        struct error *error) {
    const struct variants_row *row = (const struct variants_row *)plan->variants.row + at;
    *variant = (struct variant){
        .variant_keys = {row->sweep, row->family, row->variant, row->parameters, row->mix, "", "",
                         -1, ""},
        .plan_keys = {row->group, row->groups, row->order, row->context, row->duplicate_of},
        .name = row->variant,
        .mix_source = *row->mix ? "claimed" : "",
        .iterations = (uint64_t)row->iterations,
        .retired = row->retired_expected,
        .order_found = "",
        .hint = "",
    };
    // The name becomes a path: nothing but what the generator makes.
    if (!*variant->name || variant->name[0] == '.' ||
        variant->name[strspn(variant->name, "abcdefghijklmnopqrstuvwxyz0123456789_.-")])
        return error_set(error, ERROR_INPUT, plan->variants.table.path, table_line(at),
                         "'%s' is no variant's name ([a-z0-9_.-]+)", variant->name);
    int needs = find_name(row->needs, (const char *const[]){"none", "iopl", "cpl0"}, 3);
    if (needs < 0)
        return wrong(plan, at, "needs", "not none, iopl or cpl0", error);
    variant->needs = (enum needs)needs;
    // In the order of enum target; older files have only the first, and no such column.
    int target = *row->target ? find_name(row->target, (const char *const[]){"x86", "bpf"}, 2) : 0;
    if (target < 0)
        return wrong(plan, at, "target", "not x86 or bpf", error);
    variant->target = (enum target)target;
    // In the order of enum segment; the empty text is CHAINS_all.
    variant->excluded_chain =
        find_name(row->excludes_chain, (const char *const[]){"add", "rol", "imul", ""}, 4);
    if (variant->excluded_chain < 0)
        return wrong(plan, at, "excludes_chain", "not add, rol, imul or empty", error);
    if (row->iterations < 1 || row->iterations > UINT32_MAX)
        return wrong(plan, at, "iterations", "not a whole number from 1", error);
    if (row->retired_expected <= 0)
        return wrong(plan, at, "retired_expected", "not empty and no number above 0", error);
    variant->path = text_make("%s/bin/%s", plan->directory, variant->name);
    return 0;
}

// `proof` is NULL where there is none.
static void find_unproved(struct variant *variant, const struct proof_row *proof) {
    char sha256[SHA256_DIGEST_STRING_LENGTH], unread[128];
    const char *reason = NULL;
    if (proof == NULL) {
        reason = "not in proof.csv: build the sweep again";
    } else if (!*proof->elf_sha256 && *proof->detail && access(variant->path, F_OK) != 0) {
        reason = proof->detail; // why it could not be made
    } else if (!SHA256File(variant->path, sha256)) {
        // A binary that is gone is built again; any other reason is not the build's.
        snprintf(unread, sizeof unread, "its binary cannot be read: %s",
                 errno == ENOENT ? "build the sweep again" : strerror(errno));
        reason = unread;
    } else if (!*proof->elf_sha256 && *proof->detail) {
        reason = proof->detail; // what the disassembly could not read
    } else if (strcmp(sha256, proof->elf_sha256) != 0) {
        reason = "its binary is not the one that was proved: build the sweep again";
    } else if (strcmp(proof->status, "ok") != 0) {
        reason = *proof->detail ? proof->detail : "its proof failed: build the sweep again";
    }
    if (reason == NULL)
        return;
    variant->unproved = 1;
    snprintf(variant->unproved_reason, sizeof variant->unproved_reason, "%s", reason);
}

// proof.csv has the variants in the order of variants.csv; where it has not, look for it.
static const struct proof_row *find_proof(const struct rows *proof, size_t guess,
                                          const char *name) {
    const struct proof_row *row = proof->row;
    if (guess < proof->count && !strcmp(row[guess].variant, name))
        return &row[guess];
    for (size_t i = 0; i < proof->count; i++)
        if (!strcmp(row[i].variant, name))
            return &row[i];
    return NULL;
}

static void take_proof(struct variant *variant, const struct rows *rows, size_t guess) {
    const struct proof_row *proof = find_proof(rows, guess, variant->name);
    find_unproved(variant, proof);
    if (proof == NULL)
        return;
    variant->loop_sha256 = proof->loop_sha256;
    variant->loop_address = proof->loop_address;
    variant->loop_bytes = proof->loop_bytes;
    variant->jcc_erratum = proof->jcc_erratum;
    variant->order_found = proof->order_found;
    variant->hint = proof->hint;
    if (*proof->group)
        variant->plan_keys.group = proof->group;
    if (!*variant->mix) { // claims are optional, and where one is made it is what was found
        variant->mix = proof->mix_found;
        variant->mix_source = *variant->mix ? "found" : "";
    }
}

// Of the proof all that a run takes from it; what the guest counted and said is no part of it.
static int hash_files(struct plan *plan, struct error *error) {
    static const char *const others[] = {"differences.csv", "sweep.json"}; // older builds have none
    static const char *const taken[] = {"variant",    "elf_sha256",  "loop_sha256", "loop_address",
                                        "loop_bytes", "jcc_erratum", "mix_found",   "status"};
    const struct table *proof = &plan->proof.table;
    char *text, variants[SHA256_DIGEST_STRING_LENGTH];
    size_t length;
    if (!SHA256File(plan->variants.table.path, variants))
        return error_errno(error, ERROR_INPUT, plan->directory, "cannot be read again");
    FILE *stream = text_open(&text, &length);
    fputs(variants, stream);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char sum[SHA256_DIGEST_STRING_LENGTH];
        if (SHA256File(PATH("%s/%s", plan->directory, others[i]), sum))
            fprintf(stream, ",%s", sum);
    }
    for (size_t row = 0; row < proof->rows; row++)
        for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
            fprintf(stream, ",%s", table_cell(proof, row, taken[i]));
    text_close(stream);
    SHA256Data((const uint8_t *)text, length, plan->sha256);
    free(text);
    return 0;
}

// Does a name match one of the globs? No name has a comma in it.
static bool is_wanted(const char *only, const char *name) {
    char *globs = text_make("%s", only), *rest = globs, *glob;
    bool wanted = false;
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
            return error_set(error, ERROR_INPUT, plan->variants.table.path, table_line(row),
                             "the variant '%s' is there twice", name);
    return 0;
}

// The rows of the two tables that are already read.
static int take_rows(struct plan *plan, const char *only, struct error *error) {
    plan->rows = memory_zero(plan->variants.count, sizeof *plan->rows);
    const struct variants_row *variants = plan->variants.row;
    for (size_t row = 0; row < plan->variants.count; row++) {
        struct variant *variant = &plan->rows[plan->count];
        if (!plan->calibrator.path && !strcmp(variants[row].family, "calibrator")) {
            if (read_variant(plan, row, &plan->calibrator, error))
                return -1;
            take_proof(&plan->calibrator, &plan->proof, row);
        }
        if (only && !is_wanted(only, variants[row].variant))
            continue;
        if (read_variant(plan, row, variant, error) || refuse_twice(plan, row, error)) {
            free(variant->path);
            return -1;
        }
        plan->count++;
        take_proof(variant, &plan->proof, row);
    }
    if (!plan->count)
        return error_set(error, ERROR_INPUT, plan->variants.table.path, 0,
                         only ? "no variant's name matches '%s'" : "no variants%s",
                         only ? only : "");
    plan->sweep = variants[0].sweep;
    plan->events = variants[0].events;
    return 0;
}

int plan_read(const char *directory, const char *only, struct plan *plan, struct error *error) {
    *plan = (struct plan){.directory = text_make("%s", directory)};
    return rows_read(PATH("%s/variants.csv", directory), FILE_variants, NULL, &plan->variants,
                     error) ||
                   rows_read(PATH("%s/proof.csv", directory), FILE_proof, NULL, &plan->proof,
                             error) ||
                   hash_files(plan, error) || take_rows(plan, only, error)
               ? -1
               : 0;
}

void plan_free(struct plan *plan) {
    for (size_t i = 0; plan->rows && i < plan->count; i++)
        free(plan->rows[i].path);
    free(plan->calibrator.path);
    free(plan->rows);
    free(plan->directory);
    rows_free(&plan->variants);
    rows_free(&plan->proof);
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
        .mix = variant->mix,
        .target = variant->target,
        .needs = variant->needs,
        .excluded_chain = variant->excluded_chain,
        .iterations = variant->iterations,
        .retired = variant->retired,
    };
}

// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-prove disassemble: a few calls of objdump for all binaries of a build.
#include "runner/prove/commands.h"

#include "runner/host/process.h"
#include "runner/prove/check.h"
#include "runner/prove/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What one call of objdump gets: enough to make starting it cheap, little enough that its
// output (about 40 bytes an instruction) stays far below OUTPUT_LIMIT.
enum { BATCH_FILES = 500, BATCH_LOOP_BYTES = 1 << 20, OUTPUT_LIMIT = 256 << 20 };

struct job {
    const char *build_dir;
    const char *objdump;
    struct table plan;
    struct loop_file *files; // plan.rows; where paths[i] is NULL: not readable
    char **paths;            // plan.rows; of the binaries
    struct proof proof, before;
};

static int mark_not_proved(struct proof_row *row, const char *why) {
    return proof_set(row, COLUMN_proof_status, "not_proved") ||
           proof_set(row, COLUMN_proof_detail, "%s", why);
}

// Hashes and symbols of every binary; one that cannot be read is not_proved.
static int read_files(struct job *job, struct error *error) {
    if (proof_new(job->plan.rows, &job->proof, error))
        return -1;
    job->files = calloc(job->plan.rows + 1, sizeof *job->files);
    job->paths = calloc(job->plan.rows + 1, sizeof *job->paths);
    int failed = !job->files || !job->paths;
    for (size_t i = 0; !failed && i < job->plan.rows; i++) {
        const char *variant = table_cell(&job->plan, i, "variant");
        struct proof_row *row = &job->proof.rows[i];
        struct error problem;
        failed |= proof_set(row, COLUMN_proof_variant, "%s", variant);
        failed |= proof_set(row, COLUMN_proof_mix_claimed, "%s", table_cell(&job->plan, i, "mix"));
        failed |= proof_set(row, COLUMN_proof_retired_expected, "%s",
                            table_cell(&job->plan, i, "retired_expected"));
        failed |= asprintf(&job->paths[i], "%s/bin/%s", job->build_dir, variant) < 0;
        if (!failed && loop_file_read(job->paths[i], &job->files[i], &problem)) {
            failed |= mark_not_proved(row, problem.text);
            free(job->paths[i]);
            job->paths[i] = NULL;
        }
    }
    return failed ? steps_no_memory(error) : 0;
}

// Run objdump on some paths; its output is put into *disassembly. 0; 1 with *error when one of
// the files is not to its or our liking; -1 with *error when it cannot be run at all.
static int objdump(const struct job *job, const char *const *paths, size_t count,
                   struct disassembly *disassembly, struct error *error) {
    const char *argv[BATCH_FILES + 8] = {job->objdump, "-d",    "-w", "--no-show-raw-insn",
                                         "-j",         ".loop", "--"};
    memcpy(argv + 7, paths, count * sizeof *paths);
    struct process_request request = {
        .argv = argv, .cpu = -1, .timeout = 600, .output_limit = OUTPUT_LIMIT};
    struct process_result result;
    char how[128];
    *disassembly = (struct disassembly){0};
    if (process_run(&request, &result, error)) {
        process_free(&result);
        return -1;
    }
    int failed = 0;
    if (result.exec_errno || result.timed_out || result.interrupted) {
        error_set(error, ERROR_MISSING, job->objdump, 0, "%s; install binutils",
                  process_describe(&result, how, sizeof how));
        failed = -1;
    } else if (!process_succeeded(&result) || result.truncated) {
        error_set(error, ERROR_INPUT, paths[0], 0, "objdump cannot read it; build the sweep again");
        failed = 1;
    } else if (disassembly_parse(result.output, result.output_length, disassembly, error)) {
        failed = 1;
    }
    process_free(&result);
    return failed;
}

// A listing for each path, in order and not empty?
static int is_listing_of(const struct disassembly *disassembly, const char *const *paths,
                         size_t count) {
    if (disassembly->count != count)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (!disassembly->listings[i].count || strcmp(disassembly->listings[i].path, paths[i]))
            return 0;
    return 1;
}

// Prove the variants whose plan rows are in `rows`. One damaged file must not cost the others
// their proof: a batch that fails is halved until the file is alone.
static int prove_batch(struct job *job, const size_t *rows, size_t count, struct error *error) {
    const char *paths[BATCH_FILES];
    struct disassembly disassembly;
    for (size_t i = 0; i < count; i++)
        paths[i] = job->paths[rows[i]];
    int failed = objdump(job, paths, count, &disassembly, error);
    if (!failed && !is_listing_of(&disassembly, paths, count)) {
        error_set(error, ERROR_INPUT, paths[0], 0, "objdump shows no loop; build the sweep again");
        failed = 1;
    }
    if (failed > 0) {
        disassembly_free(&disassembly);
        if (count > 1)
            return prove_batch(job, rows, count / 2, error) ||
                   prove_batch(job, rows + count / 2, count - count / 2, error);
        return mark_not_proved(&job->proof.rows[rows[0]], error->text);
    }
    for (size_t i = 0; !failed && i < count; i++)
        if (check_variant(&job->plan, rows[i], &job->files[rows[i]], &disassembly.listings[i],
                          &job->proof.rows[rows[i]]))
            failed = steps_no_memory(error);
    disassembly_free(&disassembly);
    return failed;
}

static int prove_all(struct job *job, struct error *error) {
    size_t rows[BATCH_FILES], count = 0;
    uint64_t bytes = 0;
    for (size_t i = 0; i < job->plan.rows; i++) {
        if (!job->paths[i])
            continue;
        uint64_t size = job->files[i].teardown_end - job->files[i].setup;
        if (count && (count == BATCH_FILES || bytes + size > BATCH_LOOP_BYTES)) {
            if (prove_batch(job, rows, count, error))
                return -1;
            count = 0;
            bytes = 0;
        }
        rows[count++] = i;
        bytes += size;
    }
    return count ? prove_batch(job, rows, count, error) : 0;
}

// A/A: a twin's loop must be its original's, byte for byte.
static int check_twins(struct job *job, struct error *error) {
    for (size_t i = 0; i < job->plan.rows; i++) {
        const char *original = table_cell(&job->plan, i, "twin_of");
        struct proof_row *row = &job->proof.rows[i];
        if (!*original || !job->paths[i])
            continue;
        const struct proof_row *other = proof_find(&job->proof, original);
        if (other && !strcmp(proof_cell(other, COLUMN_proof_loop_sha256),
                             proof_cell(row, COLUMN_proof_loop_sha256)))
            continue;
        const char *what = other && *proof_cell(other, COLUMN_proof_loop_sha256)
                               ? "its loop is not that of"
                               : "there is no proof for its original";
        if (proof_differs(row, "twin: %s %s", what, original))
            return steps_no_memory(error);
    }
    return 0;
}

// What the guest counted stays true as long as the binary is the same.
static int keep_counted(struct job *job, const char *path, struct error *error) {
    static const enum column counted[] = {COLUMN_proof_retired_cpl0, COLUMN_proof_retired_cpl3};
    struct error ignored;
    if (proof_read(path, &job->before, &ignored))
        return 0;
    for (size_t i = 0; i < job->proof.count; i++) {
        struct proof_row *row = &job->proof.rows[i];
        const struct proof_row *old =
            i < job->before.count ? &job->before.rows[i] : NULL; // mostly the same plan
        const char *variant = proof_cell(row, COLUMN_proof_variant);
        if (!old || strcmp(proof_cell(old, COLUMN_proof_variant), variant))
            old = proof_find(&job->before, variant);
        if (!old || strcmp(proof_cell(old, COLUMN_proof_elf_sha256),
                           proof_cell(row, COLUMN_proof_elf_sha256)))
            continue;
        for (size_t c = 0; c < sizeof counted / sizeof *counted; c++)
            if (*proof_cell(old, counted[c]) &&
                proof_set(row, counted[c], "%s", proof_cell(old, counted[c])))
                return steps_no_memory(error);
    }
    return 0;
}

static int disassemble(struct job *job, int strict, struct error *error) {
    static const char *const needed[] = {
        "variant", "mix",     "sequence", "bytes_claimed", "address_claimed", "iterations",
        "needs",   "twin_of", NULL};
    char *plan, *proof;
    int failed = steps_paths(job->build_dir, &plan, &proof, error) ||
                 table_read(plan, needed, &job->plan, error) || read_files(job, error) ||
                 prove_all(job, error) || check_twins(job, error) ||
                 keep_counted(job, proof, error) || proof_write(proof, &job->proof, error);
    size_t bad = failed ? 0 : steps_report(&job->proof);
    if (bad && strict)
        failed = steps_not_proved(proof, &job->proof, bad, error);
    free(plan);
    free(proof);
    return failed ? -1 : 0;
}

int command_disassemble(int argc, char **argv, struct error *error) {
    struct job job = {.objdump = "objdump"};
    int strict = 0;
    const struct option_row rows[] = {
        {"objdump", 0, OPTION_TEXT, &job.objdump, "PROGRAM", 0, 0, "GNU objdump to use"},
        {"strict", 0, OPTION_FLAG, &strict, NULL, 0, 0, "a difference is an error (status 1)"},
    };
    const struct option_list list = {"disassemble [options] BUILD_DIR",
                                     "Compare each binary of a build with its claims.", rows,
                                     sizeof rows / sizeof *rows};
    int parsed = steps_parse(&list, argc, argv, &job.build_dir, error);
    if (parsed)
        return parsed > 0 ? 0 : -1;
    int result = disassemble(&job, strict, error);
    for (size_t i = 0; job.paths && i < job.plan.rows; i++)
        free(job.paths[i]);
    free(job.paths);
    free(job.files);
    table_free(&job.plan);
    proof_free(&job.proof);
    proof_free(&job.before);
    return result;
}

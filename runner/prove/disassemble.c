// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-prove disassemble: a few calls of objdump for all binaries of a build.
#include "runner/prove/commands.h"

#include "common/disk.h"
#include "runner/disassemble/objdump.h"
#include "runner/prove/check.h"
#include "runner/prove/groups.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What one call of objdump gets: enough to make starting it cheap, little enough that its
// output (about 40 bytes an instruction) stays far below OUTPUT_LIMIT.
enum { BATCH_FILES = OBJDUMP_FILES, BATCH_LOOP_BYTES = 1 << 20 };

struct job {
    const char *build_dir;
    struct tools tools;
    struct rows plan;
    struct loop_file *files; // plan.count; where paths[i] is NULL: not readable
    char **paths;            // plan.count; of the binaries
    struct proof proof;
};

static const struct variants_row *claims(const struct job *job, size_t i) {
    return (const struct variants_row *)job->plan.row + i;
}

static void mark_not_proved(struct proof *proof, struct proof_row *row, const char *why) {
    row->status = "not_proved";
    row->detail = rows_own(&proof->rows, text_make("%s", why));
}

// A program of the kernel: what the JIT makes of it is known where it runs, so its own instructions
// are what is compared.
static void read_object(struct job *job, size_t i) {
    struct proof_row *row = &job->proof.row[i];
    struct object object = {0};
    struct error problem;
    if (access(job->paths[i], F_OK) != 0)
        mark_not_proved(&job->proof, row, "bpf-as was not there to make it: ./asmsweep setup");
    else if (object_read(job->paths[i], &object, &problem) == 0)
        check_object(claims(job, i), &object, &job->proof, row);
    else
        mark_not_proved(&job->proof, row, problem.text);
    object_free(&object);
}

// Hashes and symbols of every binary; one that cannot be read is not_proved.
static void read_files(struct job *job) {
    job->proof = proof_new(job->plan.count);
    job->files = memory_zero(job->plan.count, sizeof *job->files);
    job->paths = memory_zero(job->plan.count, sizeof *job->paths);
    for (size_t i = 0; i < job->plan.count; i++) {
        struct proof_row *row = &job->proof.row[i];
        struct error problem;
        row->variant = claims(job, i)->variant;
        row->mix_claimed = claims(job, i)->mix;
        row->retired_expected = table_cell(&job->plan.table, i, "retired_expected");
        job->paths[i] = text_make("%s/bin/%s", job->build_dir, row->variant);
        if (!strcmp(claims(job, i)->target, "bpf")) {
            read_object(job, i);
            free(job->paths[i]);
            job->paths[i] = NULL;
            continue;
        }
        if (loop_file_read(job->paths[i], &job->files[i], &problem)) {
            mark_not_proved(&job->proof, row, problem.text);
            free(job->paths[i]);
            job->paths[i] = NULL;
        }
    }
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
    int failed = objdump_section(job->tools.objdump, ".loop", paths, count, &disassembly, error);
    if (!failed && !is_listing_of(&disassembly, paths, count)) {
        error_set(error, ERROR_INPUT, paths[0], 0, "objdump shows no loop; build the sweep again");
        failed = 1;
    }
    if (failed > 0) {
        disassembly_free(&disassembly);
        if (count > 1)
            return prove_batch(job, rows, count / 2, error) ||
                   prove_batch(job, rows + count / 2, count - count / 2, error);
        mark_not_proved(&job->proof, &job->proof.row[rows[0]], error->text);
        return 0;
    }
    for (size_t i = 0; !failed && i < count; i++)
        check_variant(claims(job, rows[i]), &job->files[rows[i]], &disassembly.listings[i],
                      &job->proof, &job->proof.row[rows[i]]);
    disassembly_free(&disassembly);
    return failed;
}

static int prove_all(struct job *job, struct error *error) {
    size_t rows[BATCH_FILES], count = 0;
    uint64_t bytes = 0;
    for (size_t i = 0; i < job->plan.count; i++) {
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

// A/A: a duplicate's loop must be its original's, byte for byte.
static void check_duplicates(struct job *job) {
    for (size_t i = 0; i < job->plan.count; i++) {
        const char *original = claims(job, i)->duplicate_of;
        struct proof_row *row = &job->proof.row[i];
        if (!*original || !*row->loop_sha256)
            continue;
        const struct proof_row *other = proof_find(&job->proof, 0, original);
        const char *loop = other ? other->loop_sha256 : "";
        if (!*loop)
            proof_differs(&job->proof, row,
                          text_make("duplicate: there is no proof for its original %s", original));
        else if (strcmp(loop, row->loop_sha256) != 0)
            proof_differs(&job->proof, row,
                          text_make("duplicate: its loop is not that of %s", original));
    }
}

// What the guest counted stays true as long as the binary is the same.
static void keep_counted(struct job *job, const struct proof *before) {
    for (size_t i = 0; i < job->proof.count; i++) {
        struct proof_row *row = &job->proof.row[i];
        const struct proof_row *old = proof_find(before, i, row->variant);
        if (!old || strcmp(old->elf_sha256, row->elf_sha256) != 0)
            continue;
        row->retired_cpl0 = old->retired_cpl0;
        row->retired_cpl3 = old->retired_cpl3;
    }
}

static int disassemble(struct job *job, int strict, struct error *error) {
    struct path path = path_make("%s/proof.csv", job->build_dir);
    struct proof before;
    struct error ignored;
    if (rows_read(PATH("%s/variants.csv", job->build_dir), FILE_variants, NULL, &job->plan, error))
        return -1;
    read_files(job);
    if (prove_all(job, error))
        return -1;
    check_duplicates(job);
    if (groups_check(&job->tools, job->build_dir, &job->plan, &job->proof, error))
        return -1;
    if (!proof_read(path.text, &before, &ignored))
        keep_counted(job, &before);
    for (size_t i = 0; i < job->proof.count; i++)
        job->proof.row[i].disassembly = job->proof.row[i].detail;
    int failed = proof_write(path.text, &job->proof, error);
    proof_free(&before); // of which a row may have texts
    if (failed)
        return -1;
    size_t bad = prove_report(&job->proof);
    return strict ? prove_end(path.text, &job->proof, bad, error) : 0;
}

int command_disassemble(int argc, char **argv, struct error *error) {
    struct job job = {.tools = {"as", "objdump"}};
    int strict = 0;
    const struct option_row rows[] = {
        {"objdump", 0, OPTION_TEXT, &job.tools.objdump, "PROGRAM", 0, 0, "GNU objdump to use"},
        {"as", 0, OPTION_TEXT, &job.tools.as, "PROGRAM", 0, 0, "GNU as to use, for the groups"},
        {"strict", 0, OPTION_FLAG, &strict, NULL, 0, 0, "a difference is an error (status 1)"},
    };
    const struct option_list list = {"asmsweep-prove", "disassemble [options] BUILD_DIR",
                                     "Compare each binary of a build with its claims.", rows,
                                     sizeof rows / sizeof *rows};
    if (options_parse(&list, argc, argv, &job.build_dir, 1, 1, error))
        return -1;
    int result = disassemble(&job, strict, error);
    for (size_t i = 0; job.paths && i < job.plan.count; i++)
        free(job.paths[i]);
    free(job.paths);
    free(job.files);
    rows_free(&job.plan);
    proof_free(&job.proof);
    return result;
}

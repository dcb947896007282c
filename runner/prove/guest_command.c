// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-prove guest: every variant executed in the guest under icount, at CPL0 and, where it
// may, at CPL3 with IOPL=3; what it retires per iteration goes into proof.csv.
#include "runner/prove/commands.h"

#include "common/disk.h"
#include "runner/engine/guest.h"
#include "runner/prove/judge.h"
#include "runner/prove/loop_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INVALID_OPCODE = 6 }; // #UD
// Variants in one call of the guest: bounds memory, and the loss if QEMU itself breaks.
enum { BATCH = 256, ENTRIES = BATCH * JUDGE_RINGS * RETIRED_RUNS };

struct subject {
    struct proof_row *row;
    char *path;
    int rings;      // 1: CPL0 only; JUDGE_RINGS: all
    bool executed;  // its binary is the one that was disassembled
    bool uncounted; // at a ring at least
};

struct work {
    const char *build_dir;
    struct guest_options options;
    struct rows plan;
    struct proof proof;
    struct subject *subjects;
    size_t count;
};

// The binary has to be the one whose disassembly is in the row.
static bool same_binary(const struct subject *subject) {
    struct loop_file file;
    struct error ignored;
    return !loop_file_read(subject->path, &file, &ignored) &&
           !strcmp(file.elf_sha256, subject->row->elf_sha256);
}

// Which variants to run, and where: all that are programs and have a binary.
static void list_subjects(struct work *work) {
    for (size_t i = 0; i < work->proof.count; i++)
        if (table_column(&work->proof.rows.table, "disassembly") < 0) // of an older version
            work->proof.row[i].disassembly = work->proof.row[i].detail;
    work->subjects = memory_zero(work->plan.count, sizeof *work->subjects);
    for (size_t i = 0; i < work->plan.count; i++) {
        const struct variants_row *plan = (const struct variants_row *)work->plan.row + i;
        struct proof_row *row = proof_find(&work->proof, i, plan->variant);
        if (row == NULL || !*row->elf_sha256 || !strcmp(plan->target, "bpf"))
            continue;
        struct subject *subject = &work->subjects[work->count++];
        *subject = (struct subject){
            .row = row,
            .path = text_make("%s/bin/%s", work->build_dir, plan->variant),
            .rings = strcmp(plan->needs, "cpl0") ? JUDGE_RINGS : 1,
        };
        judge_forget(row);
        subject->executed = same_binary(subject);
        subject->uncounted = !subject->executed;
        if (subject->uncounted)
            proof_notes(&work->proof, row,
                        text_make(JUDGE_OURS "the binary changed since it was disassembled"));
    }
}

// #UD: the variant may be good, and this CPU of QEMU's too small.
static bool lacks_instruction(const struct guest_result *results) {
    for (int run = 0; run < RETIRED_RUNS; run++)
        if (results[run].end == GUEST_FAULTED && results[run].vector == INVALID_OPCODE)
            return true;
    return false;
}

// The results of one variant, all its rings one behind the other, into its row.
static void judge(struct proof *proof, struct subject *subject,
                  const struct guest_result *results) {
    int64_t counts[JUDGE_RINGS];
    char why[300], whole[400];
    for (int i = 0; i < subject->rings; i++, results += RETIRED_RUNS) {
        if (!retired_count(results, &counts[i], why, sizeof why))
            continue;
        counts[i] = -1;
        subject->uncounted = true;
        snprintf(whole, sizeof whole, "%s%s", why,
                 lacks_instruction(results) ? ": the emulated CPU has no such instruction" : "");
        judge_uncounted(proof, subject->row, judge_rings[i], whole);
    }
    judge_counts(proof, subject->row, counts, subject->rings);
}

// Run `count` subjects in one pack and judge them.
static int run_batch(struct work *work, struct subject *subjects, size_t count,
                     struct error *error) {
    struct guest_entry *entries = memory_zero(ENTRIES, sizeof *entries);
    struct guest_result *results = memory_zero(ENTRIES, sizeof *results), *result = results;
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        for (int ring = 0; subjects[i].executed && ring < subjects[i].rings; ring++)
            for (int run = 0; run < RETIRED_RUNS; run++)
                entries[used++] =
                    (struct guest_entry){subjects[i].path,
                                         {subjects[i].row->variant, retired_argument(run)},
                                         judge_rings[ring]};
    int failed = used && guest_run(entries, used, &work->options, results, NULL, 0, error) ? -1 : 0;
    for (size_t i = 0; !failed && i < count; i++)
        if (subjects[i].executed) {
            judge(&work->proof, &subjects[i], result);
            result += subjects[i].rings * RETIRED_RUNS;
        }
    guest_results_free(results, used);
    free(entries);
    free(results);
    return failed;
}

// To stderr what is not ok, and what is but could not be counted; how many these are.
static size_t report_bad(const struct work *work) {
    size_t bad = prove_report(&work->proof);
    for (size_t i = 0; i < work->count; i++) {
        const struct proof_row *row = work->subjects[i].row;
        if (!work->subjects[i].uncounted || strcmp(row->status, "ok"))
            continue;
        bad++;
        fprintf(stderr, "%s: not counted: %s\n", row->variant, row->detail);
    }
    return bad;
}

static int prove(struct work *work, struct error *error) {
    struct path path = path_make("%s/proof.csv", work->build_dir);
    if (rows_read(PATH("%s/variants.csv", work->build_dir), FILE_variants, NULL, &work->plan,
                  error) ||
        proof_read(path.text, &work->proof, error))
        return -1;
    list_subjects(work);
    for (size_t done = 0; done < work->count; done += BATCH) {
        size_t count = work->count - done < BATCH ? work->count - done : BATCH;
        if (run_batch(work, work->subjects + done, count, error))
            return -1;
    }
    if (proof_write(path.text, &work->proof, error))
        return -1;
    size_t bad = report_bad(work), executed = 0;
    for (size_t i = 0; i < work->count; i++)
        executed += work->subjects[i].executed;
    printf("%zu variants, %zu executed, %zu not proved\n", work->proof.count, executed, bad);
    return prove_end(path.text, &work->proof, bad, error);
}

int command_guest(int argc, char **argv, struct error *error) {
    struct work work = {0};
    work.options = (struct guest_options){.cpu = -1};
    work.options.icount = 1;
    const struct option_row rows[] = {
        {"guest", 0, OPTION_TEXT, &work.options.directory, "DIR", 0, 0,
         "where the guest's kernel is (../guest beside this program)"},
        {"qemu", 0, OPTION_TEXT, &work.options.qemu, "PROGRAM", 0, 0,
         "QEMU to use (qemu-system-x86_64)"},
        {"timeout", 0, OPTION_SECONDS, &work.options.timeout, "TIME", 0, 0,
         "stop a run that gives no sign of life for so long (10s)"},
    };
    const struct option_list list = {"asmsweep-prove", "guest [options] BUILD_DIR",
                                     "Count what each variant retires, in QEMU under icount.", rows,
                                     sizeof rows / sizeof *rows};
    if (options_parse(&list, argc, argv, &work.build_dir, 1, 1, error))
        return -1;
    int result = prove(&work, error);
    for (size_t i = 0; i < work.count; i++)
        free(work.subjects[i].path);
    free(work.subjects);
    rows_free(&work.plan);
    proof_free(&work.proof);
    return result;
}

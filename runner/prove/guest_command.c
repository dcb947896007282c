// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-prove guest: every variant executed in the guest under icount, at CPL0 and, where it
// may, at CPL3 with IOPL=3; what it retires per iteration goes into proof.csv.
#include "runner/prove/commands.h"

#include "common/table.h"
#include "runner/engine/guest.h"
#include "runner/prove/judge.h"
#include "runner/prove/loop_file.h"
#include "runner/prove/retired.h"
#include "runner/prove/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Variants in one call of the guest: bounds memory, and the loss if QEMU itself breaks.
enum { BATCH = 256, ENTRIES = BATCH * JUDGE_RINGS * RETIRED_RUNS };

struct subject {
    struct proof_row *row;
    char *path;
    int rings;     // 1: CPL0 only; JUDGE_RINGS: all
    int executed;  // its binary is the one that was disassembled
    int uncounted; // at a ring at least
};

struct work {
    const char *build_dir;
    struct guest_options options;
    struct table plan;
    struct proof proof;
    struct subject *subjects;
    size_t count;
};

// The binary has to be the one whose disassembly is in the row.
static int same_binary(const struct subject *subject) {
    struct loop_file file;
    struct error ignored;
    return !loop_file_read(subject->path, &file, &ignored) &&
           !strcmp(file.elf_sha256, proof_cell(subject->row, COLUMN_proof_elf_sha256));
}

// Which variants to run, and where.
static int choose(struct work *work, struct error *error) {
    work->subjects = calloc(work->plan.rows + 1, sizeof *work->subjects);
    if (!work->subjects)
        return steps_no_memory(error);
    for (size_t i = 0; i < work->plan.rows; i++) {
        const char *variant = table_cell(&work->plan, i, "variant");
        struct subject *subject = &work->subjects[work->count];
        subject->row = proof_find(&work->proof, variant);
        if (!subject->row || !*proof_cell(subject->row, COLUMN_proof_elf_sha256))
            continue; // there is no binary to run
        if (judge_forget(subject->row) ||
            asprintf(&subject->path, "%s/bin/%s", work->build_dir, variant) < 0)
            return steps_no_memory(error);
        subject->rings = strcmp(table_cell(&work->plan, i, "needs"), "cpl0") ? JUDGE_RINGS : 1;
        subject->executed = same_binary(subject);
        subject->uncounted = !subject->executed;
        if (subject->uncounted &&
            proof_notes(subject->row, JUDGE_OURS "the binary changed since it was disassembled"))
            return steps_no_memory(error);
        work->count++;
    }
    return 0;
}

// A vector of 6 is #UD: the variant may be good, and this CPU of QEMU's too small.
static const char *explain(const struct guest_result *results) {
    for (int run = 0; run < RETIRED_RUNS; run++)
        if (results[run].end == GUEST_FAULTED && results[run].vector == 6)
            return ": the emulated CPU has no such instruction";
    return "";
}

// The results of one variant, all its rings one behind the other, into its row.
static int judge(struct subject *subject, const struct guest_result *results) {
    int64_t counts[JUDGE_RINGS];
    char why[300], whole[400];
    for (int i = 0; i < subject->rings; i++, results += RETIRED_RUNS) {
        if (!retired_count(results, &counts[i], why, sizeof why))
            continue;
        counts[i] = -1;
        subject->uncounted = 1;
        snprintf(whole, sizeof whole, "%s%s", why, explain(results));
        if (judge_uncounted(subject->row, judge_rings[i].ring, whole))
            return -1;
    }
    return judge_counts(subject->row, counts, subject->rings);
}

// Run `count` subjects in one pack and judge them.
static int run_batch(struct work *work, struct subject *subjects, size_t count,
                     struct error *error) {
    struct guest_entry *entries = calloc(ENTRIES, sizeof *entries);
    struct guest_result *results = calloc(ENTRIES, sizeof *results);
    const char *(*arguments)[3] = calloc(ENTRIES, sizeof *arguments);
    size_t used = 0;
    int failed = !entries || !results || !arguments ? steps_no_memory(error) : 0;
    for (size_t i = 0; !failed && i < count; i++)
        for (int ring = 0; subjects[i].executed && ring < subjects[i].rings; ring++)
            for (int run = 0; run < RETIRED_RUNS; run++, used++) {
                arguments[used][0] = proof_cell(subjects[i].row, COLUMN_proof_variant);
                arguments[used][1] = retired_argument(run);
                entries[used] =
                    (struct guest_entry){subjects[i].path, arguments[used], judge_rings[ring].ring};
            }
    failed = failed || (used && guest_run(entries, used, &work->options, results, NULL, 0, error));
    const struct guest_result *result = results;
    for (size_t i = 0; !failed && i < count; i++)
        if (subjects[i].executed) {
            failed = judge(&subjects[i], result) ? steps_no_memory(error) : 0;
            result += subjects[i].rings * RETIRED_RUNS;
        }
    if (results)
        guest_results_free(results, used);
    free(entries);
    free(results);
    free(arguments);
    return failed ? -1 : 0;
}

// To stderr what is not ok, and what is but could not be counted; how many these are.
static size_t report(const struct work *work) {
    size_t bad = steps_report(&work->proof);
    for (size_t i = 0; i < work->count; i++) {
        const struct proof_row *row = work->subjects[i].row;
        if (!work->subjects[i].uncounted || strcmp(proof_cell(row, COLUMN_proof_status), "ok"))
            continue;
        bad++;
        fprintf(stderr, "%s: not counted: %s\n", proof_cell(row, COLUMN_proof_variant),
                proof_cell(row, COLUMN_proof_detail));
    }
    return bad;
}

static int prove(struct work *work, struct error *error) {
    static const char *const needed[] = {"variant", "needs", NULL};
    char *plan, *proof;
    int failed = steps_paths(work->build_dir, &plan, &proof, error) ||
                 table_read(plan, needed, &work->plan, error) ||
                 proof_read(proof, &work->proof, error) || choose(work, error);
    for (size_t done = 0; !failed && done < work->count; done += BATCH) {
        size_t count = work->count - done < BATCH ? work->count - done : BATCH;
        failed = run_batch(work, work->subjects + done, count, error);
    }
    failed = failed || proof_write(proof, &work->proof, error);
    if (!failed) {
        size_t bad = report(work), executed = 0;
        for (size_t i = 0; i < work->count; i++)
            executed += (size_t)work->subjects[i].executed;
        printf("%zu variants, %zu executed, %zu not proved\n", work->proof.count, executed, bad);
        if (bad)
            failed = steps_not_proved(proof, &work->proof, bad, error);
    }
    free(plan);
    free(proof);
    return failed ? -1 : 0;
}

int command_guest(int argc, char **argv, struct error *error) {
    struct work work = {0};
    guest_options_init(&work.options);
    work.options.icount = 1;
    const struct option_row rows[] = {
        {"guest", 0, OPTION_TEXT, &work.options.directory, "DIR", 0, 0,
         "where the guest's kernel is (../guest beside this program)"},
        {"qemu", 0, OPTION_TEXT, &work.options.qemu, "PROGRAM", 0, 0,
         "QEMU to use (qemu-system-x86_64)"},
        {"timeout", 0, OPTION_SECONDS, &work.options.timeout, "TIME", 0, 0,
         "stop a run that gives no sign of life for so long (10s)"},
    };
    const struct option_list list = {"guest [options] BUILD_DIR",
                                     "Count what each variant retires, in QEMU under icount.", rows,
                                     sizeof rows / sizeof *rows};
    int parsed = steps_parse(&list, argc, argv, &work.build_dir, error);
    if (parsed)
        return parsed > 0 ? 0 : -1;
    int result = prove(&work, error);
    for (size_t i = 0; i < work.count; i++)
        free(work.subjects[i].path);
    free(work.subjects);
    table_free(&work.plan);
    proof_free(&work.proof);
    return result;
}

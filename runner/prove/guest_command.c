// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-prove guest: every variant executed in the guest under icount, at CPL0 and, where it
// may, at CPL3 with IOPL=3; what it retires per iteration goes into proof.csv.
#include "commands.h"

#include "guest.h"
#include "loop_file.h"
#include "retired.h"
#include "steps.h"
#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Variants in one call of the guest: bounds memory, and the loss if QEMU itself breaks.
enum { BATCH = 256, RINGS = 2, ENTRIES = BATCH * RINGS * RETIRED_RUNS };

// What this command adds to a row's detail begins so; an earlier run's words are replaced.
#define OURS "guest: "

static const struct ring {
    int ring;
    enum column column;
} rings[RINGS] = {{0, COLUMN_proof_retired_cpl0}, {3, COLUMN_proof_retired_cpl3}};

struct subject {
    struct proof_row *row;
    char *path;
    int rings; // 1: CPL0 only; 2: both
};

struct work {
    const char *build_dir;
    struct guest_options options;
    struct table plan;
    struct proof proof;
    struct subject *subjects;
    size_t count;
};

// Take an earlier run's words out of the detail; a row that had no others is ok again.
static int forget(struct proof_row *row) {
    char *rest = strdup(proof_cell(row, COLUMN_proof_detail));
    char *ours = rest ? strstr(rest, OURS) : NULL;
    int failed = !rest;
    if (ours) { // always the last words: disassemble writes its own anew
        *ours = '\0';
        size_t length = strlen(rest);
        if (length >= 2 && !strcmp(rest + length - 2, "; "))
            rest[length -= 2] = '\0';
        failed |= proof_set(row, COLUMN_proof_detail, "%s", rest);
        if (!length)
            failed |= proof_set(row, COLUMN_proof_status, "ok");
    }
    for (int i = 0; i < RINGS; i++)
        failed |= proof_set(row, rings[i].column, "%s", "");
    free(rest);
    return failed;
}

// The binary has to be the one whose disassembly is in the row.
static int same_binary(const struct subject *subject) {
    struct loop_file file;
    struct error ignored;
    return !loop_file_read(subject->path, &file, &ignored) &&
           !strcmp(file.elf_sha256, proof_cell(subject->row, COLUMN_proof_elf_sha256));
}

// It could not be counted; `why` says what stood in the way.
static int not_proved(struct proof_row *row, const char *why) {
    return proof_differs(row, OURS "%s", why) || proof_set(row, COLUMN_proof_status, "not_proved");
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
        if (forget(subject->row) ||
            asprintf(&subject->path, "%s/bin/%s", work->build_dir, variant) < 0)
            return steps_no_memory(error);
        subject->rings = strcmp(table_cell(&work->plan, i, "needs"), "cpl0") ? RINGS : 1;
        if (same_binary(subject)) {
            work->count++;
            continue;
        }
        int failed = not_proved(subject->row, "the binary changed since it was disassembled");
        free(subject->path);
        subject->path = NULL;
        if (failed)
            return steps_no_memory(error);
    }
    return 0;
}

// One ring of one variant into its row.
static int judge(struct subject *subject, const struct ring *ring,
                 const struct guest_result *results) {
    int64_t found, expected;
    char why[300], place[320], found_text[24], off_text[24];
    const char *claimed = proof_cell(subject->row, COLUMN_proof_retired_expected);
    if (retired_count(results, &found, why, sizeof why)) {
        snprintf(place, sizeof place, "CPL%d: %s", ring->ring, why);
        return not_proved(subject->row, place);
    }
    retired_text(found, found_text);
    if (proof_set(subject->row, ring->column, "%s", found_text))
        return -1;
    if (retired_parse(claimed, &expected))
        return proof_differs(subject->row,
                             OURS "CPL%d: retired_expected '%s' is no number of "
                                  "at most three decimals",
                             ring->ring, claimed);
    if (found == expected)
        return 0;
    retired_text(found > expected ? found - expected : expected - found, off_text);
    return proof_differs(subject->row,
                         OURS "CPL%d retires %s an iteration, claimed are %s: %s too "
                              "%s",
                         ring->ring, found_text, claimed, off_text,
                         found > expected ? "many" : "few");
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
        for (int ring = 0; ring < subjects[i].rings; ring++)
            for (int run = 0; run < RETIRED_RUNS; run++, used++) {
                arguments[used][0] = proof_cell(subjects[i].row, COLUMN_proof_variant);
                arguments[used][1] = retired_argument(run);
                entries[used] =
                    (struct guest_entry){subjects[i].path, arguments[used], rings[ring].ring};
            }
    failed = failed || guest_run(entries, used, &work->options, results, NULL, 0, error);
    const struct guest_result *result = results;
    for (size_t i = 0; !failed && i < count; i++)
        for (int ring = 0; !failed && ring < subjects[i].rings; ring++, result += RETIRED_RUNS)
            failed = judge(&subjects[i], &rings[ring], result) ? steps_no_memory(error) : 0;
    if (results)
        guest_results_free(results, used);
    free(entries);
    free(results);
    free(arguments);
    return failed ? -1 : 0;
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
        size_t bad = steps_report(&work->proof);
        printf("%zu variants, %zu executed, %zu not proved\n", work->proof.count, work->count, bad);
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

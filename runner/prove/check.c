// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/prove/check.h"

#include "runner/prove/counter.h"
#include "runner/prove/erratum.h"
#include "runner/prove/loop_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_LINE = 64 };

struct span {
    const struct instruction *first;
    size_t count;
};

// The instructions of the loop itself, from loop_begin to loop_end.
static struct span loop_of(const struct loop_file *file, const struct listing *listing) {
    struct span span = {NULL, 0};
    for (size_t i = 0; i < listing->count; i++) {
        const struct instruction *instruction = &listing->instructions[i];
        if (instruction->address < file->begin || instruction->address >= file->end)
            continue;
        if (!span.first)
            span.first = instruction;
        span.count++;
    }
    return span;
}

// A claimed mix or order against the found one; an empty claim claims nothing.
static int check_list(struct proof_row *row, const char *what, const char *claimed,
                      const char *found, char *difference(const char *, const char *)) {
    if (!*claimed)
        return 0;
    char *text = difference(claimed, found);
    int failed = !text || (*text && proof_differs(row, "%s: %s", what, text));
    free(text);
    return failed;
}

static int check_word(struct proof_row *row, const char *what, const char *claimed,
                      const char *found) {
    if (!strcmp(claimed, found))
        return 0;
    return proof_differs(row, "%s: claimed %s, found %s", what, claimed, found);
}

static int check_number(struct proof_row *row, const char *what, const char *claimed,
                        uint64_t found) {
    char *end;
    if (!*claimed)
        return 0;
    unsigned long long number = strtoull(claimed, &end, 10);
    if (!*end && number == found)
        return 0;
    return proof_differs(row, "%s: claimed %s, found %" PRIu64, what, claimed, found);
}

static const char *needs_name(uint32_t needs) {
    static const char *const names[] = {"none", "iopl", "cpl0"};
    return needs < sizeof names / sizeof *names ? names[needs] : "an unknown number";
}

static int check_end(struct proof_row *row, const struct loop_file *file, struct span loop) {
    if (loop.count < 2 || loop.first->address != file->begin ||
        strcmp(loop.first[loop.count - 1].text, "jnz") ||
        strcmp(loop.first[loop.count - 2].text, "dec %eax"))
        return proof_differs(row, "loop: it does not run from loop_begin to dec %%eax; jnz");
    uint64_t target = loop.first[loop.count - 1].target;
    if (target != file->begin)
        return proof_differs(row, "target: jnz goes to 0x%" PRIx64 ", not to loop_begin 0x%" PRIx64,
                             target, file->begin);
    return 0;
}

static int check_claims(const struct table *plan, size_t at, const struct loop_file *file,
                        struct span loop, struct proof_row *row) {
    const char *mix = proof_cell(row, COLUMN_proof_mix_found);
    const char *order = proof_cell(row, COLUMN_proof_order_found);
    const char *needs = needs_name(file->needs);
    int failed = check_end(row, file, loop);
    failed |= check_list(row, "mix", table_cell(plan, at, "mix"), mix, loop_text_mix_difference);
    failed |= check_list(row, "order", table_cell(plan, at, "sequence"), order,
                         loop_text_order_difference);
    failed |=
        check_number(row, "size", table_cell(plan, at, "bytes_claimed"), file->end - file->begin);
    failed |= check_number(row, "address", table_cell(plan, at, "address_claimed"),
                           file->begin % CACHE_LINE);
    failed |= check_number(row, "count", table_cell(plan, at, "iterations"), file->iterations);
    failed |= check_word(row, "needs", table_cell(plan, at, "needs"), needs);
    failed |= check_word(row, "name", table_cell(plan, at, "variant"), file->note);
    return failed;
}

int check_variant(const struct table *plan, size_t at, const struct loop_file *file,
                  const struct listing *listing, struct proof_row *row) {
    struct span loop = loop_of(file, listing);
    char *mix = loop_text_mix(loop.first, loop.count);
    char *order = loop_text_order(loop.first, loop.count);
    int failed = !mix || !order;
    if (!failed) {
        failed |= proof_set(row, COLUMN_proof_elf_sha256, "%s", file->elf_sha256);
        failed |= proof_set(row, COLUMN_proof_loop_sha256, "%s", file->loop_sha256);
        failed |= proof_set(row, COLUMN_proof_loop_address, "0x%" PRIx64, file->begin);
        failed |= proof_set(row, COLUMN_proof_loop_bytes, "%" PRIu64, file->end - file->begin);
        failed |= proof_set(row, COLUMN_proof_jcc_erratum, "%s",
                            jcc_erratum(loop.first, loop.count, file->end) ? "yes" : "no");
        failed |= proof_set(row, COLUMN_proof_mix_found, "%s", mix);
        failed |= proof_set(row, COLUMN_proof_order_found, "%s", order);
        failed |= proof_set(row, COLUMN_proof_status, "ok");
        failed |= check_claims(plan, at, file, loop, row);
        if (loop.count > 2 && counter_is_written(loop.first, loop.count - 2))
            failed |= proof_notes(row, COUNTER_HINT);
    }
    free(mix);
    free(order);
    return failed ? -1 : 0;
}

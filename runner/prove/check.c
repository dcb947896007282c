// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/prove/check.h"

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
static void check_list(struct proof_row *row, const char *what, const char *claimed,
                       const char *found, char *difference(const char *, const char *)) {
    char *text = *claimed ? difference(claimed, found) : text_make("%s", "");
    if (*text)
        proof_differs(row, text_make("%s: %s", what, text));
    free(text);
}

static void check_word(struct proof_row *row, const char *what, const char *claimed,
                       const char *found) {
    if (strcmp(claimed, found) != 0)
        proof_differs(row, text_make("%s: claimed %s, found %s", what, claimed, found));
}

static void check_number(struct proof_row *row, const char *what, const char *claimed,
                         uint64_t found) {
    char *end;
    unsigned long long number = strtoull(claimed, &end, 10);
    if (*claimed && (*end || number != found))
        proof_differs(row, text_make("%s: claimed %s, found %" PRIu64, what, claimed, found));
}

static const char *needs_name(uint32_t needs) {
    static const char *const names[] = {"none", "iopl", "cpl0"};
    return needs < sizeof names / sizeof *names ? names[needs] : "an unknown number";
}

static void check_end(struct proof_row *row, const struct loop_file *file, struct span loop) {
    const struct instruction *last = loop.count < 2 ? NULL : &loop.first[loop.count - 1];
    if (last == NULL || loop.first->address != file->begin || strcmp(last->text, "jnz") ||
        strcmp(last[-1].text, "dec %eax"))
        proof_differs(row, text_make("loop: it does not run from loop_begin to dec %%eax; jnz"));
    else if (last->target != file->begin)
        proof_differs(row,
                      text_make("target: jnz goes to 0x%" PRIx64 ", not to loop_begin 0x%" PRIx64,
                                last->target, file->begin));
}

void check_variant(const struct table *plan, size_t at, const struct loop_file *file,
                   const struct listing *listing, struct proof_row *row) {
    struct span loop = loop_of(file, listing);
    char *mix = loop_text_mix(loop.first, loop.count);
    char *order = loop_text_order(loop.first, loop.count);
    uint64_t bytes = file->end - file->begin;
    proof_set(row, COLUMN_proof_elf_sha256, text_make("%s", file->elf_sha256));
    proof_set(row, COLUMN_proof_loop_sha256, text_make("%s", file->loop_sha256));
    proof_set(row, COLUMN_proof_loop_address, text_make("0x%" PRIx64, file->begin));
    proof_set(row, COLUMN_proof_loop_bytes, text_make("%" PRIu64, bytes));
    proof_set(row, COLUMN_proof_jcc_erratum,
              text_make(jcc_erratum(loop.first, loop.count, file->end) ? "yes" : "no"));
    proof_set(row, COLUMN_proof_mix_found, mix);
    proof_set(row, COLUMN_proof_order_found, order);
    proof_set(row, COLUMN_proof_status, text_make("ok"));
    check_end(row, file, loop);
    check_list(row, "mix", table_cell(plan, at, "mix"), mix, loop_text_mix_difference);
    check_list(row, "order", table_cell(plan, at, "sequence"), order, loop_text_order_difference);
    check_number(row, "size", table_cell(plan, at, "bytes_claimed"), bytes);
    check_number(row, "address", table_cell(plan, at, "address_claimed"), file->begin % CACHE_LINE);
    check_number(row, "count", table_cell(plan, at, "iterations"), file->iterations);
    check_word(row, "needs", table_cell(plan, at, "needs"), needs_name(file->needs));
    check_word(row, "name", table_cell(plan, at, "variant"), file->note);
    if (loop.count > 2 && counter_is_written(loop.first, loop.count - 2))
        proof_notes(row, text_make(COUNTER_HINT));
}

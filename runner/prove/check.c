// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/prove/check.h"

#include "common/memory.h"
#include "runner/bpf/text.h"
#include "runner/disassemble/counter.h"
#include "runner/disassemble/loop_text.h"

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

// Where the differences of a variant go.
struct finding {
    struct proof *proof;
    struct proof_row *row;
};

// A claimed mix or order against the found one; an empty claim claims nothing.
static void check_list(struct finding to, const char *what, const char *claimed, const char *found,
                       char *difference(const char *, const char *)) {
    char *text = *claimed ? difference(claimed, found) : text_make("%s", "");
    if (*text)
        proof_differs(to.proof, to.row, text_make("%s: %s", what, text));
    free(text);
}

static void check_word(struct finding to, const char *what, const char *claimed,
                       const char *found) {
    if (strcmp(claimed, found) != 0)
        proof_differs(to.proof, to.row,
                      text_make("%s: claimed %s, found %s", what, claimed, found));
}

static void check_number(struct finding to, const char *what, long long claimed, uint64_t found) {
    if (claimed >= 0 && (uint64_t)claimed != found)
        proof_differs(to.proof, to.row,
                      text_make("%s: claimed %lld, found %" PRIu64, what, claimed, found));
}

static const char *needs_name(uint32_t needs) {
    static const char *const names[] = {"none", "iopl", "cpl0"};
    return needs < sizeof names / sizeof *names ? names[needs] : "an unknown number";
}

static void check_end(struct finding to, const struct loop_file *file, struct span loop) {
    const struct instruction *last = loop.count < 2 ? NULL : &loop.first[loop.count - 1];
    if (last == NULL || loop.first->address != file->begin || strcmp(last->text, "jnz") ||
        !counter_is_step(last[-1].text))
        proof_differs(to.proof, to.row,
                      text_make("loop: it does not run from loop_begin to dec %%eax; jnz"));
    else if (last->target != file->begin)
        proof_differs(to.proof, to.row,
                      text_make("target: jnz goes to 0x%" PRIx64 ", not to loop_begin 0x%" PRIx64,
                                last->target, file->begin));
}

// What no loop may hold, whatever it claims: the sweep's own file has to be mended.
static void check_body(struct finding to, struct span loop) {
    const struct instruction *writer;
    if (loop.count < 2)
        return;
    const char *step = loop.first[loop.count - 2].text;
    enum counter_use use = counter_use(loop.first, loop.count - 2, step, &writer);
    if (use == COUNTER_PUT_BACK)
        to.row->hint = COUNTER_HINT;
    if (use == COUNTER_LOST)
        proof_mend(to.proof, to.row, "counter",
                   text_make("counter: '%s' writes what the loop counts in (%s), and the body does "
                             "not put it back",
                             writer->text, step));
    for (size_t i = 0; i + 2 < loop.count; i++)
        if (strstr(loop.first[i].text, "(bad)")) {
            proof_mend(to.proof, to.row, "bytes",
                       text_make("bytes: objdump says (bad) at byte %" PRIu64 " of the loop",
                                 loop.first[i].address - loop.first->address));
            break;
        }
}

static void check_sections(struct finding to, const struct loop_file *file) {
    if (*file->stray_section)
        proof_mend(
            to.proof, to.row, "section",
            text_make("section: %s is writable, and no page of it is touched before the loop "
                      "is timed",
                      file->stray_section));
}

void check_variant(const struct variants_row *plan, const struct loop_file *file,
                   const struct listing *listing, struct proof *proof, struct proof_row *row) {
    struct finding to = {proof, row};
    struct span loop = loop_of(file, listing);
    uint64_t bytes = file->end - file->begin;
    row->elf_sha256 = file->elf_sha256;
    row->loop_sha256 = file->loop_sha256;
    row->loop_address = rows_own(&proof->rows, text_make("0x%" PRIx64, file->begin));
    row->loop_bytes = (long long)bytes;
    row->jcc_erratum = jcc_erratum(loop.first, loop.count, file->end) ? "yes" : "no";
    row->mix_found = rows_own(&proof->rows, loop_text_mix(loop.first, loop.count));
    row->order_found = rows_own(&proof->rows, loop_text_order(loop.first, loop.count));
    row->status = "ok";
    check_body(to, loop);
    check_sections(to, file);
    check_end(to, file, loop);
    check_list(to, "mix", plan->mix, row->mix_found, loop_text_mix_difference);
    check_list(to, "order", plan->sequence, row->order_found, loop_text_order_difference);
    check_number(to, "size", plan->bytes_claimed, bytes);
    check_number(to, "address", plan->address_claimed, file->begin % CACHE_LINE);
    check_number(to, "count", plan->iterations, file->iterations);
    check_word(to, "needs", plan->needs, needs_name(file->needs));
    check_word(to, "name", plan->variant, file->note);
}

// The loop as text, as a disassembly would have it; NULL with what is not to be read.
static struct instruction *read_object_loop(const struct object *object, size_t *count) {
    char(*lines)[TEXT_SIZE] = text_of_loop(object, count);
    if (!lines)
        return NULL;
    struct instruction *instructions = memory_zero(*count, sizeof *instructions);
    for (size_t i = 0; i < *count; i++)
        snprintf(instructions[i].text, CANONICAL_SIZE, "%s", lines[i]);
    free(lines);
    return instructions;
}

void check_object(const struct variants_row *plan, const struct object *object, struct proof *proof,
                  struct proof_row *row) {
    struct finding to = {proof, row};
    size_t count, begin = object->loop_begin;
    row->elf_sha256 = rows_own(&proof->rows, text_make("%s", object->elf_sha256));
    row->loop_sha256 = rows_own(&proof->rows, text_make("%s", object->loop_sha256));
    row->status = "ok";
    struct instruction *loop = read_object_loop(object, &count);
    if (!loop) {
        row->status = "not_proved";
        row->detail = rows_own(&proof->rows,
                               text_make("instruction %zu of the loop (opcode 0x%02x) is none that "
                                         "is known here",
                                         count - begin, object->code[count].code));
        return;
    }
    row->mix_found = rows_own(&proof->rows, loop_text_mix(loop, count));
    row->order_found = rows_own(&proof->rows, loop_text_order(loop, count));
    free(loop);
    check_list(to, "mix", plan->mix, row->mix_found, loop_text_mix_difference);
    check_list(to, "order", plan->sequence, row->order_found, loop_text_order_difference);
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/prove/disassembly.h"

#include <stdlib.h>
#include <string.h>

static const char file_mark[] = ":     file format ";
static const char section_mark[] = "Disassembly of section ";

static int starts_with(const char *line, size_t length, const char *text) {
    return length >= strlen(text) && !memcmp(line, text, strlen(text));
}

static void *grown(void *array, size_t count, size_t size) {
    // Doubling at each power of two; count is what is used now.
    if (count & (count - 1))
        return array;
    return reallocarray(array, count ? count * 2 : 1, size);
}

static int add_listing(struct disassembly *disassembly, const char *path, size_t length) {
    struct listing *moved =
        grown(disassembly->listings, disassembly->count, sizeof *disassembly->listings);
    if (!moved)
        return -1;
    disassembly->listings = moved;
    struct listing *listing = &moved[disassembly->count];
    *listing = (struct listing){.path = strndup(path, length)};
    if (!listing->path)
        return -1;
    disassembly->count++;
    return 0;
}

// The address in "jne    800000 <loop_begin>": the text behind the last blank but the symbol.
static uint64_t direct_target(const char *text, const char *end) {
    const char *symbol = memchr(text, '<', (size_t)(end - text));
    uint64_t target = 0;
    if (symbol)
        end = symbol;
    while (end > text && end[-1] == ' ')
        end--;
    const char *operand = end;
    while (operand > text && operand[-1] != ' ')
        operand--;
    for (; operand < end; operand++) {
        if (!memchr("0123456789abcdef", *operand, 16))
            return 0;
        target = target << 4 | (uint64_t)(*operand <= '9' ? *operand - '0' : *operand - 'a' + 10);
    }
    return target;
}

// "  800000:\tpush   %rbx". -1: memory; 0: not of this form; 1: added.
static int add_instruction(struct listing *listing, const char *line, size_t length) {
    const char *at = line, *end = line + length;
    uint64_t address = 0;
    while (at < end && *at == ' ')
        at++;
    const char *digits = at;
    for (; at < end && *at != ':'; at++) {
        const char *digit = memchr("0123456789abcdef", *at, 16);
        if (!digit || at - digits >= 16)
            return 0;
        address = address << 4 | (uint64_t)(*at <= '9' ? *at - '0' : *at - 'a' + 10);
    }
    if (at == digits || at == end || ++at == end || *at != '\t')
        return 0;
    struct instruction *moved =
        grown(listing->instructions, listing->count, sizeof *listing->instructions);
    if (!moved)
        return -1;
    listing->instructions = moved;
    struct instruction *instruction = &moved[listing->count++];
    instruction->address = address;
    canonical_text(at + 1, (size_t)(end - at - 1), instruction->text);
    instruction->target = canonical_is_jump(instruction->text) ? direct_target(at + 1, end) : 0;
    return 1;
}

// A line that carries nothing: blank, a section's or a symbol's heading, or dots.
static int is_heading(const char *line, size_t length) {
    return !length || starts_with(line, length, section_mark) ||
           starts_with(line, length, "\t...") ||
           (length > 2 && line[length - 2] == '>' && line[length - 1] == ':');
}

static int parse_line(struct disassembly *disassembly, const char *line, size_t length) {
    const char *mark = memmem(line, length, file_mark, strlen(file_mark));
    if (mark)
        return add_listing(disassembly, line, (size_t)(mark - line)) ? -1 : 1;
    if (is_heading(line, length))
        return 1;
    if (!disassembly->count)
        return 0;
    return add_instruction(&disassembly->listings[disassembly->count - 1], line, length);
}

int disassembly_parse(const char *text, size_t length, struct disassembly *disassembly,
                      struct error *error) {
    *disassembly = (struct disassembly){0};
    const char *end = text + length;
    for (size_t number = 1; text < end; number++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t line_length = (size_t)((newline ? newline : end) - text);
        int result = parse_line(disassembly, text, line_length);
        if (result <= 0) {
            disassembly_free(disassembly);
            if (result < 0)
                return error_set(error, ERROR_MISSING, NULL, 0, "not enough memory");
            return error_set(error, ERROR_MISSING, "output of objdump", number,
                             "'%.*s' is not understood; GNU objdump is needed",
                             line_length > 80 ? 80 : (int)line_length, text);
        }
        text += line_length + 1;
    }
    return 0;
}

void disassembly_free(struct disassembly *disassembly) {
    for (size_t i = 0; i < disassembly->count; i++) {
        free(disassembly->listings[i].path);
        free(disassembly->listings[i].instructions);
    }
    free(disassembly->listings);
    *disassembly = (struct disassembly){0};
}

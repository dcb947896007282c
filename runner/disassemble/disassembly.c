// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/disassemble/disassembly.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

static const char file_mark[] = ":     file format ";
static const char hex_digits[] = "0123456789abcdef";
static const char section_mark[] = "Disassembly of section ";

static int starts_with(const char *line, size_t length, const char *text) {
    return length >= strlen(text) && !memcmp(line, text, strlen(text));
}

static void add_listing(struct disassembly *disassembly, const char *path, size_t length) {
    disassembly->listings =
        memory_more(disassembly->listings, disassembly->count, sizeof *disassembly->listings);
    disassembly->listings[disassembly->count++] =
        (struct listing){.path = text_make("%.*s", (int)length, path)};
}

// A hexadecimal number of up to 16 digits, in small letters; behind it goes into *behind.
static uint64_t read_hex(const char *text, const char *end, const char **behind) {
    uint64_t value = 0;
    const char *digit;
    for (*behind = text; *behind < end && *behind - text < 16; ++*behind) {
        if (!(digit = memchr(hex_digits, **behind, 16)))
            break;
        value = value << 4 | (uint64_t)(digit - hex_digits);
    }
    return value;
}

// The address in "jne    800000 <loop_begin>": the text behind the last blank but the symbol. Of
// plain bytes objdump writes it with 0x.
static uint64_t direct_target(const char *text, const char *end) {
    static const char marks[] = "<#"; // a symbol, or where memory lies that an operand names
    const char *behind;
    for (const char *mark = marks; *mark; mark++) {
        const char *found = memchr(text, *mark, (size_t)(end - text));
        end = found ? found : end;
    }
    while (end > text && end[-1] == ' ')
        end--;
    const char *operand = end;
    while (operand > text && operand[-1] != ' ')
        operand--;
    if (starts_with(operand, (size_t)(end - operand), "0x"))
        operand += 2;
    uint64_t target = read_hex(operand, end, &behind);
    return behind == end ? target : 0;
}

// "  800000:\tpush   %rbx". 0: not of this form; 1: added.
static int add_instruction(struct listing *listing, const char *line, size_t length) {
    const char *digits = line, *end = line + length, *at;
    while (digits < end && *digits == ' ')
        digits++;
    uint64_t address = read_hex(digits, end, &at);
    if (at == digits || end - at < 2 || at[0] != ':' || at[1] != '\t')
        return 0;
    listing->instructions =
        memory_more(listing->instructions, listing->count, sizeof *listing->instructions);
    struct instruction *instruction = &listing->instructions[listing->count++];
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
        add_listing(disassembly, line, (size_t)(mark - line));
    if (mark || is_heading(line, length))
        return 1;
    return disassembly->count &&
           add_instruction(&disassembly->listings[disassembly->count - 1], line, length);
}

int disassembly_parse(const char *text, size_t length, struct disassembly *disassembly,
                      struct error *error) {
    *disassembly = (struct disassembly){0};
    const char *end = text + length;
    for (size_t number = 1; text < end; number++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t line_length = (size_t)((newline ? newline : end) - text);
        if (!parse_line(disassembly, text, line_length)) {
            disassembly_free(disassembly);
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

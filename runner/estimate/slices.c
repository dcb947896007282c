// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/estimate/slices.h"

#include "common/memory.h"
#include "common/printable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One line of the text, without its newline; numbers are taken off its front.
struct line {
    const char *at, *end;
};

static const struct {
    const char *line, *meaning;
} variant_errors[] = {
    {"error rsp", "the loop did not leave RSP as it found it"},
    {"error canary", "the loop overwrote the stack above RSP"},
    {"error cpl0", "this variant runs only at CPL0, in the guest engine"},
    {"error iopl 38", "iopl: ENOSYS"},
    {"error iopl 1", "iopl: EPERM"},
};

static int next_line(const char **at, const char *end, struct line *line) {
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    if (!newline)
        return 0;
    *line = (struct line){*at, newline};
    *at = newline + 1;
    return 1;
}

static int take_word(struct line *line, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(line->end - line->at) < length || memcmp(line->at, word, length))
        return 0;
    line->at += length;
    return 1;
}

// " 123": a blank and a decimal number that fits. 0 if there is none.
static int take_number(struct line *line, uint64_t maximum, uint64_t *number) {
    if (line->at == line->end || *line->at != ' ')
        return 0;
    const char *digit = line->at + 1;
    uint64_t sum = 0;
    for (; digit < line->end && *digit >= '0' && *digit <= '9'; digit++) {
        uint64_t value = (uint64_t)(*digit - '0');
        if (sum > (maximum - value) / 10)
            return 0;
        sum = sum * 10 + value;
    }
    if (digit == line->at + 1)
        return 0;
    line->at = digit;
    *number = sum;
    return 1;
}

static int at_end(const struct line *line) {
    return line->at == line->end;
}

// Say what an unexpected line is: the variant's own error, or rubbish, quoted safely.
static int refuse(const struct line *line, char *why, size_t size) {
    size_t length = (size_t)(line->end - line->at);
    for (size_t i = 0; i < sizeof variant_errors / sizeof *variant_errors; i++)
        if (length == strlen(variant_errors[i].line) &&
            !memcmp(line->at, variant_errors[i].line, length)) {
            snprintf(why, size, "%s", variant_errors[i].meaning);
            return -1;
        }
    char quoted[49];
    printable_copy(quoted, sizeof quoted, line->at, length);
    snprintf(why, size, "unexpected output: '%s'%s", quoted, length >= sizeof quoted ? "..." : "");
    return -1;
}

static int parse_header(struct line line, struct slices *slices, char *why, size_t size) {
    struct line whole = line;
    uint64_t number;
    if (!take_word(&line, "slices 1 links"))
        return refuse(&whole, why, size);
    for (int segment = 0; segment < SEGMENT_loop; segment++) {
        if (!take_number(&line, 1 << 20, &number) || !number)
            return refuse(&whole, why, size);
        slices->links[segment] = (uint32_t)number;
    }
    if (!take_word(&line, " n"))
        return refuse(&whole, why, size);
    for (int segment = 0; segment < SEGMENT_COUNT; segment++) {
        if (!take_number(&line, UINT32_MAX, &number) || !number)
            return refuse(&whole, why, size);
        slices->n[segment] = (uint32_t)number;
    }
    return at_end(&line) ? 0 : refuse(&whole, why, size);
}

static int parse_slice(struct line line, struct slice *slice) {
    if (!take_word(&line, "s"))
        return 0;
    for (int segment = 0; segment < SEGMENT_COUNT; segment++)
        for (int twice = 0; twice < 2; twice++)
            if (!take_number(&line, UINT64_MAX, &slice->ticks[segment][twice]))
                return 0;
    return at_end(&line);
}

static int parse_mark(struct line line, const char *word, uint64_t *number) {
    return take_word(&line, word) && take_number(&line, UINT64_MAX, number) && at_end(&line);
}

static int no_end(char *why, size_t size) {
    snprintf(why, size, "no end mark: the variant did not finish");
    return -1;
}

static int refuse_rest(char *why, size_t size) {
    snprintf(why, size, "more output behind the end mark");
    return -1;
}

static int parse_body(const char *at, const char *end, size_t expected, struct slices *slices,
                      char *why, size_t size) {
    struct line line;
    uint64_t number;
    if (!next_line(&at, end, &line))
        return no_end(why, size);
    if (parse_header(line, slices, why, size))
        return -1;
    while (next_line(&at, end, &line)) {
        if (slices->count < expected && parse_slice(line, &slices->slices[slices->count]))
            slices->count++;
        else if (parse_mark(line, "note flags", &number))
            slices->flags_left = number;
        else if (parse_mark(line, "end", &number) && number == expected &&
                 slices->count == expected)
            return at == end ? 0 : refuse_rest(why, size);
        else
            return refuse(&line, why, size);
    }
    return no_end(why, size);
}

int slices_parse(const char *text, size_t length, size_t expected, struct slices *slices, char *why,
                 size_t size) {
    *slices = (struct slices){.slices = memory_zero(expected, sizeof(struct slice))};
    if (!parse_body(text, text + length, expected, slices, why, size))
        return 0;
    slices_free(slices);
    return -1;
}

int slices_parse_end(const char *text, size_t length, unsigned long iterations, char *why,
                     size_t size) {
    const char *at = text, *end = text + length;
    struct line line;
    uint64_t number;
    if (!next_line(&at, end, &line))
        return no_end(why, size);
    if (parse_mark(line, "end", &number) && number == iterations)
        return at == end ? 0 : refuse_rest(why, size);
    return refuse(&line, why, size);
}

void slices_free(struct slices *slices) {
    free(slices->slices);
    *slices = (struct slices){0};
}

void slices_describe_flags(uint64_t flags, char *text, size_t size) {
    static const struct {
        uint64_t bit;
        const char *name;
    } bits[] = {{0x200, "IF"}, {0x400, "DF"}, {0x4000, "NT"}, {0x40000, "AC"}, {0x200000, "ID"}};
    char names[32] = ""; // room for all of them
    size_t used = 0;
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        if (flags & bits[i].bit)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                     bits[i].name);
    text[0] = '\0';
    if (flags)
        snprintf(text, size, "leaves %s changed", names);
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/estimate/slices.h"

#include "common/memory.h"
#include "common/printable.h"
#include "common/syscalls.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 256, MOST_LINKS = 1 << 20 };

// One line of the text, without its newline.
struct line {
    const char *at;
    size_t length;
    char text[LONGEST_LINE]; // the same; "" if it is too long or holds a NUL
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

static bool next_line(const char **at, const char *end, struct line *line) {
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    if (newline == NULL)
        return false;
    *line = (struct line){.at = *at, .length = (size_t)(newline - *at)};
    if (line->length < LONGEST_LINE && !memchr(line->at, '\0', line->length))
        memcpy(line->text, line->at, line->length);
    *at = newline + 1;
    return true;
}

// Is the line what the format makes of the values that were scanned from it? So there was no sign,
// no leading zero and no number that does not fit.
__attribute__((format(printf, 2, 3))) static bool reads(const struct line *line, const char *format,
                                                        ...) {
    char again[LONGEST_LINE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(again, sizeof again, format, arguments);
    va_end(arguments);
    return !strcmp(again, line->text);
}

// A call that limits.c of the run-time does not allow: "error syscall 57".
static void describe_forbidden(const struct line *line, char *why, size_t size) {
    unsigned number;
    const char *name;
    if (sscanf(line->text, "error int80 %u", &number) == 1 &&
        reads(line, "error int80 %u", number)) {
        snprintf(why, size, "the loop made system call %u by int $0x80, which none may", number);
        return;
    }
    if (sscanf(line->text, "error syscall %u", &number) != 1 ||
        !reads(line, "error syscall %u", number))
        return;
    name = syscall_name(number);
    if (*name)
        snprintf(why, size,
                 "the loop made system call %u (%s), which its sweep does not declare: syscalls = "
                 "[\"%s\"]",
                 number, name, name);
    else
        snprintf(why, size, "the loop made system call %u, which there is not", number);
}

// Say what an unexpected line is: the variant's own error, or rubbish, quoted safely.
static int refuse(const struct line *line, char *why, size_t size) {
    char quoted[49];
    printable_copy(quoted, sizeof quoted, line->at, line->length);
    snprintf(why, size, "unexpected output: '%s'%s", quoted,
             line->length >= sizeof quoted ? "..." : "");
    for (size_t i = 0; i < sizeof variant_errors / sizeof *variant_errors; i++)
        if (!strcmp(line->text, variant_errors[i].line))
            snprintf(why, size, "%s", variant_errors[i].meaning);
    describe_forbidden(line, why, size);
    return -1;
}

static bool parse_header(const struct line *line, struct slices *slices) {
    uint32_t *links = slices->links, *n = slices->n;
    sscanf(line->text, "slices 1 links %u %u %u n %u %u %u %u", &links[0], &links[1], &links[2],
           &n[0], &n[1], &n[2], &n[3]);
    bool good = reads(line, "slices 1 links %u %u %u n %u %u %u %u", links[0], links[1], links[2],
                      n[0], n[1], n[2], n[3]);
    for (int i = 0; i < SEGMENT_loop; i++)
        good = good && links[i] > 0 && links[i] <= MOST_LINKS;
    for (int i = 0; i < SEGMENT_COUNT; i++)
        good = good && n[i] > 0;
    return good;
}

static bool parse_slice(const struct line *line, struct slice *slice) {
    uint64_t *t = (uint64_t *)slice->ticks;
    sscanf(line->text, "s %lu %lu %lu %lu %lu %lu %lu %lu", &t[0], &t[1], &t[2], &t[3], &t[4],
           &t[5], &t[6], &t[7]);
    return reads(line, "s %lu %lu %lu %lu %lu %lu %lu %lu", t[0], t[1], t[2], t[3], t[4], t[5],
                 t[6], t[7]);
}

static bool parse_flags(const struct line *line, uint64_t *flags) {
    return sscanf(line->text, "note flags %lu", flags) == 1 &&
           reads(line, "note flags %lu", *flags);
}

// What traps.c of the run-time found.
static bool parse_traps(const struct line *line, const char **emulated) {
    if (!strcmp(line->text, "note traps"))
        *emulated = "each iteration traps into the kernel, which does something in its place";
    else if (!strcmp(line->text, "note sleeps"))
        *emulated = "the kernel puts the loop to sleep, as it does after a locked access over two "
                    "cache lines";
    else
        return false;
    return true;
}

// The end mark, which is the last line.
static int parse_end(const struct line *line, size_t expected, bool is_last, char *why,
                     size_t size) {
    if (!reads(line, "end %zu", expected))
        return refuse(line, why, size);
    if (!is_last)
        snprintf(why, size, "more output behind the end mark");
    return is_last ? 0 : -1;
}

static int no_end(char *why, size_t size) {
    snprintf(why, size, "no end mark: the variant did not finish");
    return -1;
}

static int parse_body(const char *at, const char *end, size_t expected, struct slices *slices,
                      char *why, size_t size) {
    struct line line;
    if (!next_line(&at, end, &line))
        return no_end(why, size);
    if (!parse_header(&line, slices))
        return refuse(&line, why, size);
    while (next_line(&at, end, &line)) {
        if (slices->count < expected && parse_slice(&line, &slices->slices[slices->count]))
            slices->count++;
        else if (parse_flags(&line, &slices->flags_left) || parse_traps(&line, &slices->emulated))
            continue;
        else if (slices->count == expected)
            return parse_end(&line, expected, at == end, why, size);
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
    if (!next_line(&at, end, &line))
        return no_end(why, size);
    return parse_end(&line, iterations, at == end, why, size);
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

// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/estimate/slices.h"

#include "common/memory.h"
#include "common/printable.h"
#include "common/syscalls.h"
#include "runner/estimate/fault.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 512, MOST_LINKS = 1 << 20 };

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
    {"error stamp",
     "the loop was entered or left by a jump past the place where the time is taken"},
    {"error cpl0 3", "this variant runs only at CPL0, in the guest engine"},
    {"error iopl 38", "iopl: ENOSYS"},
    {"error iopl 1", "iopl: EPERM"},
    {"error pages 38", "huge pages: the kernel has none here (ENOSYS)"},
    {"error pages 22", "huge pages: the kernel has none here (EINVAL)"},
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
    if (!strncmp(line->text, "error iteration ", strlen("error iteration ")))
        snprintf(why, size,
                 "an iteration takes %s TSC ticks: longer than the stopwatch can measure "
                 "(some 10 ms); put less into the body",
                 line->text + strlen("error iteration "));
    for (size_t i = 0; i < sizeof variant_errors / sizeof *variant_errors; i++)
        if (!strcmp(line->text, variant_errors[i].line))
            snprintf(why, size, "%s", variant_errors[i].meaning);
    describe_forbidden(line, why, size);
    fault_describe(line->text, why, size);
    return -1;
}

// `count` numbers behind `*at`, each behind one blank, as the run-time writes them: decimal, no
// sign, no leading zero, less than 10^19. *at gets where they end.
static bool numbers(const char **at, uint64_t *number, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *digit = *at + 1;
        if (**at != ' ' || *digit < '0' || *digit > '9' || (*digit == '0' && isdigit(digit[1])))
            return false;
        for (number[i] = 0; isdigit(*digit); digit++)
            number[i] = number[i] * 10 + (uint64_t)(*digit - '0');
        if (digit - *at > 20)
            return false;
        *at = digit;
    }
    return true;
}

static bool word(const char **at, const char *text) {
    size_t length = strlen(text);
    bool same = !strncmp(*at, text, length);
    *at += same ? length : 0;
    return same;
}

static bool parse_header(const struct line *line, struct slices *slices) {
    uint64_t links[SEGMENT_loop], n[SEGMENT_COUNT], sees;
    const char *at = line->text;
    if (!word(&at, "slices 2 links") || !numbers(&at, links, SEGMENT_loop) || !word(&at, " n") ||
        !numbers(&at, n, SEGMENT_COUNT) || !word(&at, " interrupts") || !numbers(&at, &sees, 1) ||
        *at || sees > 1)
        return false;
    bool good = true;
    for (int i = 0; i < SEGMENT_loop; i++) {
        good = good && links[i] > 0 && links[i] <= MOST_LINKS;
        slices->links[i] = (uint32_t)links[i];
    }
    for (int i = 0; i < SEGMENT_COUNT; i++) {
        bool optional = i == SEGMENT_watch_before || i == SEGMENT_watch_after;
        good = good && (n[i] > 0 || optional) && n[i] <= UINT32_MAX;
        slices->n[i] = (uint32_t)n[i];
    }
    slices->sees_interrupts = sees;
    return good;
}

static bool parse_slice(const struct line *line, struct slice *slice) {
    uint64_t interrupted;
    const char *at = line->text;
    if (!word(&at, "s") || !numbers(&at, (uint64_t *)slice->ticks, 2 * SEGMENT_COUNT) ||
        !numbers(&at, &interrupted, 1) || *at || interrupted >> (2 * SEGMENT_COUNT))
        return false;
    slice->interrupted = (uint32_t)interrupted;
    return true;
}

// A check belongs to the slice before it, which has one at most.
static bool parse_check(const struct line *line, struct slice *slice) {
    uint64_t number[CHECK_COUNT + 2];
    const char *at = line->text;
    if (slice->check.times || !word(&at, "c") || !numbers(&at, number, CHECK_COUNT + 2) || *at ||
        number[0] < 3 || number[0] > UINT32_MAX || number[CHECK_COUNT + 1] >> CHECK_COUNT)
        return false;
    slice->check.times = (uint32_t)number[0];
    memcpy(slice->check.ticks, number + 1, sizeof slice->check.ticks);
    slice->check.interrupted = (uint32_t)number[CHECK_COUNT + 1];
    return true;
}

static bool parse_flags(const struct line *line, uint64_t *flags) {
    return sscanf(line->text, "note flags %lu", flags) == 1 &&
           reads(line, "note flags %lu", *flags);
}

static bool parse_subnormal(const struct line *line, uint64_t *iterations) {
    return sscanf(line->text, "note subnormal %lu", iterations) == 1 &&
           reads(line, "note subnormal %lu", *iterations);
}

static bool parse_setup(const struct line *line, uint64_t *ticks) {
    return sscanf(line->text, "note setup %lu", ticks) == 1 &&
           reads(line, "note setup %lu", *ticks);
}

// What traps.c of the run-time found.
static bool parse_traps(const struct line *line, const char **emulated) {
    if (!strcmp(line->text, "note traps"))
        *emulated = "each iteration traps into the kernel, which does something in its place";
    else if (!strcmp(line->text, "note sleeps"))
        *emulated = "the kernel puts the loop to sleep, as it does after a locked access over two "
                    "cache lines";
    else if (!strcmp(line->text, "note waits"))
        *emulated = "a system call of the loop waits: the CPU executes something else meanwhile";
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
    uint64_t ticks;
    if (!next_line(&at, end, &line))
        return no_end(why, size);
    if (parse_setup(&line, &ticks) && !next_line(&at, end, &line))
        return no_end(why, size);
    if (!parse_header(&line, slices))
        return refuse(&line, why, size);
    while (next_line(&at, end, &line)) {
        if (slices->count < expected && parse_slice(&line, &slices->slices[slices->count]))
            slices->count++;
        else if (slices->count && parse_check(&line, &slices->slices[slices->count - 1]))
            continue;
        else if (parse_flags(&line, &slices->flags_left) || parse_traps(&line, &slices->emulated) ||
                 parse_subnormal(&line, &slices->subnormal))
            continue;
        else if (slices->count)
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

uint64_t slices_long_setup(const char *text, size_t length) {
    struct line line;
    uint64_t ticks;
    return next_line(&text, text + length, &line) && parse_setup(&line, &ticks) ? ticks : 0;
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

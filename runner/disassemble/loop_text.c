// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/disassemble/loop_text.h"

#include "common/memory.h"
#include "runner/disassemble/counter.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct kind {
    const char *text;
    size_t length, count;
};

// "call NAME" or "jmp NAME", as whoever knows the names of targets may have written.
static bool is_named_call(const char *text) {
    const char *operand = strchr(text, ' ');
    return operand && operand[1] != '*' &&
           (!strncmp(text, "call ", 5) || !strncmp(text, "jmp ", 4));
}

static size_t count_kinds(const struct instruction *instructions, size_t count,
                          struct kind *kinds) {
    size_t kind_count = 0;
    for (size_t i = 0; i < count; i++) {
        const char *text = instructions[i].text;
        size_t length = is_named_call(text) ? strlen(text) : canonical_mnemonic(text), k = 0;
        if (i + 2 == count && counter_is_step(text))
            length = strlen("dec"); // the loop's own, wherever it counts
        while (k < kind_count && (kinds[k].length != length || memcmp(kinds[k].text, text, length)))
            k++;
        if (k == kind_count)
            kinds[kind_count++] = (struct kind){text, length, 0};
        kinds[k].count++;
    }
    return kind_count;
}

char *loop_text_mix(const struct instruction *instructions, size_t count) {
    struct kind *kinds = memory_zero(count, sizeof *kinds);
    char *text;
    size_t size, kind_count = count_kinds(instructions, count, kinds);
    FILE *stream = text_open(&text, &size);
    for (size_t k = 0; k < kind_count; k++)
        fprintf(stream, "%s%zu*%.*s", k ? "+" : "", kinds[k].count, (int)kinds[k].length,
                kinds[k].text);
    free(kinds);
    text_close(stream);
    return text;
}

char *loop_text_order(const struct instruction *instructions, size_t count) {
    char *text;
    size_t size;
    FILE *stream = text_open(&text, &size);
    for (size_t i = 0, run; i < count; i += run) {
        run = 1;
        while (i + run < count && !strcmp(instructions[i].text, instructions[i + run].text))
            run++;
        fputs(i ? "; " : "", stream);
        if (run > 1)
            fprintf(stream, "%zu*", run);
        fputs(instructions[i].text, stream);
    }
    text_close(stream);
    return text;
}

static size_t item_length(const char *text, const char *separator) {
    const char *end = strstr(text, separator);
    return end ? (size_t)(end - text) : strlen(text);
}

// The item behind one of `length`; "" at the end.
static const char *next_item(const char *item, size_t length, const char *separator) {
    return item[length] ? item + length + strlen(separator) : item + length;
}

// The item of `mix` with the mnemonic of `wanted` ("27*cli" has "*cli"), or NULL.
static const char *find_in_mix(const char *mix, const char *wanted, size_t wanted_length) {
    size_t digits = strcspn(wanted, "*");
    for (size_t length; *mix; mix = next_item(mix, length, "+")) {
        length = item_length(mix, "+");
        size_t at = strcspn(mix, "*");
        if (at < length && length - at == wanted_length - digits &&
            !memcmp(mix + at, wanted + digits, length - at))
            return mix;
    }
    return NULL;
}

char *loop_text_mix_difference(const char *claimed, const char *found) {
    char *text;
    size_t size, length;
    FILE *stream = text_open(&text, &size);
    const char *between = "";
    for (const char *item = claimed; *item; item = next_item(item, length, "+")) {
        length = item_length(item, "+");
        const char *other = find_in_mix(found, item, length);
        size_t other_length = other ? item_length(other, "+") : 0;
        if (other && other_length == length && !memcmp(item, other, length))
            continue;
        fprintf(stream, "%sclaimed %.*s, found %.*s", between, (int)length, item,
                other ? (int)other_length : 4, other ? other : "none");
        between = ", ";
    }
    for (const char *item = found; *item; item = next_item(item, length, "+")) {
        length = item_length(item, "+");
        if (find_in_mix(claimed, item, length))
            continue;
        fprintf(stream, "%sfound %.*s, not claimed", between, (int)length, item);
        between = ", ";
    }
    text_close(stream);
    return text;
}

// "27*cli" is 27 of "cli"; "cli" is 1. An operand's star ("jmp *%rax") is none of these.
static size_t run_of(const char **item, size_t *length) {
    size_t digits = strspn(*item, "0123456789");
    if (!digits || (*item)[digits] != '*' || digits >= *length)
        return 1;
    size_t count = strtoul(*item, NULL, 10);
    *item += digits + 1;
    *length -= digits + 1;
    return count;
}

char *loop_text_order_difference(const char *claimed, const char *found) {
    const char *item[2] = {claimed, found}, *next[2] = {claimed, found};
    size_t length[2] = {0}, left[2] = {0}, at = 1;
    for (;;) {
        for (int i = 0; i < 2; i++)
            if (!left[i] && *next[i]) {
                item[i] = next[i];
                length[i] = item_length(item[i], "; ");
                next[i] = next_item(item[i], length[i], "; ");
                left[i] = run_of(&item[i], &length[i]);
            }
        if (!left[0] || !left[1] || length[0] != length[1] || memcmp(item[0], item[1], length[0]))
            break;
        size_t step = left[0] < left[1] ? left[0] : left[1];
        left[0] -= step;
        left[1] -= step;
        at += step;
    }
    if (!left[0] && !left[1])
        return text_make("%s", "");
    return text_make("instruction %zu: claimed %.*s, found %.*s", at, left[0] ? (int)length[0] : 4,
                     left[0] ? item[0] : "none", left[1] ? (int)length[1] : 4,
                     left[1] ? item[1] : "none");
}

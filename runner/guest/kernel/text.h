// SPDX-License-Identifier: GPL-3.0-or-later
// runner/guest/kernel: building short texts in a caller's buffer. What does not fit is left out.
#pragma once

#include <stdint.h>

struct text {
    char *begin;
    uint64_t room, length; // bytes
};

static inline void text_bytes(struct text *text, const char *bytes, uint64_t count) {
    for (uint64_t i = 0; i < count && text->length < text->room; i++)
        if (bytes[i]) // a short CPUID signature is padded with NUL
            text->begin[text->length++] = bytes[i];
}

static inline void text_put(struct text *text, const char *words) {
    uint64_t count = 0;
    while (words[count])
        count++;
    text_bytes(text, words, count);
}

// `value` in hexadecimal of exactly `digits` digits.
static inline void text_hex(struct text *text, uint64_t value, unsigned digits) {
    while (digits-- > 0)
        text_bytes(text, &"0123456789abcdef"[value >> (4 * digits) & 15], 1);
}

// ` key=0xVALUE`, without the blank in front of the first.
static inline void text_word(struct text *text, const char *key, uint64_t value) {
    unsigned digits = 1;
    while (digits < 16 && value >> (4 * digits))
        digits++;
    text_put(text, text->length ? " " : "");
    text_put(text, key);
    text_put(text, "=0x");
    text_hex(text, value, digits);
}

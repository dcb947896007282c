// SPDX-License-Identifier: GPL-3.0-or-later
// results: mixes ("27*cli+1*sti+1*dec+1*jnz") and groups ("push %rbx; popfq") as values.
//
// Pure text handling; no files.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define MIX_TERMS 32
#define MIX_NAME 128

struct mix_term {
    char name[MIX_NAME];
    double count; // in one iteration
};

struct mix {
    size_t terms;
    struct mix_term term[MIX_TERMS];
};

// Add to a term or append it; -1 when full or the name is too long.
int mix_add(struct mix *mix, const char *name, size_t length, double count);

// Read a mix as it stands in variants.csv and summary.csv. 0, or -1 for text that is none
// (empty, a count that is no positive number, more than MIX_TERMS terms).
int mix_parse(const char *text, struct mix *mix);

// Take the loop's own `dec` and `jnz` (one each) out; false if they are not there.
bool mix_strip_loop(struct mix *mix);

// The mix of `groups` times a group's text ("push %rbx; popfq", "4*(rol $7,%rbx; ror $7,%rbx);
// cli"): mnemonics counted. 0, or -1 if the text does not fit or its parentheses do not match.
int mix_of_group(const char *group, double groups, struct mix *mix);

// Same names with same counts, in any order.
bool mix_equal(const struct mix *a, const struct mix *b);

// A term's count, 0 if it is not there.
double mix_count(const struct mix *mix, const char *name);

// Write "27*cli+1*sti"; cut at size.
void mix_print(const struct mix *mix, char *text, size_t size);

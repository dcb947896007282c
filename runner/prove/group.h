// SPDX-License-Identifier: GPL-3.0-or-later
// runner/prove: what a group says (`27*cli; sti`, `4*(rol $7,%rbx; ror $7,%rbx)`), against the body
// that holds it. Pure: how the assembler takes its texts is asked of whoever calls.
//
// Order means nothing, other instructions may stand between. An instruction is compared by its
// mnemonic and the kinds of its operands: `push %rbx` is in its group what `push %rcx` is, a
// load is no store, and `imul %rbx,%rbx`, which may be a chain, is not `imul %rsi,%rdx`. A
// mnemonic alone (`mov`) stands for any operands, as long as each copy of the group has the same.
#pragma once

#include "runner/disassemble/instruction.h"

#include <stdbool.h>

enum syntax { SYNTAX_ATT, SYNTAX_INTEL, SYNTAXES };

// How the assembler takes one text in each syntax: canonical; "" where it refuses it.
struct reading {
    char text[SYNTAXES][CANONICAL_SIZE];
};

// One instruction of a group, as it stands there.
struct group_item {
    const char *at; // in the group's text
    size_t length;
    long count; // in one copy of the group
    char text[CANONICAL_SIZE];
    struct reading reading;
    char alias[CANONICAL_SIZE]; // the body's mnemonic that this is another name of; "": of none
};

struct group {
    const char *text;
    struct group_item *item;
    size_t count;
};

// Take a group apart. 0, or -1 where it is no list of instructions. Free with group_free in both
// cases.
int group_read(const char *text, struct group *group);
void group_free(struct group *group);

// Compare a group whose readings are filled with the body, of which `order` tells (order_found of
// proof.csv: "16*imul %rbx,%rbx; dec %eax; jnz"). NULL: the body holds `copies` of it, and *spelt
// is the group as the disassembly spells it. Else what is wrong; *spelt is NULL. The caller frees
// both.
char *group_compare(const struct group *group, const char *order, long copies, char **spelt);

// What the assembler is to be asked of an item without operands that the body has not (`movzx`):
// the same with the body's operands. How many texts; the caller frees them and the list. Where the
// reading of one fits, the item's alias is its mnemonic.
size_t group_aliases(const struct group_item *item, const char *order, char ***texts);
bool group_alias_fits(const char *reading, const char *order);

// SPDX-License-Identifier: GPL-3.0-or-later
// runner/prove: what the guest counted against what is claimed or stands in the loop. Pure.
#ifndef ASMSWEEP_JUDGE_H
#define ASMSWEEP_JUDGE_H

#include "runner/prove/proof.h"

#include <stdint.h>

// What this adds to a row's detail begins so, and stands last.
#define JUDGE_OURS "guest: "

enum { JUDGE_RINGS = 2 };

// The rings in the order of their counts, and where a count stands in proof.csv.
extern const struct judge_ring {
    int ring;
    enum column column;
} judge_rings[JUDGE_RINGS];

// Take an earlier judgement out of the row: counts, words, and a mismatch that was only it. -1: no
// memory.
int judge_forget(struct proof_row *row);

// The variant could not be counted at a ring, and why. The status stays what the disassembly
// said: a binary that the emulator cannot execute is no worse for it. -1: no memory.
int judge_uncounted(struct proof_row *row, int ring, const char *why);

// Put counts[0..rings) (thousandths of an instruction per iteration; negative: not counted) into
// the row and compare them: with retired_expected; where that is empty, with each other and, in a
// loop without further jumps, with the number of its instructions. Only a contradiction is a
// mismatch. Of a loop with `rep` nothing is compared: the emulator counts each of its steps. -1:
// no memory.
int judge_counts(struct proof_row *row, const int64_t *counts, int rings);

#endif

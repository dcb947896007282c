// SPDX-License-Identifier: GPL-3.0-or-later
// runner/prove: what a loop retires per iteration, from what the guest counted under icount, and
// against what is claimed or stands in the loop. Pure.
//
// Under QEMU's icount one TSC tick is one instruction. A run of 2N iterations does all that a run
// of N does (same arguments' length, same initial pattern_state), then N more: the difference is
// what the iterations N+1 to 2N retired, exactly, in thousandths per iteration because N is 1000.
// For loops whose path depends on a pattern that is their mean over these iterations.
#pragma once

#include "runner/engine/guest.h"
#include "runner/prove/proof.h"

#include <stdint.h>

enum {
    RETIRED_N = 1000,
    RETIRED_ROUNDS = 2,               // the whole is done twice and has to agree
    RETIRED_RUNS = 2 * RETIRED_ROUNDS // N, 2N, N, 2N
};

// Iterations of run `run` (0 to RETIRED_RUNS - 1), as the variant's argument. Static.
const char *retired_argument(int run);

// A decimal number as thousandths. 0, or -1 if it is none, or not a whole number of them.
int retired_parse(const char *text, int64_t *thousandths);

// From the RETIRED_RUNS results of one variant at one ring: thousandths of an instruction per
// iteration in *thousandths. -1: not counted, and `why` (`size` bytes) says why: a run did not end
// as it should, or the rounds disagree.
int retired_count(const struct guest_result *results, int64_t *thousandths, char *why, size_t size);

// What this adds to a row's detail begins so, behind what the disassembly said.
#define JUDGE_OURS "guest: "

enum { JUDGE_RINGS = 2 };

// The rings in the order of their counts.
extern const int judge_rings[JUDGE_RINGS];

// Take an earlier judgement out of the row: counts, words, and a mismatch that was only it.
void judge_forget(struct proof_row *row);

// The variant could not be counted at a ring, and why. The status stays what the disassembly
// said: a binary that the emulator cannot execute is no worse for it.
void judge_uncounted(struct proof *proof, struct proof_row *row, int ring, const char *why);

// Put counts[0..rings) (thousandths of an instruction per iteration; negative: not counted) into
// the row and compare them: with retired_expected; where that is empty, with each other and, in a
// loop without further jumps, with the number of its instructions. Only a contradiction is a
// mismatch. Of a loop with `rep` nothing is compared: the emulator counts each of its steps.
void judge_counts(struct proof *proof, struct proof_row *row, const int64_t *counts, int rings);

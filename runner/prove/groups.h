// SPDX-License-Identifier: GPL-3.0-or-later
// runner/prove: the groups of a whole plan against the bodies of its variants.
#pragma once

#include "runner/prove/proof.h"
#include "runner/prove/tools.h"

// Fill the cells `group` of the proof, whose rows are those of variants.csv in their order; a group
// that does not stand in its body as often as it says is a mistake (proof_mend). A group that is
// the loop's own name, where none was given, may be no instruction. 0, or -1 with *error where a
// tool fails.
int groups_check(const struct tools *tools, const char *folder, const struct rows *plan,
                 struct proof *proof, struct error *error);

// SPDX-License-Identifier: GPL-3.0-or-later
// runner/prove: one variant's claims against what its binary holds.
#ifndef ASMSWEEP_CHECK_H
#define ASMSWEEP_CHECK_H

#include "common/table.h"
#include "runner/prove/disassembly.h"
#include "runner/prove/loop_file.h"
#include "runner/prove/proof.h"

// Fill all cells of a proof row but retired_cpl0 and retired_cpl3 from a row of variants.csv,
// the file, and the disassembly of its .loop section. status is ok or mismatch; detail names
// each difference: mix, order, size, address, count, needs, name.
void check_variant(const struct table *plan, size_t plan_row, const struct loop_file *file,
                   const struct listing *listing, struct proof_row *row);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// runner/prove: one variant's claims against what its binary holds.
#pragma once

#include "runner/bpf/object.h"
#include "runner/disassemble/disassembly.h"
#include "runner/prove/loop_file.h"
#include "runner/prove/proof.h"

// Fill all cells of a proof row but variant, mix_claimed and what the guest counts, from a row of
// variants.csv, the file, which the row's texts belong to, and the disassembly of its .loop
// section. status is ok or mismatch; detail names each difference: mix, order, size, address,
// count, needs, name.
void check_variant(const struct variants_row *plan, const struct loop_file *file,
                   const struct listing *listing, struct proof *proof, struct proof_row *row);

// The same of a program of the kernel, by its own instructions. Where it lies and how long it is,
// the kernel's JIT decides: these cells stay empty. not_proved: an instruction is not known here.
void check_object(const struct variants_row *plan, const struct object *object, struct proof *proof,
                  struct proof_row *row);

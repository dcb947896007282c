// SPDX-License-Identifier: GPL-3.0-or-later
// generator/operands: what an instruction reads and writes, as Zydis has it.
#pragma once

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>

// The instruction that begins at `code`, of which *length bytes (at least 1) are there; *length
// becomes its own. The caller deletes it. Keys: mnemonic, set (of the instruction set, as CPUID
// tells them apart), category, encoding (legacy, vex, evex, xop, mvex, 3dnow), privileged, locked,
// operands; flags_read and flags_written (names, without those left undefined); mask and merging
// where it is masked. An operand has kind (register, memory, immediate, pointer), shown (whether it
// stands in the text), fixed (whether the opcode says it), bits, elements, read, written, and
// register and whole (the largest one around it), or base, index, scale and address_only. What
// cannot be decoded has `bad` alone.
cJSON *decode(const uint8_t *code, size_t *length);

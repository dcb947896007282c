// SPDX-License-Identifier: GPL-3.0-or-later
// common: registers by their names. Pure.
#pragma once

#include <stddef.h>

// The kind of a register named without its %: r8, r16, r32, r64, xmm, ymm, zmm, tmm, mm, k, sreg,
// cr, dr, st; NULL for what is none.
const char *register_kind(const char *name, size_t length);

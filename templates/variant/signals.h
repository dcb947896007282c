// SPDX-License-Identifier: GPL-3.0-or-later
// variant run-time: a loop that ends by a signal says by which and where.
#pragma once

// From now on a fault ends the variant with "error fault SIGNAL VECTOR PART BYTE ADDRESS" and
// status 4 (docs/interfaces.md), and a system call that is not allowed with its number.
void signals_name(void);

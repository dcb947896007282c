// SPDX-License-Identifier: GPL-3.0-or-later
// variant run-time: do the loop's numbers sink into the subnormal ones, which cost more?
#pragma once

#include <stdint.h>

// Does the first iteration meet none of them, and one of the first `few` or `many` does? If so,
// subnormal_put_note says within how many in the output. Three calls of the loop.
void subnormal_look(uint32_t few, uint32_t many);
void subnormal_put_note(void);

// SPDX-License-Identifier: GPL-3.0-or-later
// variant run-time: does the kernel work in the loop's place?
#pragma once

// After limits_enter: does an iteration trap into the kernel each time, or does the kernel put
// the loop to sleep? If so, traps_put_note says so in the output. One call of the loop where
// nothing is wrong. Of a loop that declares system calls: do they wait? Not at CPL0.
void traps_look(void);
void traps_put_note(void);

// Does the loop write GS itself, where interrupts would leave their mark?
int traps_loop_writes_gs(void);

# SPDX-License-Identifier: GPL-3.0-or-later
# Never ends, interrupts off.
        .globl  _start
        .text
_start:
        cli
1:      jmp     1b
        .section .note.GNU-stack, "", @progbits

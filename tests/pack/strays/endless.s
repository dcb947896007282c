# SPDX-License-Identifier: GPL-3.0-or-later
# Never ends.
        .globl  _start
        .text
_start:
1:      jmp     1b
        .section .note.GNU-stack, "", @progbits

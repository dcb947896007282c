# SPDX-License-Identifier: GPL-3.0-or-later
# Invalid opcode.
        .globl  _start
        .text
_start:
        ud2
        .section .note.GNU-stack, "", @progbits

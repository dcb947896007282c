# SPDX-License-Identifier: GPL-3.0-or-later
# Pushes for ever.
        .globl  _start
        .text
_start:
1:      push    %rax
        jmp     1b
        .section .note.GNU-stack, "", @progbits

# SPDX-License-Identifier: GPL-3.0-or-later
# Runs its stack.
        .globl  _start
        .text
_start:
        jmp     *%rsp
        .section .note.GNU-stack, "", @progbits

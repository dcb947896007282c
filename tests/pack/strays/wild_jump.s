# SPDX-License-Identifier: GPL-3.0-or-later
# Jumps to where nothing is mapped.
        .globl  _start
        .text
_start:
        mov     $0x123456789000, %rax
        jmp     *%rax
        .section .note.GNU-stack, "", @progbits

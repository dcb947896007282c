# SPDX-License-Identifier: GPL-3.0-or-later
# Halts with interrupts on: no interrupt ever comes.
        .globl  _start
        .text
_start:
        hlt
        mov     $231, %eax              # exit_group(0)
        xor     %edi, %edi
        syscall
        ud2
        .section .note.GNU-stack, "", @progbits

# SPDX-License-Identifier: GPL-3.0-or-later
# Leaves flags and control state behind: DF, AC, NT, IF=0.
        .globl  _start
        .text
_start:
        pushq   $0x44402
        popfq
        mov     $231, %eax              # exit_group(0)
        xor     %edi, %edi
        syscall
        ud2
        .section .note.GNU-stack, "", @progbits

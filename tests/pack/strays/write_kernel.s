# SPDX-License-Identifier: GPL-3.0-or-later
# Writes to where the kernel is: at CPL0 only the missing page stops it.
        .globl  _start
        .text
_start:
        mov     $0xffffffff80100000, %rax
        movb    $0x90, (%rax)
        mov     $231, %eax              # exit_group(0)
        xor     %edi, %edi
        syscall
        ud2
        .section .note.GNU-stack, "", @progbits

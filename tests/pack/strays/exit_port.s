# SPDX-License-Identifier: GPL-3.0-or-later
# Ends the machine by its exit port.
        .globl  _start
        .text
_start:
        mov     $0x10, %al
        outb    %al, $0xf4
        mov     $231, %eax              # exit_group(0)
        xor     %edi, %edi
        syscall
        ud2
        .section .note.GNU-stack, "", @progbits

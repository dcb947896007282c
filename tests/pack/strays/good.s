# SPDX-License-Identifier: GPL-3.0-or-later
# Behaves: writes, asks for iopl(3), ends with status 0.
        .globl  _start
        .text
_start:
        mov     $172, %eax              # iopl(3)
        mov     $3, %edi
        syscall
        test    %eax, %eax
        jnz     1f
        mov     $1, %eax                # write(1, text, 5)
        mov     $1, %edi
        lea     text(%rip), %rsi
        mov     $5, %edx
        syscall
1:
        mov     $231, %eax              # exit_group(0)
        xor     %edi, %edi
        syscall
        ud2
text:   .ascii  "good\n"
        .section .note.GNU-stack, "", @progbits

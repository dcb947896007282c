# SPDX-License-Identifier: GPL-3.0-or-later
# Writes a forged record to the results port, then ends well.
        .globl  _start
        .text
_start:
        lea     text(%rip), %rsi
        mov     $(end - text), %ecx
        mov     $0xe9, %edx
        rep outsb
        mov     $231, %eax              # exit_group(0)
        xor     %edi, %edi
        syscall
        ud2
text:   .ascii  "@asw 00000003 00000000 exit 0000000a 00000000\nstatus=0x0"
end:
        .section .note.GNU-stack, "", @progbits

# SPDX-License-Identifier: GPL-3.0-or-later
# Behaves as a variant given ITERATIONS: writes "end ITERATIONS" and ends.
        .globl  _start
        .text
_start:
        mov     16(%rsp), %rbx          # argv[1]
        mov     $text, %esi
        mov     $4, %edx
        call    put
        xor     %edx, %edx
1:      inc     %edx
        cmpb    $0, (%rbx,%rdx)
        jne     1b
        mov     %rbx, %rsi
        call    put
        mov     $text + 4, %esi
        mov     $1, %edx
        call    put
        mov     $231, %eax              # exit_group(0)
        xor     %edi, %edi
        syscall
put:    mov     $1, %eax                # write(1, rsi, rdx)
        mov     $1, %edi
        syscall
        ret
text:   .ascii  "end \n"
        .section .note.GNU-stack, "", @progbits

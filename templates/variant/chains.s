# SPDX-License-Identifier: GPL-3.0-or-later
# variant run-time: the reference chains, which make the unit "cycle".
#
# Three unrelated instructions, each depending on its own result through RBX:
# add r,r and rol r,imm take 1 cycle on every x86-64 CPU so far; imul takes a
# whole number of cycles that differs by CPU (3, 4, 5 or 6) and is recorded, not
# assumed. Not add $imm, inc or dec: Golden Cove and later do those at rename.
# Each is a loop in the loop ABI with CHAIN_LINKS (32) links; dec and jnz
# run beside the chain.

        .macro  chain name, link:vararg
        .globl  chain_\name
        .p2align 6
chain_\name:
        mov     $3, %ebx                # odd, so that imul never reaches 0 or 1
        .p2align 6
1:
        .rept   32
        \link
        .endr
        dec     %eax
        jnz     1b
        jmp     loop_return
        .endm

        .text
        chain add, add %rbx, %rbx
        chain rol, rol $7, %rbx
        chain imul, imul %rbx, %rbx

        .section .note.GNU-stack, "", @progbits

# SPDX-License-Identifier: GPL-3.0-or-later
# variant run-time: the reference chains, which make the unit "cycle".
#
# Three unrelated instructions, each depending on its own result through RBX:
# add r,r and rol r,imm take 1 cycle on every x86-64 CPU so far; imul takes a
# whole number of cycles that differs by CPU (3, 4, 5 or 6) and is recorded, not
# assumed. Not add $imm, inc or dec: Golden Cove and later do those at rename.
# Each is a loop in the loop ABI with CHAIN_LINKS (32) links; dec and jnz
# run beside the chain.

        .include "stamp.inc"

        .macro  chain name, link:vararg
        .globl  chain_\name
        .p2align 6
chain_\name:
        mov     $3, %ebx                # odd, so that imul never reaches 0 or 1
        stamp   start_ticks
        .p2align 6
1:
        .rept   32
        \link
        .endr
        dec     %eax
        jnz     1b
        stamp   end_ticks
        jmp     loop_return
        .endm

        .text
        chain add, add %rbx, %rbx
        chain rol, rol $7, %rbx
        chain imul, imul %rbx, %rbx

# A loop that nothing limits but the core's width: it takes twice as long while another hardware
# thread of the core executes. One-byte NOPs: longer ones are limited by fetch on some cores.
        .globl  width
        .p2align 6
width:
        stamp   start_ticks
        .p2align 6
2:
        .rept   94
        nop
        .endr
        dec     %eax
        jnz     2b
        stamp   end_ticks
        jmp     loop_return

# The first-level cache, which every core has at least 32 KiB of: a chain of loads over half as many
# lines, which stay there unless another hardware thread evicts them. (A ring of all lines evicts
# itself now and then.) Setup brings back what the loop before evicted.
        .globl  cache
        .p2align 6
cache:
        mov     $512, %ecx               # twice around
        lea     cache_ring(%rip), %rbx
1:      mov     (%rbx), %rbx
        dec     %ecx
        jnz     1b
        stamp   start_ticks
        .p2align 6
2:
        .rept   32
        mov     (%rbx), %rbx
        .endr
        dec     %eax
        jnz     2b
        stamp   end_ticks
        jmp     loop_return

# The divider: a chain of divisions that keep their operands.
        .globl  divider
        .p2align 6
divider:
        mov     %eax, %esi
        mov     $0x12345678, %eax
        mov     $0x1234, %r8d
        xor     %edx, %edx
        mov     $0x12345678, %r9d
        stamp   start_ticks
        .p2align 6
2:
        .rept   32
        div     %r8d
        xor     %edx, %edx
        or      %r9d, %eax
        .endr
        dec     %esi
        jnz     2b
        stamp   end_ticks
        jmp     loop_return

# Both: each link is a load of the ring, then a division; neither hides behind the other.
        .globl  cache_divider
        .p2align 6
cache_divider:
        mov     %eax, %esi
        mov     $512, %ecx               # twice around
        lea     cache_ring(%rip), %rbx
1:      mov     (%rbx), %rbx
        dec     %ecx
        jnz     1b
        mov     $0x12345678, %eax
        mov     $0x1234, %r8d
        mov     $0x12345678, %r9d
        stamp   start_ticks
        .p2align 6
2:
        .rept   32
        mov     (%rbx), %rbx
        xor     %ebx, %eax
        xor     %ebx, %eax
        xor     %edx, %edx
        div     %r8d
        or      %r9d, %eax
        add     %rax, %rbx
        sub     %rax, %rbx
        .endr
        dec     %esi
        jnz     2b
        stamp   end_ticks
        jmp     loop_return

# The first access to a page: a page fault (stopwatch.c).
        .globl  fault
fault:
        stamp   start_ticks
        orb     $0, fault_page(%rip)
        stamp   end_ticks
        jmp     loop_return

        .bss
        .globl  cache_ring
        .p2align 12
cache_ring:     .skip 16384
                .skip 4096
fault_page:     .skip 8192

        .section .note.GNU-stack, "", @progbits

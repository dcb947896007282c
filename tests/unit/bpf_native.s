# SPDX-License-Identifier: GPL-3.0-or-later
# A program with a chain and a loop that calls the kernel (test_bpf_native.c).
        .section syscall, "ax", @progbits
        .globl  program, chain, loop
program:
        lddw    %r1, n_loop
        call    chain
        lddw    %r1, n_loop
        call    loop
        mov     %r0, 0
        exit
chain:
        mov     %r2, 3
1:      .rept   4
        mul     %r2, %r2
        .endr
        sub     %r1, 1
        jne     %r1, 0, 1b
        mov     %r0, 0
        exit
loop:
        mov     %r6, %r1
        lddw    %r7, lines
        mov     %r8, 1
loop_begin:
        .rept   2
        mov     %r1, %r10
        add     %r1, -8
        call    bpf_local_irq_save
        mov     %r1, %r10
        add     %r1, -8
        call    bpf_local_irq_restore
        .endr
        xadddw  [%r7+0], %r8
        sub     %r6, 1
        jne     %r6, 0, loop_begin
loop_end:
        mov     %r0, 0
        exit

# SPDX-License-Identifier: GPL-3.0-or-later
# Every instruction that the text of a loop knows, those of the macros first (test_bpf_text.c).
        .include "bpf.inc"
        .section tc, "ax", @progbits
        .globl  program, loop
program:
        call    loop
        mov     %r0, 0
        exit
loop:
        mov     %r6, %r1
loop_begin:
        atomic_add 7, 0, 8
        fetch_add 7, 64, 8
        exchange 9, -8, 0
        compare_exchange 1, 0, 2
        mul     %r8, %r8
        add32   %r7, 5
        lsh     %r2, 7
        sub     %r3, -1
        mov     %r1, 0
        ldxdw   %r9, [%r7+8]
        stxw    [%r10+-4], %r9
        lddw    %r1, lines
        mov     %r2, %r10
        add     %r2, -8
        call    bpf_spin_lock
        jne     %r0, 0, 1f
        mov     %r1, %r7
        call    empty
1:      sub     %r6, 1
        jne     %r6, 0, loop_begin
loop_end:
        mov     %r0, 0
        exit
        .globl  empty
empty:
        mov     %r0, 0
        exit

# SPDX-License-Identifier: GPL-3.0-or-later
# The least that is a program of two functions (test_bpf_object.c).
        .section syscall, "ax", @progbits
        .globl  program, loop
program:
        lddw    %r1, n_loop
        call    loop
        lddw    %r1, times + 8
        stxdw   [%r1+0], %r0
        mov     %r0, 0
        exit
loop:
        mov     %r6, %r1
loop_begin:
        call    bpf_ktime_get_ns
        sub     %r6, 1
        jne     %r6, 0, loop_begin
loop_end:
        exit

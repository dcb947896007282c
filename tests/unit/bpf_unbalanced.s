# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that would leave IF 0, or preemption off, when they end (test_bpf_kernel.c). KIND: 1
# saves more often than it restores, 2 restores what was not saved last, 3 keeps a lock, 4 keeps
# preemption off.
        .if KIND == 3
        .section tc, "ax", @progbits
        .else
        .section syscall, "ax", @progbits
        .endif
        .macro  pass depth
        mov     %r1, %r10
        add     %r1, -8 * \depth
        .endm
        .globl  program, loop
program:
        lddw    %r1, n_loop
        call    loop
        mov     %r0, 0
        exit
loop:
        mov     %r6, %r1
        .if KIND == 2
        pass    1
        call    bpf_local_irq_save
        .endif
loop_begin:
        .if KIND == 1
        pass    1
        call    bpf_local_irq_save
        .elseif KIND == 2
        pass    2
        call    bpf_local_irq_save
        pass    1
        call    bpf_local_irq_restore
        .elseif KIND == 3
        lddw    %r1, spin_lock
        call    bpf_spin_lock
        .else
        call    bpf_preempt_disable
        .endif
        sub     %r6, 1
        jne     %r6, 0, loop_begin
loop_end:
        mov     %r0, 0
        exit

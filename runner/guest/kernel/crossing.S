/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The gate between the kernel and a variant: the only code that is mapped while a variant runs.
 * Each way in builds a struct gate_frame (gate.h) on a gate stack, changes to the kernel's page
 * tables and calls gate_dispatch; the way out is always IRETQ, because SYSRET can only go to CPL3.
 */
#include "runner/guest/kernel/layout.h"

        .section .gate.writable, "aw", @nobits
        .balign PAGE_BYTES
        .globl  gate_left_at
gate_left_at:   .skip 8                 # TSC when the variant was left
gate_user_rsp:  .skip 8                 # RSP of a variant in `syscall`
        .balign PAGE_BYTES
        # Each stack has a guard page below it, which memory.c leaves out.
.macro gate_stack name
        .globl  \name\()_guard, \name\()_top
\name\()_guard: .skip PAGE_BYTES
        .skip   GATE_STACK_BYTES
\name\()_top:
.endm
        gate_stack gate_fault_stack
        gate_stack gate_nmi_stack
        gate_stack gate_double_stack
        gate_stack gate_syscall_stack

        .section .gate.tables, "aw", @progbits
        .balign 8
        .globl  gate_kernel_cr3, gate_variant_code, gate_variant_data
gate_kernel_cr3:        .quad 0
gate_variant_code:      .quad 0         # selectors of the variant that runs
gate_variant_data:      .quad 0

        .bss
        .balign 8
gate_kernel_rsp:        .skip 8         # of gate_launch's caller
        .globl  gate_entered_at
gate_entered_at:        .skip 8         # TSC when the variant was entered

        .section .gate.text, "ax", @progbits
        .balign 16
        .globl  gate_vectors
gate_vectors:                           # 256 entries of 16 bytes
        .set    vector, 0
        .rept   VECTORS
        .balign 16
        # These vectors come with an error code (SDM volume 3, table 6-1; 29 and 30 are AMD's).
        .set    coded, vector == 8 || (vector >= 10 && vector <= 14) || vector == 17
        .set    coded, coded || vector == 21 || vector == 29 || vector == 30
        .if     !coded
        pushq   $0
        .endif
        pushq   $vector
        jmp     gate_enter
        .set    vector, vector + 1
        .endr

        .balign 16
        .globl  gate_syscall
gate_syscall:                           # RCX = return address, R11 = RFLAGS
        movq    %rsp, gate_user_rsp(%rip)
        leaq    gate_syscall_stack_top(%rip), %rsp
        pushq   gate_variant_data(%rip)
        pushq   gate_user_rsp(%rip)
        pushq   %r11
        pushq   gate_variant_code(%rip)
        pushq   %rcx
        pushq   $0
        pushq   $VECTOR_SYSCALL
gate_enter:
        .irp    register, rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15
        pushq   %\register
        .endr
        movq    %cr3, %rax
        pushq   %rax
        rdtsc
        shlq    $32, %rdx
        orq     %rdx, %rax
        movq    %rax, gate_left_at(%rip)
        pushq   $RFLAGS_FIXED           # neither DF nor AC nor NT of the variant gets further
        popfq
        movq    gate_kernel_cr3(%rip), %rax
        movq    %rax, %cr3
        movq    %rsp, %rdi
        movq    %rsp, %rbp
        andq    $-16, %rsp
        call    gate_dispatch
        movq    %rbp, %rdi

gate_resume:                            # RDI = the frame to go on with
        movq    %rdi, %rsp
        rdtsc
        shlq    $32, %rdx
        orq     %rdx, %rax
        movq    %rax, gate_entered_at
        popq    %rax
        movq    %rax, %cr3
        .irp    register, r15, r14, r13, r12, r11, r10, r9, r8, rbp, rdi, rsi, rdx, rcx, rbx, rax
        popq    %\register
        .endr
        addq    $16, %rsp
        iretq

        .text
        .globl  gate_launch, gate_finish
gate_launch:                            # RDI = the frame to enter
        .irp    register, rbx, rbp, r12, r13, r14, r15
        pushq   %\register
        .endr
        movq    %rsp, gate_kernel_rsp
        movq    $gate_resume, %rax
        jmp     *%rax

gate_finish:                            # gate_launch returns to its caller
        movq    gate_kernel_rsp, %rsp
        .irp    register, r15, r14, r13, r12, rbp, rbx
        popq    %\register
        .endr
        ret

        .section .note.GNU-stack, "", @progbits

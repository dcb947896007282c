# SPDX-License-Identifier: GPL-3.0-or-later
# variant run-time: process entry, the timed call around a loop, system calls.

# IRET to an outer ring clears a null selector whose value is not 0: a GS that held this one before
# and holds 0 after says that an interrupt, a fault or a task switch came between.
        .set    NULL_SELECTOR, 1
        .set    LOOP_STACK_BYTES, 0x20000

        .text
        .globl  _start
_start: # RSP is 16-aligned here and points to argc, argv[].
        cld
        mov     (%rsp), %rdi
        lea     8(%rsp), %rsi
        xor     %ebp, %ebp
        call    variant_main
        mov     %eax, %edi
        mov     $231, %eax              # exit_group
        syscall
        ud2

# uint64_t timed_call(uint32_t count, const char *loop)
#
# The loop may change every register and every flag, so all that is needed after
# it lies in memory at fixed addresses, and nothing but aligned accesses happens
# before RFLAGS is back: a loop may leave AC set. It has a stack of its own at a fixed
# address: what the loads and stores of a loop near RSP cost depends on the place.
        .text
        .globl  timed_call, was_interrupted
        .p2align 6
timed_call:
        .irp    register, rbx, rbp, r12, r13, r14, r15
        push    %\register
        .endr
        pushfq
        mov     (%rsp), %rbx
        mov     %rbx, saved_flags(%rip)
        mov     %rsp, saved_rsp(%rip)
        movq    $0, start_ticks(%rip)
        movq    $0, end_ticks(%rip)
        mov     canary(%rip), %rdx
        lea     loop_stack_top(%rip), %rsp
        mov     %rdx, (%rsp)            # a body that pops too much and pushes again
        mov     %rdx, 8(%rsp)           # overwrites these two first
        mov     $NULL_SELECTOR, %ecx
        mov     %ecx, %gs
        mov     %edi, %eax
        mov     %rbx, %rcx
        jmp     *%rsi

        .globl  loop_return
        .p2align 6
loop_return:
        mov     %gs, %eax
        mov     %eax, left_selector(%rip)
        mov     %rsp, %r8
        mov     saved_rsp(%rip), %rsp   # a stack again, before anything is pushed
        mov     $0, %edi                # not XOR: RFLAGS is still the loop's
        pushfq
        pop     %r9
        mov     saved_flags(%rip), %r10
        push    %r10
        popfq
        xor     %r10, %r9
        or      %r9, flags_left(%rip)
        lea     loop_stack_top(%rip), %rdx
        cmp     %rdx, %r8
        jne     lost
        mov     $1, %edi
        mov     canary(%rip), %r11
        cmp     (%rdx), %r11
        jne     lost
        cmp     8(%rdx), %r11
        jne     lost
        mov     $2, %edi                # a jump over a stamp leaves none
        cmpq    $0, start_ticks(%rip)
        je      lost
        cmpq    $0, end_ticks(%rip)
        je      lost
        xor     %ecx, %ecx
        cmpw    $NULL_SELECTOR, left_selector(%rip)
        setne   %cl
        mov     %ecx, was_interrupted(%rip)
        mov     end_ticks(%rip), %rax
        sub     start_ticks(%rip), %rax
        add     $8, %rsp                # the flags, already restored
        .irp    register, r15, r14, r13, r12, rbp, rbx
        pop     %\register
        .endr
        ret
lost:   and     $-16, %rsp
        call    loop_lost

# long system_call(long number, long first, long second, long third)
        .globl  system_call
system_call:
        mov     %rdi, %rax
        mov     %rsi, %rdi
        mov     %rdx, %rsi
        mov     %rcx, %rdx
        syscall
        ret

        .globl  current_privilege_level
current_privilege_level:
        mov     %cs, %eax
        and     $3, %eax
        ret

        .section .rodata
        .p2align 3
canary: .quad   0x5afe57ac00c0ffee

        .bss
        .p2align 3
        .globl  flags_left
saved_rsp:      .skip 8
saved_flags:    .skip 8
flags_left:     .skip 8
left_selector:  .skip 4
was_interrupted: .skip 4
        .p2align 3

# At fixed addresses, so that a change of the run-time changes no byte of a loop (stamp.inc).
        .section .stamps, "aw", @nobits
        .globl  start_ticks, end_ticks, stamp_rax, stamp_rdx
        .p2align 6
start_ticks:    .skip 8
end_ticks:      .skip 8
stamp_rax:      .skip 8
stamp_rdx:      .skip 8

        .section .loopstack, "aw", @nobits
        .globl  loop_stack_begin, loop_stack_end
        .p2align 12
loop_stack_begin:
        .skip   LOOP_STACK_BYTES - 64
loop_stack_top: # RSP of a loop, 64-aligned
        .skip   64
loop_stack_end:

        .section .loopdata, "aw", @nobits
        .globl  scratch, pattern_state
        .p2align 12
scratch:        .skip 4096
pattern_state:  .skip 4096

        .section .note.GNU-stack, "", @progbits

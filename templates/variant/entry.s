# SPDX-License-Identifier: GPL-3.0-or-later
# variant run-time: process entry, the timed call around a loop, system calls.

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
# before RFLAGS is back: a loop may leave AC set.
        .globl  timed_call
        .p2align 6
timed_call:
        .irp    register, rbx, rbp, r12, r13, r14, r15
        push    %\register
        .endr
        pushfq
        mov     (%rsp), %rbx
        mov     %rbx, saved_flags(%rip)
        mov     canary(%rip), %rdx
        push    %rdx                    # a body that pops too much and pushes again
        push    %rdx                    # overwrites these two first
        mov     %rsp, saved_rsp(%rip)
        mov     %edi, %r8d
        mov     %rbx, %rcx
        mov     %rcx, %r9
        lfence
        rdtsc
        lfence
        shl     $32, %rdx
        or      %rdx, %rax
        mov     %rax, start_ticks(%rip)
        mov     %r8d, %eax
        mov     %r9, %rcx
        jmp     *%rsi

        .globl  loop_return
        .p2align 6
loop_return:
        lfence
        rdtsc
        lfence
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
        cmp     %rsp, %r8
        jne     lost
        mov     $1, %edi
        mov     canary(%rip), %r11
        cmp     (%rsp), %r11
        jne     lost
        cmp     8(%rsp), %r11
        jne     lost
        shl     $32, %rdx
        or      %rdx, %rax
        sub     start_ticks(%rip), %rax
        add     $24, %rsp               # two canaries and the flags, already restored
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
start_ticks:    .skip 8
flags_left:     .skip 8

        .section .loopdata, "aw", @nobits
        .globl  scratch, pattern_state
        .p2align 12
scratch:        .skip 4096
pattern_state:  .skip 4096

        .section .note.GNU-stack, "", @progbits

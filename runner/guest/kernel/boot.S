/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The way in. A PVH loader (QEMU's -kernel) reads the note, loads the segments at their physical
 * addresses and jumps to boot_entry in 32-bit mode: paging off, flat segments, interrupts off,
 * %ebx = physical address of the hvm_start_info (Xen's pvh.pandoc).
 */
#include "runner/guest/kernel/layout.h"

#define PHYSICAL(symbol) (symbol - KERNEL_BASE)

        .section .note.Xen, "a", @note
        .balign 4
        .long   4, 8, 18                # name and descriptor sizes, XEN_ELFNOTE_PHYS32_ENTRY
        .asciz  "Xen"
        .quad   PHYSICAL(boot_entry)

        .bss
        .balign PAGE_BYTES
        .globl  boot_pml4
boot_pml4:      .skip PAGE_BYTES
boot_low:       .skip PAGE_BYTES        # first 4 GiB by four directories of 2 MiB pages
boot_high:      .skip PAGE_BYTES        # the kernel's image
boot_directories: .skip 4 * PAGE_BYTES
        .balign 16
boot_stack:     .skip 16384
boot_stack_top:

        .section .rodata
        .balign 8
boot_gdt:
        .quad   0, 0x00af9b000000ffff, 0x00cf93000000ffff
boot_gdt_pointer:
        .word   . - boot_gdt - 1
        .long   PHYSICAL(boot_gdt)

        .text
        .code32
        .globl  boot_entry
boot_entry:
        cld
        movl    %ebx, %ebp              # hvm_start_info; wrmsr below needs no ebp

        # Page tables: entries 0 and 256 of the PML4 show the first 4 GiB, entry 511 the image.
        movl    $PHYSICAL(boot_directories), %edi
        movl    $(PAGE_PRESENT | PAGE_WRITE | PAGE_LARGE), %eax
        movl    $(4 * 512), %ecx
1:      movl    %eax, (%edi)
        addl    $0x200000, %eax
        addl    $8, %edi
        decl    %ecx
        jnz     1b
        movl    $(PHYSICAL(boot_directories) + 3), %eax
        movl    %eax, PHYSICAL(boot_high) + 8 * 510
        movl    $PHYSICAL(boot_low), %edi
        movl    $4, %ecx
2:      movl    %eax, (%edi)
        addl    $PAGE_BYTES, %eax
        addl    $8, %edi
        decl    %ecx
        jnz     2b
        movl    $(PHYSICAL(boot_low) + 3), PHYSICAL(boot_pml4)
        movl    $(PHYSICAL(boot_low) + 3), PHYSICAL(boot_pml4) + 8 * 256
        movl    $(PHYSICAL(boot_high) + 3), PHYSICAL(boot_pml4) + 8 * 511

        # Long mode: SDM volume 3, 9.8.5.
        movl    $(CR4_PAE | CR4_PCE | CR4_OSFXSR | CR4_OSXMMEXCPT), %eax
        movl    %eax, %cr4
        movl    $PHYSICAL(boot_pml4), %eax
        movl    %eax, %cr3
        movl    $MSR_EFER, %ecx
        movl    $(EFER_SCE | EFER_LME | EFER_NXE), %eax
        xorl    %edx, %edx
        wrmsr
        movl    $(CR0_PE | CR0_MP | CR0_ET | CR0_NE | CR0_WP | CR0_AM | CR0_PG), %eax
        movl    %eax, %cr0
        lgdt    PHYSICAL(boot_gdt_pointer)
        ljmp    $SELECTOR_CODE0, $PHYSICAL(boot_long)

        .code64
boot_long:
        movl    $SELECTOR_DATA0, %eax
        movl    %eax, %ds
        movl    %eax, %es
        movl    %eax, %ss
        xorl    %eax, %eax
        movl    %eax, %fs
        movl    %eax, %gs
        movq    $boot_stack_top, %rsp
        movl    %ebp, %edi
        xorl    %ebp, %ebp
        movq    $kernel_main, %rax
        call    *%rax
3:      hlt                             # kernel_main does not return
        jmp     3b

        .section .note.GNU-stack, "", @progbits

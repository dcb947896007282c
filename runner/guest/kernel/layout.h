/* SPDX-License-Identifier: GPL-3.0-or-later */
/* runner/guest/kernel: selectors, addresses and page-table bits, for C and for assembly. */
#pragma once

#define KERNEL_BASE 0xffffffff80000000 /* physical 0 as the kernel's image sees it */
#define DIRECT_BASE 0xffff800000000000 /* physical 0 as data sees it; first 4 GiB */
#define PAGE_BYTES 4096
#define FRAME_LIMIT 0xc0000000 /* no memory above 3 GiB is used: devices may live there */

/* Page-table entries (SDM volume 3, 4.5). */
#define PAGE_PRESENT 0x1
#define PAGE_WRITE 0x2
#define PAGE_USER 0x4
#define PAGE_LARGE 0x80
#define PAGE_NO_EXECUTE 0x8000000000000000
#define PAGE_ADDRESS 0x000ffffffffff000

/* Segment selectors: index in the GDT times 8, plus the privilege level. */
#define SELECTOR_CODE0 0x08
#define SELECTOR_DATA0 0x10
#define SELECTOR_DATA3 0x1b
#define SELECTOR_CODE3 0x23
#define SELECTOR_TSS 0x28
#define GDT_ENTRIES 7

/* Interrupt stacks: one for NMI, which may come at any time, one for the double fault, one for
 * everything else; system calls have their own. */
#define IST_FAULT 1
#define IST_NMI 2
#define IST_DOUBLE 3
#define GATE_STACK_BYTES 8192

#define VECTOR_NMI 2
#define VECTOR_DOUBLE_FAULT 8
#define VECTOR_PAGE_FAULT 14
#define VECTORS 256
#define VECTOR_SYSCALL 256 /* not a vector of the CPU: marks a frame made by `syscall` */

#define MSR_EFER 0xc0000080
#define MSR_STAR 0xc0000081
#define MSR_LSTAR 0xc0000082
#define MSR_SFMASK 0xc0000084
#define EFER_SCE 0x1
#define EFER_LME 0x100
#define EFER_NXE 0x800

#define CR0_PE 0x1
#define CR0_MP 0x2
#define CR0_ET 0x10
#define CR0_NE 0x20
#define CR0_WP 0x10000
#define CR0_AM 0x40000
#define CR0_PG 0x80000000
#define CR4_PAE 0x20
#define CR4_PCE 0x100
#define CR4_OSFXSR 0x200
#define CR4_OSXMMEXCPT 0x400
#define CR4_OSXSAVE 0x40000

#define RFLAGS_FIXED 0x2
#define RFLAGS_IF 0x200
#define RFLAGS_IOPL3 0x3000

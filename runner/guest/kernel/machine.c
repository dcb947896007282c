// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/guest/kernel/machine.h"

#include "runner/guest/kernel/gate_symbols.h"
#include "runner/guest/kernel/layout.h"
#include "runner/guest/kernel/text.h"

#include <cpuid.h>

#define VECTOR_STUB_BYTES 16
#define IDT_INTERRUPT_GATE 0x8e00 // present, type 14: clears IF, TF and NT on the way in
#define IDT_DPL3 0x6000
#define TSS_AVAILABLE 0x89
#define APIC_BASE_MSR 0x1b
#define APIC_ENABLED 0x800
#define APIC_X2 0x400
#define CPUID_XSAVE (1U << 26)
#define XCR0_AVX 0x7
#define XCR0_AVX512 0xe0

struct __attribute__((packed)) tss {
    uint32_t reserved0;
    uint64_t rsp[3];
    uint64_t reserved1;
    uint64_t ist[7];
    uint64_t reserved2;
    uint16_t reserved3, io_bitmap;
};

struct __attribute__((packed)) table_register {
    uint16_t limit;
    uint64_t base;
};

struct gate_descriptor {
    uint16_t offset0, selector, attributes, offset1;
    uint32_t offset2, reserved;
};

// The accessed bits are set beforehand, so that the CPU never wants to write to these pages: a
// variant sees them read-only.
#define IN_GATE __attribute__((section(".gate.tables"), aligned(64)))
static IN_GATE uint64_t gdt[GDT_ENTRIES] = {
    [SELECTOR_CODE0 / 8] = 0x00af9b000000ffff,
    [SELECTOR_DATA0 / 8] = 0x00cf93000000ffff,
    [SELECTOR_DATA3 / 8] = 0x00cff3000000ffff,
    [SELECTOR_CODE3 / 8] = 0x00affb000000ffff,
};
static IN_GATE struct tss tss = {.io_bitmap = sizeof(struct tss)};
static IN_GATE struct gate_descriptor idt[VECTORS];

static const struct table_register gdt_register = {sizeof gdt - 1, (uint64_t)gdt};
static const struct table_register idt_register = {sizeof idt - 1, (uint64_t)idt};

static uint16_t stack_of(unsigned vector) {
    switch (vector) {
    case VECTOR_NMI:
        return IST_NMI;
    case VECTOR_DOUBLE_FAULT:
        return IST_DOUBLE;
    default:
        return IST_FAULT;
    }
}

void machine_init(void) {
    uint64_t base = (uint64_t)&tss;
    tss.rsp[0] = tss.ist[IST_FAULT - 1] = (uint64_t)gate_fault_stack_top;
    tss.ist[IST_NMI - 1] = (uint64_t)gate_nmi_stack_top;
    tss.ist[IST_DOUBLE - 1] = (uint64_t)gate_double_stack_top;
    gdt[SELECTOR_TSS / 8 + 1] = base >> 32;

    for (unsigned vector = 0; vector < VECTORS; vector++) {
        uint64_t stub = (uint64_t)gate_vectors + vector * VECTOR_STUB_BYTES;
        // INT3 and INTO are allowed at CPL3, so that they are named, not a #GP.
        uint16_t privilege = vector == 3 || vector == 4 ? IDT_DPL3 : 0;
        idt[vector] = (struct gate_descriptor){
            .offset0 = (uint16_t)stub,
            .selector = SELECTOR_CODE0,
            .attributes = IDT_INTERRUPT_GATE | privilege | stack_of(vector),
            .offset1 = (uint16_t)(stub >> 16),
            .offset2 = (uint32_t)(stub >> 32),
        };
    }
}

static void tables_load(void) {
    uint64_t base = (uint64_t)&tss;
    // LTR marks the descriptor busy; it has to be free again for the next one.
    gdt[SELECTOR_TSS / 8] = (sizeof tss - 1) | (base & 0xffffff) << 16 |
                            (uint64_t)TSS_AVAILABLE << 40 | (base >> 24 & 0xff) << 56;
    __asm__ volatile("lgdt %0" : : "m"(gdt_register));
    __asm__ volatile("lidt %0" : : "m"(idt_register));
    __asm__ volatile("ltr %w0" : : "r"(SELECTOR_TSS));
    __asm__ volatile("lldt %w0\n\tmov %w0, %%ds\n\tmov %w0, %%es\n\tmov %w0, %%fs\n\tmov %w0, %%gs"
                     :
                     : "r"(0));
}

// Local APIC registers by their x2APIC number; the memory window has them 16 bytes apart.
static void apic_write(uint64_t base, uint32_t number, uint32_t value) {
    if (base & APIC_X2)
        write_msr(0x800 + number, value);
    else
        *(volatile uint32_t *)(DIRECT_BASE + (base & PAGE_ADDRESS) + number * 16) = value;
}

// SDM volume 3, 10.4.7 and 10.5.1: all local interrupts masked but LINT1, which is NMI.
static void apic_quiet(void) {
    uint64_t base = read_msr(APIC_BASE_MSR);
    if (!(base & APIC_ENABLED))
        return;
    apic_write(base, 0x0f, 0x1ff); // enabled, else every LVT entry is masked
    static const uint8_t masked[] = {0x32, 0x33, 0x34, 0x35, 0x37}; // timer ... LINT0, error
    for (unsigned i = 0; i < sizeof masked; i++)
        apic_write(base, masked[i], 0x10000);
    apic_write(base, 0x36, 0x400);
}

// Where XSAVE keeps its state (SDM volume 1, 13.4): only MXCSR is read back here, since a header
// of zeros says that everything else is in its first state.
static const struct __attribute__((aligned(64))) xsave_area {
    uint8_t legacy[24];
    uint32_t mxcsr;
    uint8_t rest[4096 - 28];
} first_state = {.mxcsr = 0x1f80};

// QEMU's own emulation says so where hypervisors have their name ("TCGTCGTCGTCG").
static int is_emulated(void) {
    uint32_t eax, ebx, ecx, edx;
    __cpuid(0x40000000, eax, ebx, ecx, edx);
    return ebx == 0x54474354 && ecx == 0x43544743 && edx == 0x47435447;
}

// x87, SSE, AVX and AVX-512 as far as the CPU has them, all in their first state: what one variant
// leaves in the upper halves must not slow down the next one. Only for the proof: a KVM that runs
// us de-privileged (PVM) has no XSETBV and XRSTOR in its emulator and ends the guest, before the
// truth gate could tell what it is.
static void vectors_settle(void) {
    uint32_t eax, ebx, ecx, edx;
    __cpuid(1, eax, ebx, ecx, edx);
    if (!(ecx & CPUID_XSAVE) || !is_emulated())
        return;
    __cpuid_count(0xd, 0, eax, ebx, ecx, edx);
    uint32_t features = eax & XCR0_AVX;
    if ((eax & XCR0_AVX512) == XCR0_AVX512)
        features |= XCR0_AVX512;
    __asm__ volatile("mov %%cr4, %%rax\n\tor %0, %%rax\n\tmov %%rax, %%cr4"
                     :
                     : "i"(CR4_OSXSAVE)
                     : "rax", "memory");
    __asm__ volatile("xsetbv" : : "c"(0), "a"(features), "d"(0));
    __asm__ volatile("xrstor %0" : : "m"(first_state), "a"(features), "d"(0));
}

void machine_settle(void) {
    uint64_t cr0 = CR0_PE | CR0_MP | CR0_ET | CR0_NE | CR0_WP | CR0_AM | CR0_PG;
    uint64_t cr4 = CR4_PAE | CR4_PCE | CR4_OSFXSR | CR4_OSXMMEXCPT;
    __asm__ volatile("mov %0, %%cr0" : : "r"(cr0) : "memory");
    __asm__ volatile("mov %0, %%cr4" : : "r"(cr4) : "memory");
    __asm__ volatile("mov %0, %%dr7" : : "r"(0x400UL));
    vectors_settle();
    tables_load();
    write_msr(MSR_EFER, (read_msr(MSR_EFER) & ~0xffUL) | EFER_SCE | EFER_LME | EFER_NXE);
    write_msr(MSR_STAR, (uint64_t)SELECTOR_CODE0 << 32);
    write_msr(MSR_LSTAR, (uint64_t)gate_syscall);
    write_msr(MSR_SFMASK, 0xffffffff & ~RFLAGS_FIXED);
    write_port(0x21, 0xff); // both PICs: every line masked
    write_port(0xa1, 0xff);
    write_port(0x43, 0x30); // PIT: one shot that is never armed
    apic_quiet();
}

uint64_t machine_describe(char *text, uint64_t room) {
    struct text out = {.begin = text, .room = room};
    struct table_register seen_gdt, seen_idt;
    uint64_t cr0, cs, tr, msw;
    uint32_t eax, ebx, ecx, edx;
    __asm__ volatile("sgdt %0" : "=m"(seen_gdt));
    __asm__ volatile("sidt %0" : "=m"(seen_idt));
    __asm__ volatile("mov %%cr0, %0" : "=r"(cr0));
    __asm__ volatile("mov %%cs, %0" : "=r"(cs));
    __asm__ volatile("str %0" : "=r"(tr));
    __asm__ volatile("smsw %0" : "=r"(msw));
    text_word(&out, "cs", cs);
    text_word(&out, "tr", tr);
    text_word(&out, "tr_loaded", SELECTOR_TSS);
    text_word(&out, "cr0", cr0);
    text_word(&out, "msw", msw);
    text_word(&out, "gdt", seen_gdt.base);
    text_word(&out, "gdt_loaded", gdt_register.base);
    text_word(&out, "idt", seen_idt.base);
    text_word(&out, "idt_loaded", idt_register.base);
    __cpuid(1, eax, ebx, ecx, edx);
    if (ecx >> 31) {
        __cpuid(0x40000000, eax, ebx, ecx, edx);
        uint32_t signature[3] = {ebx, ecx, edx};
        text_put(&out, " hypervisor=");
        text_bytes(&out, (const char *)signature, sizeof signature);
    }
    return out.length;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// runner/guest/kernel: single privileged instructions, and the CPU and the few devices as every
// variant finds them.
#pragma once

#include <stdint.h>

static inline void write_cr3(uint64_t value) {
    __asm__ volatile("mov %0, %%cr3" : : "r"(value) : "memory");
}

static inline uint64_t read_cr2(void) {
    uint64_t value;
    __asm__ volatile("mov %%cr2, %0" : "=r"(value));
    return value;
}

static inline void write_port(uint16_t port, uint8_t value) {
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

// Writes `bytes` bytes to one port: a single instruction, so a hypervisor can take them at once.
static inline void write_port_bytes(uint16_t port, const void *data, uint64_t bytes) {
    __asm__ volatile("rep outsb" : "+S"(data), "+c"(bytes) : "d"(port) : "memory");
}

static inline uint64_t read_msr(uint32_t number) {
    uint32_t low, high;
    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(number));
    return (uint64_t)high << 32 | low;
}

static inline void write_msr(uint32_t number, uint64_t value) {
    __asm__ volatile("wrmsr" : : "c"(number), "a"((uint32_t)value), "d"((uint32_t)(value >> 32)));
}

// Builds GDT, TSS and IDT. Once.
void machine_init(void);

// Puts the CPU into the state every variant starts from: control registers, EFER and the MSRs of
// `syscall`, descriptor tables, segments, vector registers, debug registers off; PIC, PIT and the
// local APIC's own interrupts masked (only LINT1 stays open, as NMI: the host's deadman). Called
// before each variant, because the one before may have had CPL0.
void machine_settle(void);

// What the CPU says of itself, as `key=value` words for the boot record: cs, tr, cr0, the GDT and
// IDT that were loaded and those that SGDT and SIDT show, the hypervisor's CPUID signature. A
// kernel that really has CPL0 reads back what it loaded. `room` bytes at `text`; returns the
// length.
uint64_t machine_describe(char *text, uint64_t room);

// SPDX-License-Identifier: GPL-3.0-or-later
// runner/guest/kernel: names that kernel.ld and crossing.S define, for C.
#pragma once

#include <stdint.h>

// Borders of the image, page-aligned (kernel.ld).
extern const char kernel_text_begin[], gate_text_begin[], gate_text_end[], kernel_rodata_end[];
extern const char gate_tables_begin[], gate_tables_end[];
extern const char gate_writable_begin[], gate_writable_end[], kernel_end[];

// The gate's code and stacks (crossing.S); a guard is the unmapped page below a stack.
extern const char gate_vectors[], gate_syscall[];
extern const char gate_fault_stack_guard[], gate_fault_stack_top[];
extern const char gate_nmi_stack_guard[], gate_nmi_stack_top[];
extern const char gate_double_stack_guard[], gate_double_stack_top[];
extern const char gate_syscall_stack_guard[], gate_syscall_stack_top[];

// The gate's words: what it needs to come back, and the TSC at both crossings.
extern uint64_t gate_kernel_cr3, gate_variant_code, gate_variant_data;
extern uint64_t gate_entered_at, gate_left_at;

# SPDX-License-Identifier: GPL-3.0-or-later
# Takes the interrupt table away, then faults.
        .globl  _start
        .text
_start:
        push    $0
        push    $0
        lidt    (%rsp)
        ud2
        .section .note.GNU-stack, "", @progbits

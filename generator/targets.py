# SPDX-License-Identifier: GPL-3.0-or-later
"""What a loop is made for: a program of its own, or the kernel (engine bpf, docs/bpf.md)."""

from common.errors import known

TARGETS = ("x86", "bpf")
# Types of programs, as the section of their code is called.
PROGRAMS = ("syscall", "tc")
# What says how a process is set up, or where its loop lies: the kernel decides that itself.
_OF_A_PROCESS = ("needs", "counter", "memory", "pages", "syscalls", "excludes_chain", "iterations")


def of(file, keys, data):
    """The checked target of a family or of an inline loop."""
    target = data.get("target", TARGETS[0])
    if target not in TARGETS:
        raise file.error((*keys, "target"), f"no target '{target}'", known(target, TARGETS))
    wrong = [key for key in _OF_A_PROCESS if key in data]
    if target == "bpf" and wrong:
        raise file.error((*keys, wrong[0]), f"'{wrong[0]}' is for loops in a process",
                         'leave it out, or target = "bpf"')
    if target != "bpf" and "program" in data:
        raise file.error((*keys, "program"), "'program' is for programs of the kernel",
                         'leave it out, or write target = "bpf"')
    return target

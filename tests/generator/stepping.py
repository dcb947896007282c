# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a built variant one instruction at a time (ptrace(2)) and shows its registers.

A breakpoint brings it to loop_setup; only from there on it is stepped, so that the
flags in RBX, which the run-time saved before, have no TF of ours.
"""

import ctypes
import os
import signal
import subprocess

_TRACEME, _PEEKTEXT, _POKETEXT, _POKEUSER, _CONT, _SINGLESTEP, _GETREGS = 0, 1, 4, 6, 7, 9, 12
_INT3 = 0xcc
TF = 0x100


class Registers(ctypes.Structure):
    """struct user_regs_struct of <sys/user.h>."""
    _fields_ = [(name, ctypes.c_uint64) for name in (
        "r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9", "r8", "rax", "rcx", "rdx",
        "rsi", "rdi", "orig_rax", "rip", "cs", "eflags", "rsp", "ss", "fs_base", "gs_base", "ds",
        "es", "fs", "gs")]


_ptrace = ctypes.CDLL(None, use_errno=True).ptrace
_ptrace.restype = ctypes.c_long
_ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def _call(request, pid, address=None, data=None):
    ctypes.set_errno(0)
    value = _ptrace(request, pid, address, data)
    if value == -1 and ctypes.get_errno():
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return value


def symbols(path):
    """{name: address} of a binary."""
    lines = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
    return {name: int(address, 16) for address, _, name in map(str.split, lines.splitlines())}


def loop_bytes(path):
    """(address, bytes) from loop_begin to loop_end."""
    at = symbols(path)
    done = subprocess.run(["objcopy", "-O", "binary", "--only-section=.loop", path, "/dev/stdout"],
                          capture_output=True, check=True)
    first = at["loop_begin"] - at["loop_setup"]
    return at["loop_begin"], done.stdout[first:first + at["loop_end"] - at["loop_begin"]]


def _stopped(pid):
    _, status = os.waitpid(pid, 0)
    if not os.WIFSTOPPED(status) or os.WSTOPSIG(status) != signal.SIGTRAP:
        raise AssertionError(f"it ended or was stopped otherwise: wait status {status:#x}")


def _start(path, iterations):
    pid = os.fork()
    if pid == 0:
        try:
            _call(_TRACEME, 0)
            os.execv(path, [path, str(iterations)])
        finally:
            os._exit(127)
    return pid


def _run_to(pid, address, registers):
    word = _call(_PEEKTEXT, pid, address) & (2**64 - 1)
    _call(_POKETEXT, pid, address, word & ~0xff | _INT3)
    _call(_CONT, pid)
    _stopped(pid)
    _call(_POKETEXT, pid, address, word)
    _call(_GETREGS, pid, None, ctypes.addressof(registers))
    assert registers.rip == address + 1
    # PTRACE_SETREGS would be refused: GS holds the selector by which the run-time sees interrupts.
    _call(_POKEUSER, pid, Registers.rip.offset, address)
    registers.rip = address


def steps(path, iterations):
    """Registers before each instruction from loop_setup to the end of teardown; the same
    object each time."""
    at = symbols(path)
    registers = Registers()
    pid = _start(path, iterations)
    try:
        _stopped(pid)
        _run_to(pid, at["loop_setup"], registers)
        while registers.rip != at["loop_teardown_end"]:
            yield registers
            _call(_SINGLESTEP, pid)
            _stopped(pid)
            _call(_GETREGS, pid, None, ctypes.addressof(registers))
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)

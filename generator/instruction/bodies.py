# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops that show a unit's reciprocal throughput or a latency: what stands in setup, body and
teardown.

Throughput: copies whose results lie in as many registers as there are, so that none waits for
another; operands in memory walk within one line. Latency from an input to an output: the output of
a copy is the input of the next, directly where the registers can be the same, else by a way back.

R14 points to initialised memory, R15 counts, RSP is the stack.
"""

import math
import re
from dataclasses import dataclass

from generator.instruction import registers
from generator.instruction.registers import spell as reg
from generator.instruction.setup import Values

_INSTRUCTIONS = 96  # about so many in an iteration
RING = 4           # registers that a chain goes around, where it can
_LINE = 64
FLAGS = ("cf", "zf", "sf", "of", "pf")  # in the order of preference
_RESERVED = {"gpr": (registers.RSP, registers.MEMORY, registers.COUNTER), "mask": (0,)}
_COUNTS = {"gpr": 16, "vec": 16, "mask": 8, "mmx": 8}


class NoLoop(Exception):
    """Why this question has no loop."""


@dataclass
class Body:
    """One loop. lines are (text, intel); copies of the unit, or of the way back alone."""
    setup: list
    lines: list
    teardown: list
    copies: int
    pure: bool = True   # nothing but copies of the unit
    how: str = ""

    def text(self):
        return joined(self.lines)


def joined(lines):
    """Lines of a body, in the syntax of each; it begins and ends in AT&T's."""
    found, now = [], False
    for text, intel in [*lines, ("", False)]:
        if intel != now:
            found.append(".intel_syntax noprefix" if intel else ".att_syntax prefix")
            now = intel
        if text:
            found.append(text)
    return "\n".join("        " + line for line in found)


class Registers:
    """Which registers of each kind are free beside those that a unit's opcodes name."""

    def __init__(self, unit):
        high = registers.high(unit.text, unit.intel)
        self.free = {kind: [n for n in range(count) if n not in _RESERVED.get(kind, ()) and
                            not any(slot.key == (kind, n) and (slot.fixed or high)
                                    for slot in unit.slots.values())]
                     for kind, count in _COUNTS.items()}

    def last(self, kind):
        """A register for a helper or a constant."""
        if not self.free[kind]:
            raise NoLoop("there are not enough registers")
        return self.free[kind].pop()

    def first(self, kind, count):
        if len(self.free[kind]) < count:
            raise NoLoop("there are not enough registers")
        taken, self.free[kind] = self.free[kind][:count], self.free[kind][count:]
        return taken


@dataclass
class Maker:
    """What the loops of one unit have in common."""
    unit: object
    init: str = ""      # the user's own setup, in the unit's syntax
    unroll: int = 0     # 0: chosen here
    memory: tuple = None  # (bytes, "" or "random") that loads go through; None: one page

    def begin(self):
        self.registers = Registers(self.unit)
        self.values = Values(self.unit, self.init, self.memory)
        self.numbers = {}
        if self.stack:
            self.values.saved_rsp = self.registers.last("gpr")
        for slot in self.unit.slots.values():
            if slot.fixed and slot.kind != "other" and slot.number != registers.RSP:
                self.numbers[slot.key] = slot.number
                self.values.give(slot.key, slot.number)

    def constant(self, slot):
        """The register of a slot that no loop writes. An address alone is R14 or an index of 0."""
        if slot.kind == "gpr" and slot.base and not (slot.read or slot.index or self.init):
            self.numbers[slot.key] = registers.MEMORY
            return
        self.numbers[slot.key] = number = self.registers.last(slot.kind)
        self.values.give(slot.key, number)

    def helper(self, kind, value):
        number = self.registers.last(kind)
        self.values.set(kind, number, value)
        return number

    def copies(self, instructions, multiple):
        wanted = self.unroll or self.unit.rules.get("copies") or \
            max(_INSTRUCTIONS // instructions, 8)
        return math.ceil(wanted / multiple) * multiple

    def body(self, lines, copies, pure, how):
        values = self.values
        before, after = values.stack() if self.stack else ([], [])
        if self.stack:
            lines = [*lines, (f"mov %{registers.spell('gpr', values.saved_rsp, '64')}, %rsp",
                              False)]
        return Body(values.setup() + before, lines, after + values.teardown(), copies,
                    pure and not self.stack, how)

    @property
    def stack(self):
        """Whether RSP moves."""
        slot = self.unit.slots.get(("gpr", registers.RSP))
        return bool(slot and slot.written)

    def movable(self):
        """Slots for which other registers can stand."""
        return [slot for slot in self.unit.slots.values() if not slot.fixed]

    def kept(self):
        """Fixed slots that are read and written: each copy would wait for the one before."""
        return [slot for slot in self.unit.slots.values()
                if slot.fixed and slot.kind in ("gpr", "vec") and slot.written and
                slot.number != registers.RSP and slot.input]

    def reset(self, slots):
        """Lines that give fixed slots the values that they began with, whatever they have."""
        return [self.moved(slot.key, self.saved(slot), slot.number) for slot in slots]

    def saved(self, slot):
        """A register that keeps the value with which a slot begins."""
        number = self.registers.last(slot.kind)
        self.values.give(slot.key, number)
        return number

    def moved(self, key, start, to):
        """The line that moves one register of a slot's kind to another."""
        if key[0] == "gpr":
            return f"mov %{reg('gpr', start)}, %{reg('gpr', to)}", False
        if key[0] != "vec":
            raise NoLoop(f"no register of the kind {key[0]} is put back")
        form = "xmm" if self.unit.legacy else self.unit.vector
        name = "vmovdqa64" if form == "zmm" else "movaps" if self.unit.legacy else "vmovaps"
        return f"{name} %{reg('vec', start, form)}, %{reg('vec', to, form)}", False


def throughput(maker, independent=False):
    """Copies side by side. independent: what an opcode itself carries from one copy to the next,
    in registers or flags, is cut in front of each. None where there is nothing to cut."""
    maker.begin()
    unit, cut = maker.unit, []
    kept, flags = maker.kept(), set(unit.flags_read) & set(unit.flags_written)
    if independent:
        if not kept and not flags:
            return None
        cut = maker.reset(kept)
        if flags:
            cut.append(("test %esp, %esp", False))
    elif unit.rules.get("puts_back") and kept or any(slot.base or slot.index for slot in kept):
        return None  # a value that wanders off, or an address that runs away
    if any(slot.kind == "other" and slot.read and slot.written for slot in unit.slots.values()):
        raise NoLoop("each copy waits for the one before: no other register can stand there")
    written = [slot for slot in maker.movable() if slot.written]
    for slot in maker.movable():
        if not slot.written:
            maker.constant(slot)
    own = {slot.key: maker.saved(slot) for slot in written
           if slot.read and unit.rules.get("puts_back")}
    kinds = [slot.kind for slot in written]
    share = {kind: len(maker.registers.free[kind]) // kinds.count(kind) for kind in set(kinds)}
    count = min(share.values(), default=1)
    if count < 1:
        raise NoLoop("there are not enough registers")
    rings = {slot.key: maker.registers.first(slot.kind, count) for slot in written}
    for slot in written:
        for number in rings[slot.key]:
            maker.values.give(slot.key, number)
    copies = maker.copies(len(unit.instructions) + len(cut) + len(own), count)
    lines = []
    for k in range(copies):
        numbers = {**maker.numbers, **{key: ring[k % count] for key, ring in rings.items()}}
        lines += [*cut, *(maker.moved(key, own[key], numbers[key]) for key in own),
                  (unit.rendered(numbers, walked(unit, k)), unit.intel)]
    how = f"copies through {count} registers" if written else "copies"
    if cut:
        how += "; in front of each: " + "; ".join(line for line, _ in cut)
    if own:
        how += "; each gets its first value again"
    return maker.body(lines, copies, not cut and not own, how)


def walked(unit, copy):
    """Bytes from the first copy's memory to that of another: each its own width further within a
    line. What is read and written goes through some lines: a line's own operands would wait for
    one another."""
    widths = [op["bits"] // 8 for op in unit.memory if not op["fixed"]]
    widest = max(widths, default=0)
    if not 0 < widest < _LINE or len(unit.instructions) > 1:
        return 0
    lines = 4 if any(op["read"] and op["written"] for op in unit.memory) else 1
    return copy * widest % (lines * _LINE)


def pairs(unit):
    """(from, to) of all latencies to ask: names of registers, flags, or memory."""
    inputs = [slot.key for slot in unit.slots.values() if slot.input and _askable(slot)]
    outputs = [slot.key for slot in unit.slots.values() if slot.written and _askable(slot)]
    reads = [flag for flag in FLAGS if flag in unit.flags_read][:1]
    writes = [flag for flag in FLAGS if flag in unit.flags_written][:1]
    both = [flag for flag in FLAGS if flag in unit.flags_read and flag in unit.flags_written][:1]
    found = [(i, o) for i in inputs for o in outputs]
    found += [(i, ("flag", flag)) for i in inputs for flag in writes if
              not _only_address(unit, i)]
    found += [(("flag", flag), o) for flag in reads for o in outputs]
    found += [(("flag", flag), ("flag", flag)) for flag in both]
    if updates_memory(unit):
        found.append((("memory", ""), ("memory", "")))
    if any(op["written"] and not op["fixed"] for op in unit.memory):
        found += [(i, ("memory", "")) for i in inputs if not _only_address(unit, i)]
    return found


def updates_memory(unit):
    """Does it read and write one operand in memory?"""
    return any(op["read"] and op["written"] and not op["fixed"] for op in unit.memory)


def _only_address(unit, key):
    return not unit.slots[key].read


def _askable(slot):
    return slot.key != ("gpr", registers.RSP) and \
        (slot.kind != "other" or re.fullmatch(r"st\d", str(slot.number)))

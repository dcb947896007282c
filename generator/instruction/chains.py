# SPDX-License-Identifier: GPL-3.0-or-later
"""Latency: from one input of a unit to one output.

Where both can be the same register the copies are a chain. Else each copy is followed by a way
back, an instruction or two from the output to the input. Where that has a chain of its own, its
cost is subtracted; else only the sum of both is known: the round trip.

Each chain comes with a second one, in which every copy has two links more: if that takes hardly
longer, the output does not wait for this input, whatever the decoder says.
"""

import re
from dataclasses import dataclass

from generator.instruction import bodies, rules
from generator.instruction.bodies import NoLoop, RING
from generator.instruction.registers import spell as reg

LINKS = 2  # put into each copy to see whether it is a chain: more cycles than their throughput
_FIELD = re.compile(r"\{(\w)(32)?\}")


@dataclass
class Way:
    """From the output back to the input: lines with fields, those of its own chain, and whether
    the output is the input already."""
    path: tuple = ()
    own: tuple = None
    kind: str = ""       # of the register where the chain goes through: the input's
    direct: bool = False


def way_of(unit, source, target):
    """How copies become a chain; NoLoop where there is no way."""
    put_back = _put_back(unit, source)
    if source == target:
        if source[0] == "flag" and source[1] != "cf":
            raise NoLoop(f"the loop's own dec writes {source[1]}")
        if source[0] in ("flag", "memory"):
            return Way(direct=True)
        slot = unit.slots[source]
        if (slot.base or slot.index) and not _loads_address(unit):
            raise NoLoop("what it writes is the address that it reads")
        return Way(put_back, put_back, slot.kind) if put_back else Way(direct=True)
    if _joins(unit, source, target):
        return Way(direct=True)
    to = "flags" if source[0] == "flag" else unit.slots[source].kind
    if to in ("gpr", "vec") and not unit.slots[source].read:
        to = "address" if to == "gpr" else "indices"
    start = target[1] if target[0] == "flag" else target[0]
    path, own = _path(unit, start, to)
    return Way((*path, *put_back), own and (*own, *put_back), to)


def _loads_address(unit):
    return bool(unit.rules.get("loads_address")) and len(unit.instructions) == 1 and \
        any(op["read"] and op["bits"] == 64 and not op["fixed"] for op in unit.memory)


def _joins(unit, source, target):
    """Can one copy's output simply be the next one's input?"""
    if "flag" in (source[0], target[0]) or "memory" in (source[0], target[0]):
        return False
    one, other = unit.slots[source], unit.slots[target]
    if one.fixed or other.fixed or one.kind != other.kind or unit.rules.get("puts_back"):
        return False
    return one.read and not one.base and not one.index or \
        one.base and not one.read and one.kind == "gpr" and _loads_address(unit)


def _put_back(unit, source):
    if not unit.rules.get("puts_back") or source[0] not in ("gpr", "vec"):
        return ()
    lines = rules.table()["put_back"][_name(unit, source[0])]
    return tuple(lines.split(" ; "))


def _name(unit, kind):
    return "vex" if kind == "vec" and not unit.legacy else kind


def _path(unit, start, to):
    """(lines, lines of the own chain or None) from a kind to another, over a general register if
    there is no other way."""
    if start == "memory":
        return ("load",), None
    found = _one_way(unit, start, to)
    if found:
        return found
    first, second = _one_way(unit, start, "gpr"), _one_way(unit, "gpr", to)
    if not first or not second:
        raise NoLoop(f"no way leads back from {start} to {to}")
    return tuple(line.replace("{t", "{h") for line in first[0]) + \
        tuple(line.replace("{f", "{h") for line in second[0]), None


def _one_way(unit, start, to):
    for way in rules.table()["way"]:
        if (way["from"], way["to"]) == (start, to):
            prefix = "vex_" if not unit.legacy and "vex_path" in way else ""
            path, own = way[prefix + "path"], way.get(prefix + "own")
            return tuple(path.split(" ; ")), own and tuple(own.split(" ; "))
    return None


_SHOWN = {"%{f}": "OUT", "%{f32}": "OUT", "%{t}": "IN", "%{t32}": "IN", "%{z}": "0",
          "%{v}": "VALUE", "%{c}": "CONSTANT", "%{h}": "R", "%{h32}": "R"}


class Build:
    """One loop of a latency."""

    def __init__(self, maker, source, target):
        self.maker, self.unit, self.source, self.target = maker, maker.unit, source, target
        self.way = way_of(maker.unit, source, target)
        self.helpers = {}
        # Operands in memory that are no part of the chain must not be a chain of their own.
        self.walks = bodies.updates_memory(maker.unit) and source[0] != "memory"

    def chain(self, link=False):
        """The Body of the chain; link: with LINKS more in each copy. None where no link of its
        kind is known."""
        self._assign()
        copies = self.maker.copies(len(self.unit.instructions) + len(self.way.path), self.around)
        extra = self._link() if link else ""
        if extra is None:
            return None
        resets = self.maker.reset([slot for slot in self.maker.kept() if
                                   slot.key != self.source])
        lines = []
        for k in range(copies):
            numbers = {key: ring[k % len(ring)] for key, ring in self.rings.items()}
            if self.moving:
                numbers[self.source] = self.ring[k % self.around]
                numbers[self.target] = self.ring[(k + 1) % self.around]
            before = {key: ring[(k - 1) % len(ring)] for key, ring in self.rings.items()}
            numbers = {**self.maker.numbers, **numbers}
            self.before = {**self.maker.numbers, **before}.get(self.target)
            self.displacement = bodies.walked(self.unit, k) if self.walks else 0
            lines += [(line, intel) for line, intel in self._copy(numbers, resets, extra) if line]
        pure = not (self.way.path or resets or extra)
        if self.maker.memory and self.maker.values.chase is None:
            raise NoLoop("memory of a size is for loads whose result is the next address, as "
                         "mov (%rax), %rbx")
        return self.maker.body(lines, copies, pure, self._how())

    def back(self):
        """The Body of the way back as a chain of its own; None where it is none."""
        if not self.way.own:
            return None
        self._assign()
        copies = self.maker.copies(len(self.unit.instructions) + len(self.way.path), 1)
        number = self.maker.numbers.get(self.source)
        lines = [(self._filled(line, None, number), False) for line in self.way.own] * copies
        return self.maker.body(lines, copies, False, "; ".join(text for text, _ in
                                                               lines[:len(self.way.own)]))

    def _copy(self, numbers, resets, extra):
        """Lines of one copy. A way to flags stands in front of it, from the copy before: between
        iterations the chain must be in a register, because dec writes flags."""
        to, start = numbers.get(self.source), numbers.get(self.target)
        ahead = self.source[0] == "flag" and self.target[0] != "flag"
        link = [(self._filled(extra, start, start if ahead else to), False)] * LINKS
        way = [self._load(numbers, to) if line == "load" else
               (self._filled(line, self.before if ahead else start, to), False)
               for line in self.way.path]
        copy = [*resets, (self.unit.rendered(numbers, self.displacement), self.unit.intel)]
        link = link if extra else []
        return [*way, *copy, *link] if ahead else [*link, *copy, *way]

    def _assign(self):
        """Registers of all slots: those of the chain, rings of what else is written, constants."""
        maker, self.rings, self.helpers = self.maker, {}, {}
        maker.begin()
        movable = maker.movable()
        ends = [slot for slot in movable if slot.key in (self.source, self.target)]
        self.moving = self.way.direct and len(ends) == 2
        self.around = 1
        if self.moving:
            self.around = RING
            self.ring = maker.registers.first(ends[0].kind, RING)
            for number in self.ring:
                maker.values.give(self.source, number)
            maker.values.ring = bool(self.unit.slots[self.source].base)
            maker.values.chase = self.ring[0] if maker.values.ring and maker.memory else None
            ends = []
        for slot in ends:
            self._around(slot, 1 if slot.key == self.source else RING - 1)
        if self.source == self.target and self.way.direct and self.source[0] == "gpr":
            maker.values.ring = self.unit.slots[self.source].base
        for slot in movable:
            if slot.key not in (self.source, self.target):
                if slot.written:
                    self._around(slot, RING - 1)
                else:
                    maker.constant(slot)

    def _around(self, slot, count):
        numbers = self.maker.registers.first(slot.kind, count)
        for number in numbers:
            self.maker.values.give(slot.key, number)
        if count == 1:
            self.maker.numbers[slot.key] = numbers[0]
        else:
            self.rings[slot.key] = numbers
            self.around = max(self.around, count)

    def _link(self):
        """A link of the chain's kind, with fields; None where there is none."""
        at = self.target if self.source[0] == "flag" else self.source
        if at[0] == "memory":
            return None
        kind = at[1] if at[0] == "flag" else _name(self.unit, at[0])
        link = rules.table()["link"].get(kind)
        return link and link.replace("{r}", "{t}")

    def _filled(self, line, start, to):
        """The line with registers in its fields."""
        source = self.unit.slots.get(self.source)
        kind_to = source.kind if source else "gpr"
        kind_from = self.target[0] if self.target[0] in ("gpr", "vec", "mask", "mmx") else kind_to
        if not source and self.target[0] != "flag":
            kind_to = kind_from

        def field(match):
            letter, short = match.groups()
            if letter in "tf":
                kind, number = (kind_to, to) if letter == "t" else (kind_from, start)
            else:
                kind, number = ("gpr" if letter == "h" else kind_to), self._helper(letter, kind_to)
            form = "32" if short else self.unit.vector if kind == "vec" and \
                not self.unit.legacy and not line.startswith(("vmovq", "vmovd")) else None
            return reg(kind, number, form)
        return _FIELD.sub(field, line)

    def _helper(self, letter, kind):
        """A register that holds {z} zero, {c} a constant, {v} the source's value, {h} anything."""
        if letter == "h":
            kind = "gpr"
        if (letter, kind) not in self.helpers:
            if letter == "v":
                number = self.maker.registers.last(kind)
                self.maker.values.give(self.source, number)
            else:
                number = self.maker.helper(kind, 0 if letter == "z" else 1)
            self.helpers[letter, kind] = number
        return self.helpers[letter, kind]

    def _load(self, numbers, to):
        """From the memory that the unit wrote to the source's register."""
        operand = next(op for op in self.unit.memory if op["written"] and not op["fixed"])
        slot, place = self.unit.slots[self.source], \
            self.unit.memory_text(numbers, self.displacement)
        if slot.kind == "gpr":
            by_bits = {64: ("mov", "64"), 32: ("mov", "32"), 16: ("movzx", "32"),
                       8: ("movzx", "32")}
            name, form = by_bits.get(operand["bits"], ("mov", "64"))
        else:
            form = {"vec": self.unit.vector, "mask": "k", "mmx": "mm"}[slot.kind]
            name = {"mask": "kmovw", "mmx": "movq"}.get(slot.kind) or \
                _vector_load(operand["bits"], self.unit.legacy)
            form = "xmm" if operand["bits"] < 256 and slot.kind == "vec" else form
        register = reg(slot.kind, to, form)
        if self.unit.intel:
            size = {8: "byte ptr ", 16: "word ptr "}.get(operand["bits"], "") \
                if slot.kind == "gpr" else ""
            return f"{name} {register}, {size}{place}", True
        name = {("movzx", 16): "movzwl", ("movzx", 8): "movzbl"}.get((name, operand["bits"]), name)
        return f"{name} {place}, %{register}", False

    def _how(self):
        if self.maker.memory and self.way.direct:
            size, order = self.maker.memory
            return f"{order or 'sequential'} ring of {size // 64} lines"
        if self.way.direct:
            return "chain"
        path = "; ".join("a load" if line == "load" else line for line in self.way.path)
        for name, text in _SHOWN.items():
            path = path.replace(name, text)
        return f"through {path}" + (", whose cost is subtracted" if self.way.own else
                                    ": the round trip")


def _vector_load(bits, legacy):
    name = {32: "movd", 64: "movq"}.get(bits, "movups")
    return name if legacy else "v" + name

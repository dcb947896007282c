# SPDX-License-Identifier: GPL-3.0-or-later
"""A unit: what is asked for, one instruction or a few, and which registers, flags and memory it
reads and writes.

A slot is a register of the text with all its widths. What is read before it is written is an
input; what is written an output; a slot may be both. A slot that the opcode names itself (RAX of
MUL, CL of a shift) is fixed: no other register can stand for it.
"""

import re
from dataclasses import dataclass, field

from generator.instruction import registers, rules
from generator.instruction.decode import decode

# An operand in memory: a segment or *, a displacement, and the registers.
_ATT_MEMORY = re.compile(r"((?:^|[\s,*])(?:%[a-z]s:)?)([^\s,()%*]*)(\((?!%rip)[^()]*%[^()]*\))")
_INTEL_MEMORY = re.compile(r"(\[)([^\[\]]*)(\])")
_WITH, _WITHOUT = "\x01", "\x02"  # where a displacement is added: to one that stands there, or none


@dataclass
class Slot:
    kind: str        # gpr, vec, mask, mmx, or other
    number: object   # of the register in the text; a name where the kind is other
    fixed: bool = False
    read: bool = False     # as data, before it is written
    written: bool = False
    base: bool = False     # of an address
    index: bool = False

    @property
    def key(self):
        return self.kind, self.number

    @property
    def input(self):
        return self.read or self.base or self.index

    @property
    def name(self):
        return str(self.number) if self.kind == "other" else registers.spell(self.kind, self.number)


@dataclass
class Unit:
    text: str
    intel: bool
    instructions: list
    slots: dict = field(default_factory=dict)  # {(kind, number): Slot} in order of appearance
    flags_read: list = field(default_factory=list)
    flags_written: list = field(default_factory=list)
    memory: list = field(default_factory=list)  # operands in memory, without addresses of LEA
    rules: dict = field(default_factory=dict)

    @property
    def mnemonics(self):
        return [row["mnemonic"] for row in self.instructions]

    @property
    def vector(self):
        """The form of its widest vector register; None without."""
        bits = [op["bits"] for op in self.operands() if registers.whole(op.get("whole", ""))[0] ==
                "vec"]
        widest = [match[1][:3] for match in registers.tokens(self.text, self.intel)
                  if match[1][1:3] == "mm"]
        return max(widest, default="xmm" if bits else None)

    @property
    def legacy(self):
        """Whether its vector instructions are without VEX."""
        return all(row["encoding"] in ("legacy", "3dnow") for row in self.instructions)

    def operands(self):
        return [op for row in self.instructions for op in row["operands"]]

    def rendered(self, numbers, displacement=0):
        """The text with slot `key` in register numbers[key], its memory `displacement` further."""
        text = registers.replaced(self.marked, self.intel, lambda kind, number:
                                  numbers.get((kind, number), number))
        text = text.replace(_WITH, f"{displacement}+" if displacement else "")
        return text.replace(_WITHOUT, _bare(displacement, self.intel))

    def memory_text(self, numbers, displacement=0):
        """Its operand in memory, as it stands in rendered(numbers, displacement)."""
        text = self.rendered(numbers, displacement)
        found = (_INTEL_MEMORY if self.intel else _ATT_MEMORY).search(text)
        return found[0].strip(" ,*") if found else text.rpartition(",")[2].strip()

    @property
    def marked(self):
        if self.intel:
            return _INTEL_MEMORY.sub(lambda m: m[0] if "rip" in m[2] else
                                     f"{m[1]}{_WITH}{m[2]}{m[3]}", self.text)
        return _ATT_MEMORY.sub(lambda m: m[1] + (_WITH if m[2] else _WITHOUT) + m[2] + m[3],
                               self.text)


def _bare(displacement, intel):
    return f"{displacement}" if displacement and not intel else ""


def read(texts):
    """For each (text, intel) a Unit, or a text that says why there is none."""
    texts = [(" ; ".join(part.strip() for part in re.split(r"[;\n]", text) if part.strip()),
              intel) for text, intel in texts]
    found = [_unit(*text, rows) for text, rows in zip(texts, decode(texts))]
    _free(found)
    return found


def _unit(text, intel, rows):
    if isinstance(rows, str):
        return rows
    if any("bad" in row for row in rows):
        return "Zydis does not know it"
    unit = Unit(text, intel, rows)
    named = {registers.NAMES[match[1]][:2] for match in registers.tokens(text, intel)}
    high = registers.high(text, intel)
    for row in rows:
        rules.correct(row)
        _take(unit, row)
    for slot in unit.slots.values():
        slot.fixed |= slot.key not in named or (high and slot.kind == "gpr")
    unit.rules = rules.of(unit.mnemonics)
    return unit


def _take(unit, row):
    """Add what one instruction does; its reads come before its writes."""
    written = {slot.key for slot in unit.slots.values() if slot.written}
    for op in row["operands"]:
        if op["kind"] == "memory":
            for part in ("base", "index"):
                if op[part]:
                    slot = _slot(unit, op[part], op["fixed"])
                    if slot.key not in written:  # LEA computes with what it reads
                        setattr(slot, "read" if op["address_only"] else part, True)
            if not op["address_only"]:
                unit.memory.append(op)
        elif op["kind"] == "register" and op["whole"] not in ("rflags", "rip"):
            slot = _slot(unit, op["whole"], op["fixed"])
            slot.read |= op["read"] and slot.key not in written
    for op in row["operands"]:
        if op["kind"] == "register" and op["written"] and op["whole"] not in ("rflags", "rip"):
            _slot(unit, op["whole"], op["fixed"]).written = True
    unit.flags_read += [flag for flag in row["flags_read"] if flag not in unit.flags_read and
                        flag not in unit.flags_written]
    unit.flags_written += [flag for flag in row["flags_written"]
                           if flag not in unit.flags_written]


def _slot(unit, name, fixed):
    kind, number = registers.whole(name)
    slot = unit.slots.setdefault((kind, number), Slot(kind, number))
    slot.fixed |= fixed
    return slot


def _free(units):
    """A register that stands in the text and in the opcode, too, may be one of a shorter encoding
    (add $1000, %eax) or the only one that can stand there (shl %cl, %eax): the assembler tells."""
    asked = []
    for unit in units:
        if isinstance(unit, str) or registers.high(unit.text, unit.intel):
            continue
        for slot in unit.slots.values():
            hidden = any(not op["shown"] for op in unit.operands() if op["kind"] == "register" and
                         registers.whole(op["whole"]) == slot.key)
            if slot.fixed and slot.kind in ("gpr", "vec") and not hidden and \
                    any(registers.NAMES[m[1]][:2] == slot.key
                        for m in registers.tokens(unit.text, unit.intel)):
                other = next(n for n in (3, 1, 2, 6) if (slot.kind, n) not in unit.slots)
                asked.append((unit, slot, unit.rendered({slot.key: other})))
    for (unit, slot, _), rows in zip(asked, decode([(t, u.intel) for u, _, t in asked])):
        if not isinstance(rows, str) and [r.get("mnemonic") for r in rows] == unit.mnemonics:
            slot.fixed = False

# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that registers and memory have before a loop: setup and teardown.

R14 points to a page whose numbers are normal ones, as double, float or half. Registers hold the
same, general ones a number, addresses R14, indices 0. A user's own setup comes after that, in the
registers that the user named; what it leaves there goes to all that stand for them in the loop.
"""

from generator.instruction import registers

PATTERN = 0x3ff83fc03fc03c00  # 1.5 as a double, 1.5 and 1.9 as floats
NUMBER = 0x3456789abcde05f3
_SAVED = 3072                 # in the page: what a user's setup left
_STACK = 8192                 # bytes that a body may move RSP by, either way
_RING_LINES = 32
_FACTOR = 0x5851f42d4c957f2d  # Knuth's; 1 modulo 4, so that a power of two of lines is one ring


class Values:
    """What registers hold: give() the value of a slot of the unit, set() one of ours."""

    def __init__(self, unit, init, memory=None):
        self.unit, self.init, self.memory = unit, init, memory
        self.given = {}  # {(kind, number): slot's key}
        self.own = {}    # {(kind, number): a number, or "memory"}
        self.ring = False
        self.chase = None  # the register that goes around a ring in memory of its own
        self.saved_rsp = None

    def give(self, key, number):
        self.given[key[0], number] = key

    def set(self, kind, number, value):
        self.own[kind, number] = value

    def setup(self):
        lines = self._chased() if self.chase is not None else \
            ["mov $scratch, %r14d", *self._fill()]
        if self.init:
            lines += self._as_the_user_says()
        else:
            lines += [line for (kind, number), key in self.given.items()
                      for line in self._load(kind, number, self._value(key))]
        lines += [line for (kind, number), value in self.own.items()
                  for line in self._load(kind, number, value)]
        if self.chase is not None:
            lines.append(f"mov chase_position, %{registers.spell('gpr', self.chase, '64')}")
        if any(slot.kind == "other" and str(slot.number).startswith("st")
               for slot in self.unit.slots.values()):
            lines += ["fninit", *["fldl (%r14)"] * 4]
        return lines

    def teardown(self):
        kinds = {kind for kind, _ in self.given}
        lines = []
        if self.chase is not None:
            lines.append(f"mov %{registers.spell('gpr', self.chase, '64')}, chase_position")
        if "mmx" in kinds or any(str(slot.number).startswith("st")
                                 for slot in self.unit.slots.values()):
            lines.append("fninit")
        if not self.unit.legacy and self.unit.vector in ("ymm", "zmm"):
            lines.append("vzeroupper")
        return lines

    def stack(self):
        """Lines behind setup and in front of teardown where RSP moves."""
        name = registers.spell("gpr", self.saved_rsp, "64")
        return ([f"lea -{_STACK}(%rsp), %{name}", f"mov %{name}, %rsp"],
                [f"lea {_STACK}(%{name}), %rsp"])

    def _fill(self):
        lines = ["mov %r14, %rdi", "mov $512, %ecx", f"movabs ${PATTERN:#x}, %rax", "rep stosq"]
        if self.ring:  # every word of a line is the address of the next line
            lines += ["mov %r14, %rdi", "xor %edx, %edx",
                      "1: lea 1(%rdx), %eax", f"and ${_RING_LINES - 1}, %eax", "shl $6, %eax",
                      "add %r14, %rax", "mov $8, %ecx", "rep stosq", "inc %edx",
                      f"cmp ${_SAVED // 64}, %edx", "jb 1b"]
        return lines

    def _chased(self):
        """A ring through all lines of memory of its own, made in the first run; where a run ends
        the next one goes on. At random: a linear congruence, which reaches each line once."""
        size, order = self.memory
        count = size // 64
        step = ["imul %rsi, %rax", "inc %rax"] if order == "random" else ["inc %rax"]
        return ['.pushsection .loopdata, "aw", @nobits', ".balign 4096", f"chase: .skip {size}",
                "chase_position: .skip 64", ".popsection", "mov $chase, %r14d",
                "cmpq $0, chase_position", "jne 2f", "mov %r14, chase_position",
                f"movabs ${_FACTOR:#x}, %rsi", "xor %edx, %edx", "1: mov %rdx, %rax", *step,
                f"and ${count - 1}, %rax", "shl $6, %rax", "add %r14, %rax", "mov %rdx, %rdi",
                "shl $6, %rdi", "mov %rax, (%r14,%rdi)", "inc %rdx", f"cmp ${count}, %rdx",
                "jb 1b", "2:"]

    def _value(self, key):
        slot = self.unit.slots[key]
        rules = self.unit.rules
        if slot.base and slot.kind == "gpr":
            return "memory"
        if slot.index:
            return 0
        if slot.kind == "gpr":
            return rules.get("values", {}).get(slot.name, rules.get("value", NUMBER))
        return "pattern"

    def _load(self, kind, number, value):
        if kind == "gpr":
            name = registers.spell("gpr", number, "64")
            if value == "memory":
                return [f"mov %r14, %{name}"]
            if value == "pattern":
                value = PATTERN
            return [f"xor %{registers.spell('gpr', number, '32')}, "
                    f"%{registers.spell('gpr', number, '32')}"] if value == 0 else \
                [f"movabs ${value:#x}, %{name}"]
        if kind == "mask":
            return [f"kxnorw %k{number}, %k{number}, %k{number}"]
        if kind == "mmx":
            return [f"pxor %mm{number}, %mm{number}" if value == 0 else f"movq (%r14), %mm{number}"]
        return [self._move(number, 0 if value == 0 else None)]

    def _move(self, number, zero, place="(%r14)"):
        """One vector register from memory, or 0, at the width that the unit has."""
        form = self.unit.vector or "xmm"
        if zero == 0:
            if self.unit.legacy:
                return f"pxor %xmm{number}, %xmm{number}"
            return (f"vpxor %xmm{number}, %xmm{number}, %xmm{number}" if number < 16 else
                    f"vpxord %zmm{number}, %zmm{number}, %zmm{number}")
        if self.unit.legacy:
            return f"movups {place}, %xmm{number}"
        return f"vmovups {place}, %{form}{number}"

    def _as_the_user_says(self):
        """The user's registers get their values, then the user's text, then all that stands for
        them gets what is there: by memory, because they may be one another's."""
        slots = [slot for slot in self.unit.slots.values() if slot.kind != "other" and
                 slot.key != ("gpr", registers.RSP)]
        lines = [line for slot in slots
                 for line in self._load(slot.kind, slot.number, self._value(slot.key))]
        if self.unit.intel:
            lines += [".intel_syntax noprefix", self.init, ".att_syntax prefix"]
        else:
            lines.append(self.init)
        lines.append("mov $scratch, %r14d")
        places = {}
        for at, slot in enumerate(slots):
            places[slot.key] = f"{_SAVED + 64 * at}(%r14)"
            lines.append(self._store(slot.kind, slot.number, places[slot.key]))
        for (kind, number), key in self.given.items():
            if key in places:
                lines.append(self._fetch(kind, number, places[key]))
        return lines

    def _store(self, kind, number, place):
        if kind == "gpr":
            return f"mov %{registers.spell('gpr', number, '64')}, {place}"
        if kind == "vec":
            form = "xmm" if self.unit.legacy else self.unit.vector
            return f"{'' if self.unit.legacy else 'v'}movups %{form}{number}, {place}"
        return f"kmovw %k{number}, {place}" if kind == "mask" else f"movq %mm{number}, {place}"

    def _fetch(self, kind, number, place):
        if kind == "gpr":
            return f"mov {place}, %{registers.spell('gpr', number, '64')}"
        if kind == "vec":
            return self._move(number, None, place)
        return f"kmovw {place}, %k{number}" if kind == "mask" else f"movq {place}, %mm{number}"

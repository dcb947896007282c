# SPDX-License-Identifier: GPL-3.0-or-later
"""Executes the few instructions that loops with IF and patterns are made of.

Reads a generated .s as text, so that it knows nothing of what a family claims.
RFLAGS holds CF, ZF and IF as bits 0, 6 and 9 (SDM vol. 1, 3.4.3), only as far as
branches and POPFQ need them. CLI and STI always work, as at CPL0.
"""

import re

CF, ZF, IF = 0x1, 0x40, 0x200
_MASK = 2**64 - 1
STAMP = "        stamp   start_ticks\n"  # changes no register and no flag
_NUMBERED = re.compile(r"%(r\d+)d?$")


def pattern_seed(run_c):
    """The first pattern_state, as the run-time's source has it."""
    return int(re.search(r"pattern_state = (0x[0-9a-f]+);", run_c)[1], 16)


def _register(operand):
    """(64-bit name, shift, mask) of a register operand."""
    if _NUMBERED.match(operand):
        return _NUMBERED.match(operand)[1], 0, 2**32 - 1 if operand.endswith("d") else _MASK
    if operand == "%bh":
        return "rbx", 8, 0xff
    return "r" + operand[2:], 0, 2**32 - 1 if operand[1] == "e" else _MASK


class Machine:
    """Registers, flags and one run of a loop; `restores` has (IF before, IF after) of each
    POPFQ, `ends` the IF at the end of each iteration."""

    def __init__(self, text, seed, flags=IF):
        self.setup, self.body = (self._parse(part) for part in self._blocks(text))
        self.values = dict.fromkeys([f"r{i}" for i in range(8, 16)] + ["rax", "rdx"], 0)
        self.values.update(rbx=flags, rcx=flags)
        self.memory, self.flags, self.stack = {"pattern_state": seed}, flags, []
        self.restores, self.ends, self.retired = [], [], 0
        self._run(self.setup)
        self._depth = len(self.stack)

    @staticmethod
    def _blocks(text):
        setup, rest = text.split("loop_setup:\n")[1].split("loop_begin:\n")
        return setup.replace(STAMP, ""), rest.split("loop_end:\n")[0]

    @staticmethod
    def _parse(block):
        found = []
        for line in block.splitlines():
            words = line.split("#")[0].split(None, 1)
            if words and not words[0].startswith("."):
                operands = words[1].split(",") if len(words) > 1 else []
                found.append((words[0], [operand.strip() for operand in operands]))
        return found

    def iterate(self, count):
        """That many more iterations; how many instructions they retired."""
        before = self.retired
        for _ in range(count):
            self._run(self.body)
            self.ends.append(self.flags & IF)
        assert len(self.stack) == self._depth
        return self.retired - before

    def _run(self, instructions):
        skip = False
        for name, operands in instructions:
            if name.endswith(":"):
                skip = False
            elif not skip:
                self.retired += 1
                skip = getattr(self, "_" + name)(*operands) or False

    def _get(self, operand):
        if operand.startswith("$"):
            return int(operand[1:], 0)
        if not operand.startswith("%"):
            return self.memory[operand]
        name, shift, mask = _register(operand)
        return self.values[name] >> shift & mask

    def _put(self, operand, value):
        name, shift, mask = _register(operand)
        assert shift == 0
        self.values[name] = value & mask

    def _mark(self, bit, on):
        self.flags = self.flags | bit if on else self.flags & ~bit

    def _popfq(self):
        before, self.flags = self.flags, self.stack.pop()
        self.restores.append((before & IF, self.flags & IF))

    def _bt(self, bit, operand):
        self._mark(CF, self._get(operand) >> self._get(bit) & 1)

    def _shr(self, count, operand):
        value, count = self._get(operand), self._get(count)
        self._mark(CF, value >> (count - 1) & 1)
        self._put(operand, value >> count)

    def _test(self, bits, operand):
        self._mark(ZF, not self._get(bits) & self._get(operand))

    def _dec(self, operand):
        assert operand == "%eax"

    def _jnz(self, target):
        assert target == "loop_begin"

    _testb = _test

    def _cli(self): self._mark(IF, False)
    def _sti(self): self._mark(IF, True)
    def _nop(self): pass
    def _pushfq(self): self.stack.append(self.flags)
    def _push(self, source): self.stack.append(self._get(source))
    def _pop(self, target): self._put(target, self.stack.pop())
    def _mov(self, source, target): self._put(target, self._get(source))
    def _xor(self, source, target): self._put(target, self._get(target) ^ self._get(source))
    def _and(self, source, target): self._put(target, self._get(target) & self._get(source))
    def _add(self, source, target): self._put(target, self._get(target) + self._get(source))
    def _shl(self, count, target): self._put(target, self._get(target) << self._get(count))
    def _bts(self, bit, target): self._put(target, self._get(target) | 1 << self._get(bit))
    def _btr(self, bit, target): self._put(target, self._get(target) & ~(1 << self._get(bit)))
    def _jz(self, target): return bool(self.flags & ZF)
    def _jnc(self, target): return not self.flags & CF

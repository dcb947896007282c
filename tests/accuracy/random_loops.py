# SPDX-License-Identifier: GPL-3.0-or-later
"""Random loops for test_random_loops.py: a sweep of them by a seed."""

import random

REGISTERS = ["rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"]
NARROW = {"rbx": "ebx", "rcx": "ecx", "rdx": "edx", "rsi": "esi", "rdi": "edi", "r8": "r8d",
          "r9": "r9d", "r10": "r10d", "r11": "r11d"}
TWO = ["add", "sub", "xor", "and", "or", "mov", "imul", "adc", "cmp", "test", "cmovc", "popcnt",
       "lzcnt", "bsf"]
ONE = ["inc", "neg", "not", "bswap"]
VECTOR = ["vpaddd", "vpxor", "vpmulld", "vaddpd", "vmulpd", "vsubps", "vpshufb", "vminpd",
          "vandps", "vsqrtpd"]
ODD = ["push %rbx; pop %rcx", "pushfq; pop %rdx", "cld", "clc", "stc", "cmc", "nop",
       "lea 5(%rbx,%rcx,2), %rdx", "xchg %rbx, %rcx", "lock incl scratch+128",
       "mfence", "lfence", "movnti %rdx, scratch+256", "crc32q %rbx, %rcx", "bt $3, %rbx",
       "fld1; fstp %st(0)", "fldz; fstp %st(0)"]


class Loop:
    """The text of one: a setup, a body, and what it carries on."""

    def __init__(self, rng):
        self._rng = rng
        self.setup, self.body, self.teardown = [], [], []
        self._waits()
        kind = rng.choice(["plain", "plain", "vectors", "memory", "memory", "walk", "inner",
                           "values", "mixed", "mixed"])
        for _ in range(rng.choice([1, 2, 3, 5, 8, 13, 21, 40])):
            self.body.append(self._instruction(kind))
        if kind == "walk":
            self._walk()
        if kind == "inner":
            self._inner()
        if kind == "values":
            self._values()

    def _waits(self):
        """A setup of any length, up to a millisecond."""
        turns = self._rng.choice([0, 0, 0, 100, 10000, 300000])
        if turns:
            self.setup += [f"mov ${turns}, %ecx", "9: dec %ecx", "jnz 9b"]

    def _register(self):
        return self._rng.choice(REGISTERS)

    def _place(self):
        """An operand in memory: aligned or not, over a line's end at times."""
        base = self._rng.choice(["scratch", "scratch", "loop_stack"])
        if base == "loop_stack":
            return f"{-8 * self._rng.randrange(4, 40)}(%rsp)"
        return f"scratch+{self._rng.randrange(0, 3968) & ~self._rng.choice([0, 7, 31, 63])}"

    def _instruction(self, kind):
        rng = self._rng
        sort = {"plain": "r", "vectors": "v", "memory": "m", "walk": "r", "inner": "r",
                "values": "r"}.get(kind) or rng.choice("rrmvo")
        if rng.random() < 0.1:
            sort = rng.choice("rmvo")
        a, b = self._register(), self._register()
        if sort == "r":
            if rng.random() < 0.2:
                return f"{rng.choice(ONE)} %{a}"
            if rng.random() < 0.2:
                return f"{rng.choice(['shl', 'shr', 'rol', 'sar'])} ${rng.randrange(1, 31)}, %{a}"
            wide = rng.random() < 0.7
            return f"{rng.choice(TWO)} %{a if wide else NARROW[a]}, %{b if wide else NARROW[b]}"
        if sort == "m":
            return rng.choice([
                f"mov {self._place()}, %{a}", f"mov %{a}, {self._place()}",
                f"add {self._place()}, %{a}", f"add %{a}, {self._place()}",
                f"movzbl {self._place()}, %{NARROW[a]}", f"movb $1, {self._place()}",
                f"vmovdqu {self._place()}, %ymm{rng.randrange(8)}",
                f"vmovdqu %ymm{rng.randrange(8)}, {self._place()}",
                f"movw $7, {self._place()}", f"incl {self._place()}"])
        if sort == "v":
            register = rng.choice(["xmm", "ymm"])
            name = rng.choice(VECTOR)
            registers = [f"%{register}{rng.randrange(8)}" for _ in range(3)]
            return f"{name} {', '.join(registers[1:] if 'sqrt' in name else registers)}"
        return rng.choice(ODD)

    def _walk(self):
        """A pointer that walks over a buffer, anew with each run or carried on."""
        rng = self._rng
        size = 1 << rng.randrange(12, 23)
        stride = rng.choice([8, 64, 192, 4096, 4160])
        self.setup += [".pushsection .loopdata, \"aw\", @nobits", ".balign 4096",
                       f"walked: .skip {size + 4096}", "place: .skip 8", ".popsection"]
        carried = rng.random() < 0.5
        self.setup.append("mov place(%rip), %r12d" if carried else "xor %r12d, %r12d")
        if carried:
            self.teardown.append("mov %r12d, place(%rip)")
        access = rng.choice(["mov walked(%r12), %r13", "add walked(%r12), %r13",
                             "mov %r13, walked(%r12)", "incq walked(%r12)"])
        self.body += [access, f"add ${stride}, %r12d", f"and ${size - 8}, %r12d"]

    def _inner(self):
        """Iterations of any length, up to a few milliseconds."""
        turns = self._rng.choice([3, 17, 100, 3000, 100000, 2000000])
        if len(self.body) > 8:
            turns = min(turns, 100000)
        self.body = [f"mov ${turns}, %r14d", "8:"] + self.body + ["dec %r14d", "jnz 8b"]

    def _values(self):
        """Numbers that sink, grow or stay."""
        factor = self._rng.choice([0.3, 0.5, 0.9, 0.999, 1.0, 1.0, 1.1, 2.0])
        self.setup += [f"movl ${int(factor * 1000)}, scratch", "cvtsi2sdl scratch, %xmm9",
                       "movl $1000, scratch", "cvtsi2sdl scratch, %xmm10", "divsd %xmm10, %xmm9",
                       "movapd %xmm9, %xmm8"]
        self.body.append(self._rng.choice(["mulsd %xmm9, %xmm8", "divsd %xmm9, %xmm8",
                                           "mulsd %xmm9, %xmm8; addsd %xmm8, %xmm11"]))


def text(lines):
    return "\n".join("        " + line for line in lines)


def sweep(seed, count):
    """The TOML of so many loops."""
    parts = ['summary = "Random loops"']
    for number in range(count):
        loop = Loop(random.Random(f"{seed}-{number}"))
        setup = ["vzeroall"] + loop.setup + [f"mov ${i + 3}, %{register}"
                                             for i, register in enumerate(REGISTERS)]
        parts.append(f'[[loop]]\nname = "random{number}"\nsetup = \'\'\'\n{text(setup)}\n\'\'\'\n'
                     f"body = '''\n{text(loop.body)}\n'''\n"
                     f"teardown = '''\n{text(loop.teardown)}\n'''")
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    import sys
    print(sweep(sys.argv[1], int(sys.argv[2])), end="")

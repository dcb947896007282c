# SPDX-License-Identifier: GPL-3.0-or-later
"""What a family says its loop holds, in the canonical spelling of variants.csv.

A family writes claims in a short notation; here they become the exact text that
the proof compares with the disassembly. Every loop ends with a `dec`, of EAX if it does not
say another `counter`, and `jnz`, which the common wrapper adds: they are added here.

    mix       14*push + 14*popfq                  count*mnemonic, joined by +; where it is left
                                                  out, what the sequence holds
    sequence  14*(push %rbx; popfq); nop          instructions, joined by ;
    bytes     28                                  of the body alone
    retired   28                                  of the body alone
"""

import functools
import os
import re

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_MIX_ITEM = re.compile(r"(\d+)\s*\*\s*([a-z][a-z0-9 ]*)$")
_SHORT_JUMP, _NEAR_JUMP = 2, 6
# Where a loop may count: (its own instruction, bytes). The memory is pattern_state + 64.
COUNTERS = {"%eax": ("dec %eax", 2), "%r15": ("dec %r15", 3), "memory": ("decq 0xa01040", 8)}
PROCESS_COUNTERS = tuple(COUNTERS)
# A program of the kernel counts in r6, which its JIT makes %rbx; how long it is, is the JIT's.
KERNEL_COUNTER = "%rbx"
COUNTERS[KERNEL_COUNTER] = ("dec %rbx", 0)
_MOST_INSTRUCTIONS = 100_000


def mix(text):
    """{mnemonic: count} of the body in order of first appearance; zeros dropped."""
    counts = {}
    for item in filter(None, (part.strip() for part in text.split("+"))):
        match = _MIX_ITEM.match(item)
        if not match:
            raise ValueError(f"'{item}' in a mix is not COUNT*MNEMONIC")
        if int(match[1]):
            name = match[2].strip()
            counts[name] = counts.get(name, 0) + int(match[1])
    return counts


def mix_of(instructions):
    """{mnemonic: count} of instructions one by one, with their prefixes."""
    counts = {}
    for text in instructions:
        words = text.split()
        count = 1
        while count < len(words) and words[count - 1] in _prefixes():
            count += 1
        name = " ".join(words[:count])
        counts[name] = counts.get(name, 0) + 1
    return counts


@functools.lru_cache(maxsize=None)
def _prefixes():
    with open(os.path.join(_ROOT, "common/prefixes.def"), encoding="utf-8") as stream:
        return frozenset(re.findall(r'^PREFIX\("(.*)"\)$', stream.read(), re.M))


def mix_text(counts):
    """The mix of the whole loop, as it stands in variants.csv: its own count is `dec`, anywhere."""
    whole = dict(counts)
    for name in ("dec", "jnz"):
        whole[name] = whole.get(name, 0) + 1
    return "+".join(f"{count}*{name}" for name, count in whole.items())


def sequence(text):
    """The body's instructions one by one, groups and counts written out."""
    items = []
    for part in _split(text):
        match = re.match(r"(\d+)\*(.*)$", part, re.S)
        count, rest = (int(match[1]), match[2].strip()) if match else (1, part)
        inner = sequence(rest[1:-1]) if match and _is_group(rest) else [_spaces(rest)]
        if len(items) + count * len(inner) > _MOST_INSTRUCTIONS:
            raise ValueError(f"a sequence of over {_MOST_INSTRUCTIONS} instructions")
        items += inner * count
    return items


def sequence_text(items, counter="%eax"):
    """The whole loop's sequence with runs: `27*cli; sti; dec %eax; jnz`."""
    runs = []
    for item in [*items, COUNTERS[counter][0], "jnz"]:
        if runs and runs[-1][1] == item:
            runs[-1][0] += 1
        else:
            runs.append([1, item])
    return "; ".join(item if count == 1 else f"{count}*{item}" for count, item in runs)


def loop_bytes(body, counter="%eax"):
    """Bytes of the whole loop, given the body's: the jump back is short if it can be."""
    counted = body + COUNTERS[counter][1]
    return counted + (_SHORT_JUMP if counted + _SHORT_JUMP <= 128 else _NEAR_JUMP)


def number(text, what, least=0):
    """An int from rendered text."""
    if not re.fullmatch(r"\s*\d{1,18}\s*", text) or int(text) < least:
        raise ValueError(f"{what} is '{text}', not a whole number from {least}")
    return int(text)


def decimal(text, what):
    """A non-negative decimal number, given back as text."""
    if not re.fullmatch(r"\s*\d{1,18}(\.\d{1,9})?\s*", text):
        raise ValueError(f"{what} is '{text}', not a decimal number")
    return text.strip()


def _split(text):
    """Parts between semicolons that stand outside of parentheses."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text + ";"):
        depth += {"(": 1, ")": -1}.get(char, 0)
        if char == ";" and (depth == 0 or at == len(text)):
            parts.append(text[start:at].strip())
            start = at + 1
    if depth:
        raise ValueError("parentheses of a sequence do not match")
    return [part for part in parts if part]


def _is_group(text):
    """(a; b) as a whole, not `(%rax)` or `(%rax),%rbx`."""
    return text.startswith("(") and text.endswith(")") and not text.startswith("(%")


def _spaces(text):
    """Objdump's spacing: one space after the mnemonic, none after commas."""
    return re.sub(r"\s*,\s*", ",", re.sub(r"\s+", " ", text.strip()))

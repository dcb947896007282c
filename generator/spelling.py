# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a group spells its instructions as the claimed mix does.

The assembler takes several spellings (`addq $1, %rdx`), the disassembler prints one
(`add`), and claims and proofs have that one. A group in another spelling is not its
body for the results, and the loop would have no cost of its own. Text that names no
instruction of the mix in any spelling is left alone: a group may be plain words.
"""

import collections
import functools
import os
import re

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_SUFFIXES = ("b", "w", "l", "q")
# What the assembler knows and objdump never prints; its own aliases are canonical.def's.
_ASSEMBLERS = {"sal": "shl", "cwde": "cwtl", "cdqe": "cltq", "cdq": "cltd", "cqo": "cqto"}


@functools.lru_cache(maxsize=None)
def _listed(path, macro):
    """The texts of each MACRO("...", ...) of a .def file."""
    with open(os.path.join(_ROOT, path), encoding="utf-8") as stream:
        uses = re.findall(rf"^{macro}\((.*)\)$", stream.read(), re.M)
    return tuple(tuple(re.findall(r'"([^"]*)"', use)) for use in uses)


def _instructions(group):
    """The mnemonics of a group, with their prefixes: "4*lock incq (%rbx); nop"."""
    prefixes = {word for word, in _listed("common/prefixes.def", "PREFIX")}
    for part in group.split(";"):
        words = re.sub(r"^\s*(\d+\*)?\s*\(?", "", part).split()
        count = 1
        while count < len(words) and words[count - 1] in prefixes:
            count += 1
        if words:
            yield words[:count]


def mix_of(instructions):
    """{mnemonic: count} of instructions, in order of first appearance."""
    return dict(collections.Counter(" ".join(words)
                                    for text in instructions for words in _instructions(text)))


def _others(mnemonic):
    """What the disassembler may print for a mnemonic."""
    renames = dict(_listed("runner/prove/canonical.def", "RENAME")) | _ASSEMBLERS
    bare = mnemonic[:-1] if mnemonic.endswith(_SUFFIXES) else mnemonic
    yield from (renames.get(mnemonic, mnemonic), bare, renames.get(bare, bare))
    yield from (mnemonic + suffix for suffix in _SUFFIXES)


def misspelt(group, mix):
    """(as the group has it, as the mix has it) of the first that differ, or None."""
    names = {item.partition("*")[2] for item in mix.split("+")}
    for *prefixes, mnemonic in _instructions(group):
        written = " ".join((*prefixes, mnemonic))
        if written in names:
            continue
        for other in _others(mnemonic):
            if (name := " ".join((*prefixes, other))) in names:
                return written, name
    return None

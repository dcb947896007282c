# SPDX-License-Identifier: GPL-3.0-or-later
"""The names of registers: what kind and number each is, and what the same one is called at
another width."""

import re

_GPR = ("a", "c", "d", "b", "sp", "bp", "si", "di")


def _gpr_names():
    """{name: (number, form)}; the form is what a name's other numbers are spelt by."""
    found = {}
    for number, stem in enumerate(_GPR):
        word = stem + "x" if len(stem) == 1 else stem
        found.update({f"r{word}": (number, "64"), f"e{word}": (number, "32"),
                      word: (number, "16"), f"{stem}l": (number, "8")})
        if len(stem) == 1:
            found[f"{stem}h"] = (number, "high")
    for number in range(8, 16):
        for end, form in (("", "64"), ("d", "32"), ("w", "16"), ("b", "8")):
            found[f"r{number}{end}"] = (number, form)
    return found


NAMES = {name: ("gpr", *rest) for name, rest in _gpr_names().items()}
for _prefix, _kind, _count in (("xmm", "vec", 32), ("ymm", "vec", 32), ("zmm", "vec", 32),
                               ("k", "mask", 8), ("mm", "mmx", 8)):
    NAMES.update({f"{_prefix}{n}": (_kind, n, _prefix) for n in range(_count)})

_SPELT = {(kind, number, form): name for name, (kind, number, form) in NAMES.items()}
_ATT = re.compile(r"%([a-z][a-z0-9]*)(?!\w|\()")
_INTEL = re.compile(r"(?<![\w.$])([a-z][a-z0-9]*)(?!\w|\()")
RSP, MEMORY, COUNTER = 4, 14, 15  # numbers of general registers that every loop keeps
_USUAL = {"gpr": "64", "vec": "xmm", "mask": "k", "mmx": "mm"}  # forms


def spell(kind, number, form=None):
    """The name of a register without its mark, in the usual form of its kind if none is given;
    KeyError where it has none at this form."""
    return _SPELT[kind, number, form or _USUAL[kind]]


def whole(name):
    """(kind, number) of the register that Zydis calls `name`; kind "other" for what is not
    exchanged by another: flags, x87, segments."""
    kind, number, _ = NAMES.get(name, ("other", name, ""))
    return kind, number


def tokens(text, intel):
    """Matches of the registers' names in an instruction's text; group 1 is the bare name."""
    pattern = _INTEL if intel else _ATT
    return [match for match in pattern.finditer(text) if match[1] in NAMES]


def high(text, intel):
    """Whether a register such as AH stands there: few have one, and none beside a REX prefix."""
    return any(match[1][1:] == "h" for match in tokens(text, intel))


def replaced(text, intel, exchange):
    """The text with other registers: exchange(kind, number) gives the new number."""
    pieces, at = [], 0
    for match in tokens(text, intel):
        kind, number, form = NAMES[match[1]]
        pieces += [text[at:match.start(1)], spell(kind, exchange(kind, number), form)]
        at = match.end(1)
    return "".join([*pieces, text[at:]])

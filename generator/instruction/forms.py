# SPDX-License-Identifier: GPL-3.0-or-later
"""Forms: an instruction with kinds of operands for operands, as published lists spell them:
`IMUL r64, r64`, `VADDPS ymm, ymm, [m256]`, `SHL r32, cl`.

Operands of one kind are different registers, but those that have the same number (`r1_64, r1_64`,
`xmm1, xmm1, xmm2`) are the same.
"""

import re

from generator.instruction import registers

_WIDTHS = {"64": "r64", "32": "r32", "16": "r16", "8": "r8", "high": "r8"}

_REGISTER = re.compile(r"(?:r|m)(?:(\d)_)?(8|16|32|64)|(xmm|ymm|zmm|mm|k)(\d)?")
_MEMORY = re.compile(r"\[m(8|16|32|64|80|128|256|512)?(?:\s*\+\s*(\d+))?\]")
_NUMBER = re.compile(r"imm?(8|16|32|64)?")
_MASKED = re.compile(r"(.*\S)\s*\{k\d?\}(\s*\{z\})?")
_SIZES = {"8": "byte", "16": "word", "32": "dword", "64": "qword", "80": "tbyte",
          "128": "xmmword", "256": "ymmword", "512": "zmmword"}
_NUMBERS = {"8": "7", "16": "300", "32": "100000", "64": "0x123456789abcdef", None: "7"}
_ORDER = {"gpr": (3, 0, 1, 6, 7, 8), "vec": (1, 2, 3, 4, 5, 6), "mmx": (1, 2, 3), "mask": (2, 3, 4)}
_KINDS = {"mm": "mmx", "k": "mask"}


def text_of(form):
    """The text of a form in Intel's syntax; None where it is none, but a text already."""
    if "%" in form or "$" in form:
        return None
    registers_of, found = {}, []
    for part in re.split(r"\s\+\s(?![^\[]*\])", form.strip()):
        name, _, rest = part.strip().partition(" ")
        while rest and name.upper() in ("LOCK", "REP", "REPE", "REPNE"):
            more, _, rest = rest.partition(" ")
            name += " " + more
        operands = [_written(op.strip(), registers_of) for op in rest.split(",")] if rest else []
        if None in operands:
            return None
        found.append(f"{name.lower()} {', '.join(operands)}".strip())
    return "; ".join(found) if registers_of or _has_kinds(form) else None


def _has_kinds(form):
    return bool(_MEMORY.search(form) or re.search(r"\bimm?\d+\b", form))


def _written(operand, chosen):
    """One operand as text; chosen: registers by kind and number, in order. None: not a kind."""
    masked = _MASKED.fullmatch(operand)
    if masked:
        inner = _written(masked[1], chosen)
        return inner and f"{inner}{{k1}}{(masked[2] or '').strip()}"
    if match := _REGISTER.fullmatch(operand):
        index, bits, vector, vector_index = match.groups()
        kind = "gpr" if bits else _KINDS.get(vector, "vec")
        key = (kind, index or vector_index or len(chosen) + 100)
        chosen.setdefault(key, sum(1 for other in chosen if other[0] == kind))
        at = chosen[key]
        if at >= len(_ORDER[kind]):
            return None
        return registers.spell(kind, _ORDER[kind][at], bits or vector)
    if match := _MEMORY.fullmatch(operand):
        size = f"{_SIZES[match[1]]} ptr " if match[1] else ""
        return f"{size}[rdx{' + ' + match[2] if match[2] else ''}]"
    if match := _NUMBER.fullmatch(operand):
        return _NUMBERS[match[1]]
    if operand in ("cl", "al", "ax", "eax", "rax", "dx", "1", "xmm0", "<xmm0>", "st"):
        return operand.strip("<>")
    return None


def of(unit):
    """The canonical form of a unit; several instructions with + between."""
    return " + ".join(_form(row) for row in unit.instructions)


def _form(row):
    shown = ", ".join(_operand(op) for op in row["operands"] if op["shown"])
    name = ("LOCK " if row["locked"] else "") + row["mnemonic"].upper()
    return name + (" " + shown if shown else "")


def _operand(op):
    if op["kind"] == "memory":
        return f"[m{op['bits']}]" if not op["address_only"] else "[m]"
    if op["kind"] == "immediate" and op["fixed"]:
        return "1"  # of a shift by one
    if op["kind"] == "immediate":
        return f"imm{op['bits']}"
    if op["kind"] != "register":
        return op["kind"]
    kind, number, form = registers.NAMES.get(op["register"], ("other", 0, ""))
    if op["fixed"] and op["register"] in ("cl", "xmm0", "dx"):
        return op["register"]
    if kind == "gpr":
        return _WIDTHS[form]
    return form if kind != "other" else op["register"].replace("st0", "st")

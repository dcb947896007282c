# SPDX-License-Identifier: GPL-3.0-or-later
"""Forms: an instruction with kinds of operands for operands, as published lists spell them:
`IMUL r64, r64`, `VADDPS ymm, ymm, [m256]`, `SHL r32, cl`."""

from generator.instruction import registers

_WIDTHS = {"64": "r64", "32": "r32", "16": "r16", "8": "r8", "high": "r8"}


def of(unit):
    """The canonical form of a unit; several instructions with + between."""
    return " + ".join(_form(row) for row in unit.instructions)


def _form(row):
    shown = ", ".join(_operand(op) for op in row["operands"] if op["shown"])
    return row["mnemonic"].upper() + (" " + shown if shown else "")


def _operand(op):
    if op["kind"] == "memory":
        return f"[m{op['bits']}]" if not op["address_only"] else "[m]"
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

# SPDX-License-Identifier: GPL-3.0-or-later
"""[[instruction]] in a sweep's TOML."""

from dataclasses import dataclass, field

from generator import axes
from generator.check import check, check_texts, schema
from generator.instruction import expand, forms as forms_of, registers

INSTRUCTION = schema("form", text="init syntax minus memory", text_list="form", list="ask",
                     number="unroll", table="values")
SYNTAXES = ("att", "intel")


@dataclass
class Made:
    """loops: (keys in the file, [[loop]] table); answers: expand.Expanded.answers."""
    loops: list = field(default_factory=list)
    answers: list = field(default_factory=list)


def read(file):
    """What the [[instruction]] tables of a sweep's file become."""
    tables = file.data.get("instruction", [])
    if not tables:
        return Made()
    found = expand.expand([_asked(file, index, table) for index, table in enumerate(tables)])
    for index, text, said in found.wrong:
        raise file.error(("instruction", index, "form"), f"'{text}': {said}",
                         "write it as GNU as takes it, in AT&T's syntax or with "
                         'syntax = "intel"')
    return Made([(("instruction",), entry) for entry in found.entries.values()], found.answers)


def _asked(file, index, table):
    keys = ("instruction", index)
    check(file, keys, table, INSTRUCTION)
    forms = table["form"] if isinstance(table["form"], list) else [table["form"]]
    check_texts(file, (*keys, "form"), forms)
    check_texts(file, (*keys, "ask"), table.get("ask", []), expand.QUESTIONS)
    check_texts(file, (*keys, "syntax"), [table.get("syntax", "att")], SYNTAXES)
    if not 0 <= table.get("unroll", 0) <= 10_000:
        raise file.error((*keys, "unroll"), f"unroll is {table['unroll']}", "give 1 to 10000")
    values = axes.read(file, (*keys, "values"), table.get("values", {}))
    for name, chosen in values.items():
        if registers.NAMES.get(name, ("", 0, ""))[::2] != ("gpr", "64") or \
                isinstance(chosen[0], str):
            raise file.error((*keys, "values", name), f"'{name}' cannot have values",
                             "give numbers to registers of 64 bits: values = { rcx = [1, 1000] }")
    values = {name: list(chosen) for name, chosen in values.items()}
    try:
        expand.memory_of(table.get("memory", ""))
    except ValueError as problem:
        raise file.error((*keys, "memory"), str(problem))
    intel, written = table.get("syntax") == "intel", [forms_of.text_of(form) for form in forms]
    if any(written):
        if not all(written) or table.get("syntax") == "att":
            raise file.error((*keys, "form"), f"'{forms[written.index(None)]}' is no form",
                             "give forms (imul r64, r64) and texts in tables of their own")
        intel, forms = True, written
    return expand.Asked(forms, intel,
                        tuple(table.get("ask", expand.QUESTIONS)), table.get("init", ""),
                        table.get("unroll", 0), table.get("minus", ""), values,
                        table.get("memory", ""))

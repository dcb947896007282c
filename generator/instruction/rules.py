# SPDX-License-Identifier: GPL-3.0-or-later
"""rules.toml, and what is wrong in Zydis' answers."""

import fnmatch
import functools
import os
import re
import tomllib


@functools.cache
def table():
    with open(os.path.join(os.path.dirname(__file__), "rules.toml"), "rb") as stream:
        return tomllib.load(stream)


# A set of AVX-512 with the width that it is for; 128N: without VL.
_SET = re.compile(r"(.*?)(_(128N?|256|512|SCALAR|KOP[BDQW]?))?")


def _among(mnemonic, globs):
    return any(fnmatch.fnmatchcase(mnemonic, glob) for glob in globs)


def of(mnemonics):
    """Everything that [[rule]] says of a unit with these instructions."""
    found = {}
    for rule in table()["rule"]:
        if any(_among(mnemonic, rule["mnemonics"]) for mnemonic in mnemonics):
            found.update({key: value for key, value in rule.items() if key != "mnemonics"})
    return found


def refusal(rows):
    """Why a unit of these instructions is not asked for; "" where it may be."""
    for row in rows:
        if row["privileged"]:
            return f"{row['mnemonic']} is privileged"
        for rule in table()["refuse"]:
            if _among(row["mnemonic"], rule["mnemonics"]) and \
                    not (rule.get("unless") == "sequence" and len(rows) > 1):
                return f"{row['mnemonic']}: {rule['why']}"
    return ""


@functools.cache
def _cpu_flags():
    with open("/proc/cpuinfo", encoding="utf-8") as stream:
        return frozenset(next((line.split(":")[1].split() for line in stream
                               if line.startswith("flags")), ()))


def lacking(rows, flags=None):
    """Names, as /proc/cpuinfo has them, of what these instructions need and the CPU lacks."""
    flags = _cpu_flags() if flags is None else flags
    needed = []
    for row in rows:
        name, _, width = _SET.fullmatch(row["set"]).groups()
        needed += table()["features"].get(name, "").split()
        if width in ("128", "256"):
            needed.append("avx512vl")
    return sorted(set(needed) - flags)


def correct(row):
    """Mend what Zydis 4.0 says of one instruction."""
    for op in row["operands"]:
        if op["kind"] == "register" and op["written"] and not op["read"]:
            op["read"] = _keeps_a_part(row, op)
    by_cl = any(op.get("register") == "cl" for op in row["operands"])
    if by_cl and row["category"] in ("SHIFT", "ROTATE"):  # a count of 0 changes no flag
        row["flags_read"] = sorted({*row["flags_read"], *row["flags_written"]})


def _keeps_a_part(row, op):
    if op["whole"] == "rflags":
        return False
    if row["mnemonic"] in table()["merges"]:
        return op["shown"]
    if op["whole"] in _GENERAL:
        return op["bits"] < 32 and op["shown"]
    return row["encoding"] == "legacy" and op["whole"].startswith("zmm") and op["bits"] < 128 and \
        op["elements"] == 1 and row["category"] != "DATAXFER"


_GENERAL = frozenset(["rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp",
                      *(f"r{n}" for n in range(8, 16))])

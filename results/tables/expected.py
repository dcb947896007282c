# SPDX-License-Identifier: GPL-3.0-or-later
"""What others have published of an instruction on this generation, beside what was measured.

The published figure of a latency stands beside the slowest of the pairs of registers: its source
makes all operands one register. What it shows of instructions that a core knows not to wait when
their operands are one register (zero idioms) is another question, and gets no verdict.
"""

import csv
import fnmatch
import os
import re

from common import lists

# Generations whose core is another's, as far as instructions go.
_SAME_CORE = {"Sapphire Rapids": "Alder Lake P", "Emerald Rapids": "Alder Lake P",
              "Raptor Lake P": "Alder Lake P", "Raptor Lake E": "Alder Lake E",
              "Skylake server": "Skylake server", "Coffee Lake": "Skylake client",
              "Comet Lake": "Skylake client", "Ice Lake server": "Ice Lake client"}
_IDIOMS = ("SUB", "SBB", "XOR", "PXOR", "VPXOR*", "*XORP[SD]", "*ANDN*", "*PSUB*", "*PCMPEQ*",
           "*PCMPGT*", "CMP", "XCHG")
_PART, _CYCLE, _BELOW_ONE, _ROUNDING = 0.03, 0.1, 0.02, 0.005


def add(document, folder):
    """Fill published, published_source and agrees of the answers that have a figure."""
    cpu = document["cpu"]
    name = _generation(cpu["cpu_vendor"], cpu["cpu_family"], cpu["cpu_model"], cpu["core_type"])
    core = _core(folder, _SAME_CORE.get(name, name))
    if core is None:
        return
    figures = _figures(folder, core["cpu"])
    for text in dict.fromkeys(row["text"] for row in document["answers"]):
        rows = [row for row in document["answers"] if row["text"] == text]
        found = figures.get(normal(rows[0]["form"]))
        if found and not rows[0]["memory"]:
            _beside(rows, found, core["name"])


def _generation(vendor, family, model, core_type):
    for _, (maker, of_family, first, last, core, name) in lists.rows("generations"):
        if vendor == maker and family == of_family and model.isdigit() and \
                int(first) <= int(model) <= int(last) and core in ("", core_type):
            return name
    return ""


def _core(folder, generation):
    if not generation:
        return None
    try:
        with open(os.path.join(folder, "instructions_cpus.csv"), newline="",
                  encoding="utf-8") as stream:
            return next((row for row in csv.DictReader(stream) if _generation(
                row["vendor"], row["family"], row["model"], row["core_type"]) == generation), None)
    except FileNotFoundError:
        return None


def normal(form):
    """A form with one spelling: kinds of operands alone, whichever register they are."""
    form = re.sub(r"\b[rm]\d?_(\d+)\b", r"r\1", form.strip())
    form = re.sub(r"\b([xyz]?mm|k)\d\b", r"\1", form)
    form = re.sub(r"\bim(m?)(\d+)\b", r"imm\2", form)
    return re.sub(r"\s*,\s*", ", ", form.replace(", <xmm>", "").replace(", <xmm0>", ""))


def _figures(folder, cpu):
    """{normal form: (form, latency, throughput)}; of several the one with different registers."""
    found = {}
    with open(os.path.join(folder, "instructions.csv"), newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(line for line in stream if line.startswith((cpu + ",", "cpu,"))):
            key = normal(row["form"])
            if key not in found or re.search(r"r1_|mm1", row["form"]):
                found[key] = (row["form"], _number(row["latency_cycles"]),
                              _number(row["throughput_cycles"]))
    return found


def _number(text):
    return float(text) if text else None


def _beside(rows, found, source):
    form, latency, throughput = found
    idiom = any(fnmatch.fnmatchcase(form.split()[0], glob) for glob in _IDIOMS) and \
        not re.search(r"r1_|mm1", form)
    for row in rows:
        if row["question"] == "throughput" and throughput is not None and not row["minus"]:
            _put(row, throughput, source, idiom)
    registers = [row for row in rows if row["question"] == "latency" and
                 row["cycles"] is not None and not row["round_trip"] and
                 not {row["from"], row["to"]} & {"cf", "zf", "sf", "of", "pf"}]
    if registers and latency is not None:
        _put(max(registers, key=lambda row: row["cycles"]), latency, source, idiom)


def _put(row, figure, source, idiom):
    row.update(published=figure, published_source=source)
    if row["cycles"] is not None and not idiom:
        row["agrees"] = abs(row["cycles"] - figure) <= margin(figure)


def margin(figure):
    """How far a value may be from a published one and still agree."""
    if figure < 1:
        return _PART * figure + _BELOW_ONE + _ROUNDING
    return max(_PART * figure, _CYCLE) + _ROUNDING

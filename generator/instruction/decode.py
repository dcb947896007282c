# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts of instructions, as GNU as assembles and Zydis decodes them: one call of each for all.

A text is one instruction, or several with ; or line breaks between.
"""

import json
import os
import re
import subprocess
import tempfile

from common.errors import BadInput

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_SAID = re.compile(r"^[^:]*:(\d+): (?:Error|Fatal error): (.*)$", re.M)
# .L1: is a label.
_DIRECTIVE = re.compile(r"(?:^|[;:\n])\s*(\.\w+)(?![\w:])")
_SYNTAX = {False: ".att_syntax prefix", True: ".intel_syntax noprefix"}


def programs():
    """The folder of the project's own programs."""
    return os.path.join(os.environ.get("ASMSWEEP_PROGRAMS",
                                       os.path.join(_ROOT, "build", "programs")), "bin")


def directive(text):
    """What is wrong with a text that holds one, of which the assembler may find no end (.include,
    .rept); None without."""
    match = _DIRECTIVE.search(text)
    return f"{match[1]} is a directive, no instruction" if match else None


def decode(texts):
    """For each (text, intel): its instructions as asmsweep-operands has them (a list of dicts), or
    a text that says what the assembler has against it."""
    found = [directive(text) for text, _ in texts]
    while None in found:
        left = [index for index, one in enumerate(found) if one is None]
        with tempfile.TemporaryDirectory(prefix="asmsweep-") as folder:
            refused = _assemble([texts[index] for index in left], folder)
            for at, said in refused.items():
                found[left[at]] = said
            if not refused:
                rows = _operands(os.path.join(folder, "texts.o"))
                for at, index in enumerate(left):
                    found[index] = rows.get(f".t{at}") or "is no instruction"
    return found


def _assemble(texts, folder):
    """{index: what as says} of those that it refuses; where there is none the object is written."""
    lines, owner = [], []
    for index, (text, intel) in enumerate(texts):
        piece = [f'.section .t{index}, "ax"', _SYNTAX[intel], *text.splitlines()]
        lines += piece
        owner += [index] * len(piece)
    source = os.path.join(folder, "texts.s")
    with open(source, "w", encoding="utf-8") as stream:
        stream.write("\n".join(lines) + "\n")
    done = _run(["as", "-o", os.path.join(folder, "texts.o"), source])
    refused = {}
    for line, said in _SAID.findall(done.stdout):
        index = owner[min(int(line), len(owner)) - 1]
        refused.setdefault(index, said)
    if done.returncode and not refused:
        raise BadInput("as", done.stdout.strip()[:200] or f"status {done.returncode}",
                       "run ./asmsweep setup")
    return refused


def _operands(path):
    program = os.path.join(programs(), "asmsweep-operands")
    if not os.path.exists(program):
        raise BadInput(program, "is missing: it needs Zydis (libzydis-dev)",
                       "run ./asmsweep setup, then again")
    done = _run([program, "decode", path])
    if done.returncode:
        raise BadInput(program, done.stdout.strip()[:200] or "failed", "build the programs again")
    found = {}
    for line in done.stdout.splitlines():
        row = json.loads(line)
        found.setdefault(row["section"], []).append(row)
    return found


def _run(argv):
    try:
        return subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={**os.environ, "LC_ALL": "C"}, encoding="utf-8",
                              errors="replace", check=False)
    except OSError as problem:
        raise BadInput(argv[0], problem.strerror, "run ./asmsweep setup")

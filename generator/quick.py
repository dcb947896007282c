# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds a sweep without CMake: for a few variants its start takes longer than all else.

What is called and how is what templates/variant/variant.cmake says, by the file variant-tools that
the programs' build has beside the run-time. Only what changed is made again.
"""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

from generator import emit, environment, expand, spec
from common.errors import BadInput, place

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def build(path, out, programs):
    """Build the sweep of the TOML file `path` in the folder `out`, with the programs' build
    directory `programs`. Returns its names of variants."""
    templates = os.path.join(_ROOT, "templates")
    env = environment.make(templates)
    sweep = spec.load_sweep(env, path, templates)
    variants = expand.expand(env, sweep)
    names = [variant.name for variant in variants]
    emit.emit(out, sweep, variants, [])
    _make(out, names, programs)
    return names


def _make(out, names, programs):
    with open(os.path.join(programs, "variant-tools"), encoding="utf-8") as stream:
        assembler, *linker = stream.read().splitlines()
    for folder in ("bin", "obj"):
        os.makedirs(os.path.join(out, folder), exist_ok=True)
    script = linker[linker.index("-T") + 1]
    oldest = max(os.stat(path).st_mtime_ns for path in (linker[-1], script))

    def one(name):
        source, binary = (os.path.join(out, kind, name + end) for kind, end in
                          (("src", ".s"), ("bin", "")))
        if os.path.exists(binary) and os.stat(binary).st_mtime_ns > \
                max(oldest, os.stat(source).st_mtime_ns):
            return False
        made = os.path.join(out, "obj", name + ".o")
        _run([assembler, "-o", made, source], source)
        _run([*linker, made, "-o", binary], source)
        return True
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        changed = any(list(pool.map(one, names)))
    proof = os.path.join(out, "proof.csv")
    if changed or not os.path.exists(proof):
        _run([os.path.join(programs, "bin", "asmsweep-prove"), "disassemble",
              "--as", assembler, out], proof)


def _run(argv, what):
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C"},
                          encoding="utf-8", errors="replace", check=False)
    if done.returncode:
        said = next((line for line in done.stdout.splitlines() if "rror" in line),
                    done.stdout.strip())
        raise BadInput(place(what), f"{os.path.basename(argv[0])} says: {said[:300]}",
                       "this is not an instruction that a loop can hold")

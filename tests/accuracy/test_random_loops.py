# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever is ok is right, for any loop: random ones, and a judge that measures them in another way
(judge.c). ASMSWEEP_LOOPS says how many; ASMSWEEP_SEED another seed."""

import csv
import os
import re
import shutil
import statistics
import subprocess
from collections import Counter

import pytest
from core import ROOT, RUN, built, cycles_of
from random_loops import sweep

LOOPS = int(os.environ.get("ASMSWEEP_LOOPS", "4"))
SEED = os.environ.get("ASMSWEEP_SEED", "1")
PIECES, FEWEST, TRIES = 300, 16, 3
PART, CYCLES = 0.01, 0.1  # how far an ok value may be from the judge's
CPU = str(max(os.sched_getaffinity(0)))
VARIANT = f"{ROOT}/templates/variant"


def flags(name):
    """A list of flags of variant.cmake."""
    with open(f"{VARIANT}/variant.cmake", encoding="utf-8") as stream:
        text = re.search(rf"set\({name}(.*?)\)", stream.read(), re.DOTALL)[1]
    return text.replace("${ASMSWEEP_VARIANT_DIR}", VARIANT).split()


class Judge:
    """judge.c linked to the loops of a build."""

    def __init__(self, build, run, folder):
        self._build, self._folder = build, folder
        with open(f"{run}/environment.csv", newline="", encoding="utf-8") as stream:
            self._level = float({row["key"]: row["value"] for row in csv.DictReader(stream)}
                                ["width_level"])
        subprocess.run(["gcc", *flags("ASMSWEEP_C_FLAGS"), f"-I{ROOT}", "-c", "-o",
                        f"{folder}/judge.o", f"{ROOT}/tests/accuracy/judge.c"], check=True)
        objects = f"{build}/run-time"
        self._objects = [f"{objects}/{name}" for name in sorted(os.listdir(objects))
                         if name.endswith(".o") and name not in ("all.o", "stopwatch.o")]

    def cycles(self, variant):
        """(its cycles an iteration, the upper quartile, of how many pieces), or None."""
        path = f"{self._folder}/{variant}"
        subprocess.run(["ld", *flags("ASMSWEEP_LD_FLAGS"), "-o", path, *self._objects,
                        f"{self._folder}/judge.o", f"{self._build}/obj/{variant}.o"], check=True)
        done = subprocess.run(["taskset", "-c", CPU, path, "--stopwatch", str(PIECES)],
                              capture_output=True, text=True, check=True, timeout=60)
        os.unlink(path)
        return judged(done.stdout, self._level)


def judged(text, level):
    """The mean of the lowest quarter of the pieces with a sound unit and a quiet width on both
    sides: whatever comes between makes them longer. None: too few, or that quarter is no level.
    `level`: cycles of the width loop."""
    lines = [line.split() for line in text.splitlines()]
    width, add, loop = map(int, lines[0][1:])
    pieces = [list(map(int, line[1:])) for line in lines[1:] if line[0] == "p"]
    units = [(piece[1] + piece[5]) / add / 64 for piece in pieces]
    found = []
    for piece, unit in zip(pieces, units):
        interrupted, first, before, ticks, after, last = piece
        widest = max(before, after) / width / unit
        if not interrupted and abs(first / last - 1) < 0.003 and widest < 1.03 * level:
            found.append(ticks / loop / unit)
    found.sort()
    lowest = found[:max(3, len(found) // 4)]
    if len(found) < FEWEST or lowest[-1] / lowest[0] - 1 > PART:
        return None
    return statistics.mean(lowest), found[3 * len(found) // 4], len(found)


def disagreement(row, judge, build):
    """Why the two do not agree, with the loop's source."""
    with open(f"{build}/src/{row['variant']}.s", encoding="utf-8") as stream:
        source = stream.read()
    return (f"{row['variant']}: {row['value']} [{row['ci_low']}, {row['ci_high']}] ok, the judge "
            f"{judge[0]:.4f} to {judge[1]:.4f} ({judge[2]} pieces): {row['detail']}\n"
            + source[source.index("loop_setup:"):source.index("loop_teardown_end")])


def compared(build, run, folder):
    """(texts of those that disagree, how many agree, how many the judge cannot tell)."""
    judge = Judge(build, run, folder)
    wrong, count = [], Counter()
    for row in cycles_of(run):
        if row["status"] != "ok":
            count[row["status"]] += 1
            continue
        tried = [found for found in (judge.cycles(row["variant"]) for _ in range(TRIES)) if found]
        value = float(row["value"])
        if any(abs(value - cycles) <= PART * cycles + CYCLES for cycles, _, _ in tried):
            count["ok, right"] += 1
        elif not tried or any(cycles < value < upper for cycles, upper, _ in tried):
            count["ok, not judged"] += 1  # or a loop of several speeds, as VSQRTPD alone
        else:
            count["ok, wrong"] += 1
            wrong.append(disagreement(row, tried[0], build))
    return wrong, count


def test_whatever_is_ok_agrees_with_a_long_run(tmp_path):
    (tmp_path / "random.toml").write_text(sweep(SEED, LOOPS), encoding="utf-8")
    build = built(tmp_path / "build", f"{tmp_path}/random.toml")
    done = subprocess.run([RUN, "run", build, "-o", f"{tmp_path}/run", "--blocks", "3",
                           "--precision", "1%", "--cpu", CPU], check=False, capture_output=True,
                          text=True)
    assert done.returncode in (0, 1), done.stderr
    wrong, count = compared(build, f"{tmp_path}/run", tmp_path)
    shutil.rmtree(build)
    print(dict(count), *wrong, sep="\n")
    assert sum(count.values()) == LOOPS
    assert not wrong
    if not count["ok, right"]:
        pytest.skip(f"nothing could be had, the core is shared: {dict(count)}")

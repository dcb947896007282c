# SPDX-License-Identifier: GPL-3.0-or-later
"""How long three methods take to an interval of +-0.5 % on the same loops.

Each rival gets what it is usually given: runs of N and 2N iterations (about 25 and 50 ms),
the slope's ratio to that of a chain of known cost, and more runs until the interval is
narrow enough or the budget is spent. All are pinned to the same CPU.
"""

import csv
import json
import math
import os
import statistics
import subprocess
import time

from common import BIN, PERCENT

VARIANTS = ("known_answers.crc32.groups16", "known_answers.push_popfq.groups16",
            "known_answers.imul.groups16")
CALIBRATOR = "calibrator"
# Student's 97.5 % quantile by the fewest runs of a command, less one.
STUDENT = {4: 2.776, 9: 2.262, 14: 2.145, 19: 2.093, 29: 2.045, 10**9: 1.984}


def _iterations(build, variant):
    with open(os.path.join(build, "variants.csv"), newline="", encoding="utf-8") as stream:
        rows = {row["variant"]: row for row in csv.DictReader(stream)}
    return max(1, int(rows[variant]["iterations"]) // 40)


def asmsweep(build, variant, folder, budget):
    out = os.path.join(folder, f"reach-{variant}")
    began = time.monotonic()
    done = subprocess.run([f"{BIN}/asmsweep-run", "run", build, "--only", variant, "-o", out,
                           "--precision", f"{PERCENT}%"], capture_output=True, check=False)
    spent = time.monotonic() - began
    if done.returncode:  # the panel disagreed in every execution: no value, so not reached
        return budget, False
    with open(os.path.join(out, "summary.csv"), newline="", encoding="utf-8") as stream:
        row = next(csv.DictReader(stream))
    half = (float(row["ci_high"]) - float(row["ci_low"])) / 2 / float(row["value"])
    return (spent, True) if half <= PERCENT / 100 else (budget, False)


def _half_width(samples):
    """Relative half-width of (slope of loop) / (slope of chain) from lists of seconds."""
    means = [statistics.fmean(values) for values in samples]
    errors = [statistics.stdev(values) ** 2 / len(values) for values in samples]
    loop, chain = means[1] - means[0], means[3] - means[2]
    if loop <= 0 or chain <= 0:
        return math.inf
    quantile = next(value for degrees, value in STUDENT.items() if len(samples[0]) - 1 <= degrees)
    return quantile * math.hypot(math.sqrt(errors[0] + errors[1]) / loop,
                                 math.sqrt(errors[2] + errors[3]) / chain)


def _commands(build, variant):
    for name in (variant, CALIBRATOR):
        count = _iterations(build, name)
        for factor in (1, 2):
            yield [os.path.join(build, "bin", name), str(factor * count)]


def _until_narrow(measure_once, budget):
    """Call measure_once (a list of four lists of seconds) until narrow or out of budget."""
    samples = [[], [], [], []]
    began = time.monotonic()
    while True:
        for kept, new in zip(samples, measure_once()):
            kept += new
        spent = time.monotonic() - began
        narrow = len(samples[0]) >= 5 and _half_width(samples) <= PERCENT / 100
        if narrow or spent > budget:
            return min(spent, budget), narrow


def hyperfine(build, variant, folder, budget):
    export = os.path.join(folder, "hyperfine.json")
    commands = [" ".join(f"'{word}'" for word in command)
                for command in _commands(build, variant)]

    def once():
        subprocess.run(["taskset", "-c", str(os.cpu_count() - 1), "hyperfine", "-N", "--style",
                        "none", "--runs", "5", "--export-json", export, *commands],
                       check=True, capture_output=True)
        with open(export, encoding="utf-8") as stream:
            return [result["times"] for result in json.load(stream)["results"]]
    return _until_narrow(once, budget)


def _task_clock(command):
    done = subprocess.run(["taskset", "-c", str(os.cpu_count() - 1), "perf", "stat", "-x", ";",
                           "-e", "task-clock", *command], check=True, capture_output=True,
                          text=True, env=dict(os.environ, LC_ALL="C"))
    return float(done.stderr.strip().splitlines()[-1].split(";")[0])


def perf_slopes(build, variant, _folder, budget):
    commands = list(_commands(build, variant))
    return _until_narrow(lambda: [[_task_clock(command)] for command in commands], budget)


METHODS = {"asmsweep": asmsweep, "hyperfine -N slopes": hyperfine, "perf stat slopes": perf_slopes}

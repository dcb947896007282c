# SPDX-License-Identifier: GPL-3.0-or-later
"""How long three methods take to +-0.5 % on the same loops: their settling times.

Each rival gets what it is usually given: runs of N and 2N iterations (about 25 and 50 ms) and
the slope's ratio to that of a chain of known cost, looked at after each round while the budget
lasts. It has settled when from then on every look finds an interval of at most +-0.5 % with the
known cost within +-0.5 % of its middle: whoever looks again and again finds a narrow interval
once, by chance. asmsweep ends by itself, and says so where it has no value: then it is called
again, and both calls count. That is made several times; the middle one counts, and the note
tells the shortest and the longest. All are pinned to the same CPU.
"""

import csv
import json
import math
import os
import statistics
import subprocess
import time

from common import BIN, PERCENT

# Cycles an iteration: chains of 16 links whose latency is published for AMD and Intel alike.
TRUTH = {"known_answers.crc32.groups16": 48, "known_answers.xor.groups16": 16,
         "known_answers.imul.groups16": 48}
VARIANTS = tuple(TRUTH)
CALIBRATOR = "calibrator"
CALIBRATOR_CYCLES = 32
RUNS = 9  # of asmsweep
# Student's 97.5 % quantile by the fewest runs of a command, less one.
STUDENT = {4: 2.776, 9: 2.262, 14: 2.145, 19: 2.093, 29: 2.045, 10**9: 1.984}


def _iterations(build, variant):
    with open(os.path.join(build, "variants.csv"), newline="", encoding="utf-8") as stream:
        rows = {row["variant"]: row for row in csv.DictReader(stream)}
    return max(1, int(rows[variant]["iterations"]) // 40)


def reached(variant, cycles, half_width):
    """Is the interval narrow, and the known cost near its middle?"""
    return half_width <= PERCENT / 100 and abs(cycles / TRUTH[variant] - 1) <= PERCENT / 100


def _one_run(build, variant, out):
    """(seconds, reached) of a call of asmsweep-run; no value where reference chains disagree."""
    began = time.monotonic()
    subprocess.run([f"{BIN}/asmsweep-run", "run", build, "--only", variant, "-o", out,
                    "--precision", f"{PERCENT}%"], capture_output=True, check=False)
    spent = time.monotonic() - began
    with open(os.path.join(out, "summary.csv"), newline="", encoding="utf-8") as stream:
        row = next(csv.DictReader(stream))
    if not row["value"]:
        return spent, False
    value = float(row["value"])
    half = (float(row["ci_high"]) - float(row["ci_low"])) / 2 / value
    return spent, reached(variant, value, half)


def _until_reached(build, variant, out, budget):
    """(seconds, reached) of as many calls of asmsweep-run as it takes."""
    seconds, done, calls = 0, False, 0
    while not done and seconds < budget:
        spent, done = _one_run(build, variant, f"{out}-{calls}")
        seconds, calls = seconds + spent, calls + 1
    return (seconds, True) if done else (budget, False)


def asmsweep(build, variant, folder, budget):
    runs = sorted(_until_reached(build, variant, os.path.join(folder, f"reach-{variant}-{number}"),
                                 budget) for number in range(RUNS))
    missed = sum(not done for _, done in runs)
    seconds = [spent for spent, _ in runs]
    note = f"{RUNS} runs, {seconds[0]:.3g} to {seconds[-1]:.3g} s"
    return statistics.median(seconds), note + (f", {missed} not reached" if missed else "")


def _slopes(build, variant, samples):
    """Cycles an iteration by (slope of loop) / (slope of chain) from lists of seconds, and its
    relative half-width."""
    means = [statistics.fmean(values) for values in samples]
    errors = [statistics.stdev(values) ** 2 / len(values) for values in samples]
    loop, chain = means[1] - means[0], means[3] - means[2]
    if loop <= 0 or chain <= 0:
        return math.nan, math.inf
    cycles = (CALIBRATOR_CYCLES * loop / _iterations(build, variant)
              / (chain / _iterations(build, CALIBRATOR)))
    quantile = next(value for degrees, value in STUDENT.items() if len(samples[0]) - 1 <= degrees)
    return cycles, quantile * math.hypot(math.sqrt(errors[0] + errors[1]) / loop,
                                         math.sqrt(errors[2] + errors[3]) / chain)


def _commands(build, variant):
    for name in (variant, CALIBRATOR):
        count = _iterations(build, name)
        for factor in (1, 2):
            yield [os.path.join(build, "bin", name), str(factor * count)]


def _settling(build, variant, measure_once, budget):
    """Call measure_once (a list of four lists of seconds) for `budget` seconds; (seconds, "") of
    the first look from which on all have reached, or (budget, note)."""
    samples, settled = [[], [], [], []], None
    began = time.monotonic()
    while time.monotonic() - began < budget:
        for kept, new in zip(samples, measure_once()):
            kept += new
        if len(samples[0]) < 5 or not reached(variant, *_slopes(build, variant, samples)):
            settled = None
        elif settled is None:
            settled = time.monotonic() - began
    return (budget, f"not reached in {budget:g} s") if settled is None else (settled, "")


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
    return _settling(build, variant, once, budget)


def _task_clock(command):
    done = subprocess.run(["taskset", "-c", str(os.cpu_count() - 1), "perf", "stat", "-x", ";",
                           "-e", "task-clock", *command], check=True, capture_output=True,
                          text=True, env=dict(os.environ, LC_ALL="C"))
    return float(done.stderr.strip().splitlines()[-1].split(";")[0])


def perf_slopes(build, variant, _folder, budget):
    commands = list(_commands(build, variant))
    return _settling(build, variant,
                     lambda: [[_task_clock(command)] for command in commands], budget)


RIVALS = {"hyperfine -N slopes": hyperfine, "perf stat slopes": perf_slopes}
METHODS = {"asmsweep": asmsweep, **RIVALS}

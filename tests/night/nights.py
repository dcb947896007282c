# SPDX-License-Identifier: GPL-3.0-or-later
"""Stores and nights for tests: made-up runs, and what the programs say of them."""

import csv
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), name) for name in ("results", "host")]

from programs import NIGHT, RESULTS, ROOT, call  # noqa: E402
from synthetic import loop, write_run  # noqa: E402

BIN = os.path.dirname(RESULTS)
RUN = os.environ.get("ASMSWEEP_RUN", os.path.join(BIN, "asmsweep-run"))
SLOWER = os.environ.get("ASMSWEEP_RUN_SLOWER", os.path.join(BIN, "asmsweep-run-slower"))
PROVE = os.environ.get("ASMSWEEP_PROVE", os.path.join(BIN, "asmsweep-prove"))
MITIGATIONS = (("mitigation_spectre_v2", "Mitigation: Retpolines"),)


def run_id(day):
    """The name of the run of a day of 2026."""
    return f"2026{1 + day // 28:02d}{1 + day % 28:02d}T030000Z-0000"


def loops(day, count=20, slower=(), part=0.03, **more):
    """A run's loops with values that scatter by their intervals; some of them slower."""
    rng = random.Random(1000 + day)
    made = []
    for n in range(count):
        truth, sigma = 10.0 + n, (10.0 + n) * 0.001
        value = rng.gauss(truth * (1 + part if n in slower else 1), sigma)
        made.append(loop(f"v{n}", "1*cli", value, half=1.96 * sigma, **more))
    return made


def add_run(store, day, rows, environment=MITIGATIONS, sweep="made", name=None):
    """A run of a day in the store; its folder."""
    name = name or run_id(day)
    for row in rows:
        row.update(run_id=name, sweep=sweep)
    return write_run(store / sweep / "cpu" / name, rows, environment)


def night(folder, again=None, command="verdict", options=(), **runs):
    """Look at a night of NAME=RUN; `again`: fresh runs by name. Status and night.csv's rows."""
    os.makedirs(folder, exist_ok=True)
    for suffix, named in (("run", runs), ("again", again or {})):
        for name, run in named.items():
            with open(os.path.join(folder, f"{name}.{suffix}"), "w", encoding="utf-8") as stream:
                stream.write(f"{run}\n")
    done = call(NIGHT, command, folder, *options)
    if command != "verdict" or done.returncode not in (0, 4):
        return done
    with open(os.path.join(folder, "night.csv"), newline="", encoding="utf-8") as stream:
        return done.returncode, list(csv.DictReader(stream))


def of_kind(rows, kind):
    return [row for row in rows if row["kind"] == kind]


def report(folder):
    """The two reports of a night's folder, as text."""
    open(os.path.join(folder, "failed"), "a", encoding="utf-8").close()
    subprocess.run(["/usr/bin/python3", "-B", os.path.join(ROOT, "campaign", "night", "report.py"),
                    str(folder)], check=True, timeout=60)
    texts = []
    for name in ("report.txt", "report.html"):
        with open(os.path.join(folder, name), encoding="utf-8") as stream:
            texts.append(stream.read())
    return texts

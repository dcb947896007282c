# SPDX-License-Identifier: GPL-3.0-or-later
"""Was the core ours while a run measured? What is judged for accuracy must not be a neighbour's.

On a virtual machine another guest may run on the other hardware thread of the core, for
milliseconds or for minutes. The reference chains hardly notice; a loop that nothing but the core's
width limits takes up to twice as long. So each run that is judged has 64 nops beside its loops.
"""

import csv
import os
import re
import subprocess
import time

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = os.path.join(ROOT, "build/programs/bin")
RUN = os.environ.get("ASMSWEEP_RUN", f"{PROGRAMS}/asmsweep-run")
PROVE = os.environ.get("ASMSWEEP_PROVE", f"{PROGRAMS}/asmsweep-prove")

TRIES, PAUSE = 6, 3  # runs, and seconds between them
PATIENCE = 20  # seconds after which no further run is begun: a core may be shared for hours

NOPS = "known_answers.nop.groups64"
# Cycles of 64 nops, dec and jnz on a core of one's own, where that was measured.
ALONE = {"Zen 3": 11.0, "Emerald Rapids": 11.5}
# Elsewhere: no more than a core four wide takes, the narrowest of those that asmsweep meets.
NARROWEST = 66 / 4
MARGIN = 0.02


def built(folder, sweep):
    subprocess.run(["/usr/bin/python3", "-B", f"{ROOT}/generator/build.py", "--sweep", sweep,
                    "--out", str(folder), "--prove", PROVE, "--jobs", "1"], check=True)
    return str(folder)


def generation(vendor, family, model, core_type):
    """The core's name by common/generations.def; None if it is not there."""
    with open(f"{ROOT}/common/generations.def") as stream:
        rows = re.findall(r'GENERATION\("(\w+)", (\d+), (\d+), (\d+), "(\w*)", "([^"]+)"\)',
                          stream.read())
    for maker, its_family, first, last, its_type, name in rows:
        if (maker, int(its_family)) == (vendor, int(family)) and \
                int(first) <= int(model) <= int(last) and its_type == core_type:
            return name
    return None


def generation_of(row):
    return generation(row["cpu_vendor"], row["cpu_family"], row["cpu_model"], row["core_type"])


def shared(rows):
    """Why the core was not ours, by the rows of the nops; "" if it was."""
    nops = [row for row in rows if row["variant"] == NOPS]
    assert nops, "no nops to see a neighbour by"
    for row in nops:
        alone = ALONE.get(generation_of(row), NARROWEST)
        if row["status"] != "ok":
            return f"64 nops are {row['status']}: {row['detail']}"
        if float(row["value"]) > alone * (1 + MARGIN):
            return f"64 nops take {float(row['value']):.2f} cycles, alone {alone:.2f}"
    return ""


class Attempts:
    """Runs made again until the core was ours in one of them and each value came."""

    def __init__(self, tries=TRIES, pause=PAUSE):
        self._tries, self._pause = tries, pause
        self._whys = []  # of each: why the core was not ours, or "", and what has no value

    def __iter__(self):
        """Numbers of attempts, while there is hope."""
        ends = time.monotonic() + PATIENCE
        while len(self._whys) < self._tries and (not self._whys or time.monotonic() < ends):
            time.sleep(self._pause if self._whys else 0)
            yield len(self._whys)

    def counts(self, rows):
        """Can these rows of a run be judged?"""
        bad = [f"{row['variant']}: {row['status']}: {row['detail']}" for row in rows
               if row["status"] != "ok" and row["variant"] != NOPS]
        self._whys.append((shared(rows), bad))
        return not any(self._whys[-1])

    def give_up(self):
        """Skips where a neighbour is the reason; fails where the core was ours in every run."""
        neighbour = [why for why, _ in self._whys if why]
        if not neighbour:
            pytest.fail(f"no value in {len(self._whys)} runs on a core of one's own: "
                        f"{self._whys[-1][1]}")
        pytest.skip(f"nothing could be had, the core is shared: in {len(neighbour)} of "
                    f"{len(self._whys)} runs, the last: {neighbour[-1]}")


def cycles_of(folder):
    """Rows of cycles of a run's summary."""
    with open(os.path.join(folder, "summary.csv"), newline="") as stream:
        return [row for row in csv.DictReader(stream) if row["quantity"] == "cycles"]


def run(build, folder, only, budget="8s"):
    """Rows of cycles of the variants that the globs `only` name, the nops among them."""
    subprocess.run([RUN, "run", build, "-o", folder, "--only", f"{only},{NOPS}", "--budget",
                    budget], check=False, capture_output=True, timeout=300)
    return cycles_of(folder)


def measure(build, folder, only, attempts=None, **more):
    """Rows of cycles of the variants that the globs `only` name, from a run that can be judged."""
    attempts = attempts or Attempts()
    for number in attempts:
        rows = run(build, f"{folder}-{number}", only, **more)
        if attempts.counts(rows):
            return [row for row in rows if row["variant"] != NOPS]
    return attempts.give_up()


def link(row):
    """Cycles of a link as measured."""
    return float(row["value"]) / float(row["groups"])

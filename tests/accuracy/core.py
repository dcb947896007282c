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

# Runs, seconds between them, and after how many none is begun: a core may be shared for hours.
TRIES, PAUSE, PATIENCE = 6, 3, 20

NOPS = "known_answers.nop.groups64"
# Cycles of 64 nops, dec and jnz on a core of one's own, where that was measured, with a margin.
ALONE = {"Zen 3": 11.0, "Emerald Rapids": 11.5}
MARGIN = 0.02
# Elsewhere what a core four wide takes, with room for what its loop may cost beside; half of a core
# that is six wide takes 22, half of one four wide 33.
NARROWEST, WIDE_MARGIN = 66 / 4, 0.1
# What a neighbour does to a value. All else is the program's own.
DISTURBED = ("invalid_reference", "unstable")


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
        name = generation_of(row)
        alone = ALONE.get(name, NARROWEST)
        most = alone * (1 + (MARGIN if name in ALONE else WIDE_MARGIN))
        if row["status"] in DISTURBED:
            return f"64 nops are {row['status']}: {row['detail']}"
        if row["value"] and float(row["value"]) > most:
            return (f"64 nops take {float(row['value']):.2f} cycles, alone {alone:.2f}" +
                    ("" if name in ALONE else " or less (this core's own figure is not known)"))
    return ""


class Attempts:
    """Runs made again until the core was ours in one of them and each value came. `strict`: a value
    that scatters on a core of one's own is judged as it is, not measured again."""

    def __init__(self, tries=TRIES, pause=PAUSE, patience=PATIENCE, strict=False):
        self._tries, self._pause, self._patience = tries, pause, patience
        self._strict = strict
        self._whys = []  # of each: why the core was not ours, or "", and what has no value

    def __iter__(self):
        """Numbers of attempts, while there is hope."""
        ends = time.monotonic() + self._patience
        while len(self._whys) < self._tries and (not self._whys or time.monotonic() < ends):
            time.sleep(self._pause if self._whys else 0)
            yield len(self._whys)

    def counts(self, rows):
        """Can these rows of a run be judged? Fails at once for what no neighbour does."""
        bad = [row for row in rows if row["status"] != "ok"]
        told = [f"{row['variant']}: {row['status']}: {row['detail']}" for row in bad]
        if any(row["status"] not in DISTURBED for row in bad):
            pytest.fail(f"no value, and no neighbour's doing: {told}")
        self._whys.append((shared(rows), told))
        return not self._whys[-1][0] and (self._strict or not told)

    def give_up(self):
        """Skips where a neighbour is the reason; fails where the core was ours in half of the runs
        or more, and values did not come."""
        neighbour = [why for why, _ in self._whys if why]
        if 2 * len(neighbour) <= len(self._whys):
            pytest.fail(f"values did not come in {len(self._whys)} runs, {len(neighbour)} of them "
                        f"on a shared core: {self._whys[-1][1]}")
        pytest.skip(f"nothing could be had, the core is shared: in {len(neighbour)} of "
                    f"{len(self._whys)} runs, the last: {neighbour[-1]}")


def cycles_of(folder):
    """Rows of the stopwatch's cycles in a run's summary."""
    with open(os.path.join(folder, "summary.csv"), newline="") as stream:
        return [row for row in csv.DictReader(stream)
                if (row["quantity"], row["source"]) == ("cycles", "stopwatch")]


def run(build, folder, only, *options):
    """Rows of cycles of the variants that the globs `only` name, the nops among them. On one CPU:
    a hybrid machine has two kinds."""
    if "--cpu" not in options:
        options = (*options, "--cpu", str(max(os.sched_getaffinity(0))))
    subprocess.run([RUN, "run", build, "-o", folder, "--only", f"{only},{NOPS}", *options],
                   check=False, capture_output=True, timeout=300)
    return cycles_of(folder)


def measure(build, folder, only, attempts=None):
    """Rows of cycles of the variants that the globs `only` name, from a run that can be judged. A
    short look at the nops comes first, for a run on a shared core waits long for nothing."""
    attempts = attempts or Attempts()
    for number in attempts:
        rows = run(build, f"{folder}-{number}-look", NOPS, "--blocks", "5")
        if not shared(rows):
            rows = run(build, f"{folder}-{number}", only)
        if attempts.counts(rows):
            return [row for row in rows if row["variant"] != NOPS]
    return attempts.give_up()


def link(row):
    """Cycles of a link as measured; a row without a value fails with its reason."""
    assert row["value"], f"{row['variant']}: {row['status']}: {row['detail']}"
    return float(row["value"]) / float(row["groups"])

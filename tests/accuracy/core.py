# SPDX-License-Identifier: GPL-3.0-or-later
"""Values measured here, judged: each that is `ok`, in whatever run it came.

On a virtual machine another guest may run on the other hardware thread of the core, for
milliseconds or for hours. A run says so itself: a loop that it measured in shared time only is
`contended` and has no value. Such a loop is measured again, and skipped by name where nothing could
be had. A value that is `ok` and wrong is a failure, whoever ran beside it. 64 nops are in each run:
nothing but the core's width limits them, so a neighbour who was not noticed shows in them first.
"""

import contextlib
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
TRIES, PAUSE, PATIENCE = 6, 3, 60

NOPS = "known_answers.nop.groups64"
# Cycles of 64 nops, dec and jnz on a core of one's own: the least and the most, where that was
# measured. Elsewhere what the core's width allows; half of a core takes twice as long.
ALONE = {"Zen 3": (10.98, 11.02), "Emerald Rapids": (11.3, 11.7)}
SLOTS, LONGER = 65, 1.3
# What a neighbour does to a loop. All else is the program's own.
DISTURBED = ("contended", "invalid_reference", "unstable")


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


def alone(name):
    """Least and most cycles of the nops on such a core of one's own; None: its width is unknown."""
    with open(f"{ROOT}/common/widths.def") as stream:
        widths = dict(re.findall(r'WIDTH\("([^"]+)", (\d+),', stream.read()))
    if name in ALONE or name not in widths:
        return ALONE.get(name)
    least = SLOTS / int(widths[name])
    return 0.99 * least, LONGER * least


def told(row):
    return f"{row['variant']}: {row['status']}: {row['detail']}"


def shared(rows):
    """Which row says first that the core was shared, and why; "" if none does."""
    return next((told(row) for row in rows if row["status"] == "contended"), "")


def judge_nops(row):
    """Nops that are ok, with an interval that holds nothing of what a core of one's own takes, are
    a failure."""
    limits = alone(generation_of(row))
    if row["status"] == "ok" and limits and \
            (float(row["ci_low"]) > limits[1] or float(row["ci_high"]) < limits[0]):
        pytest.fail(f"64 nops are ok with {row['ci_low']} to {row['ci_high']} cycles; a core of "
                    f"one's own takes {limits[0]:.2f} to {limits[1]:.2f}")


class Attempts:
    """Runs made again until each loop has its value. `strict`: a value that scatters on a core of
    one's own is judged as it is, not measured again."""

    def __init__(self, tries=TRIES, pause=PAUSE, patience=PATIENCE, strict=False):
        self._tries, self._pause, self._patience = tries, pause, patience
        self._strict = strict
        self._whys = []      # of each: why the core was not ours, or ""
        self._values = {}    # the first of each variant, in the order of the sweep
        self.lacking = None  # of variants without a value: name and why; None: nothing was run

    def __iter__(self):
        """Numbers of attempts, while there is hope."""
        ends = time.monotonic() + self._patience
        while len(self._whys) < self._tries and self.lacking != {} and \
                (not self._whys or time.monotonic() < ends):
            time.sleep(self._pause if self._whys else 0)
            yield len(self._whys)

    def take(self, rows):
        """What an attempt gave. Fails at once for what no neighbour does."""
        bad = [told(row) for row in rows if row["status"] not in ("ok", *DISTURBED)]
        if bad:
            pytest.fail(f"no value, and no neighbour's doing: {bad}")
        assert any(row["variant"] == NOPS for row in rows), "no nops to see a neighbour by"
        self._whys.append(shared(rows))
        for row in rows:
            if row["variant"] == NOPS:
                judge_nops(row)
            elif row["status"] == "ok" or (self._strict and row["value"]):
                self._values.setdefault(row["variant"], row)
        self.lacking = {row["variant"]: told(row) for row in rows
                        if row["variant"] not in (NOPS, *self._values)}

    def values(self):
        return list(self._values.values())

    def settle(self):
        """What came is judged: skips for what did not where a neighbour is the reason; fails where
        the core was ours in half of the runs or more."""
        if not self.lacking:
            return
        count, neighbour = len(self._whys), [why for why in self._whys if why]
        lacking = "; ".join(self.lacking.values())
        if 2 * len(neighbour) <= count:
            pytest.fail(f"values did not come in {count} runs, {len(neighbour)} of them on a "
                        f"shared core: {lacking}")
        pytest.skip(f"{'the rest' if self._values else 'all'} could not be had, the core is shared "
                    f"in {len(neighbour)} of {count} runs: {lacking}")


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


@contextlib.contextmanager
def measured(build, folder, only, attempts=None, options=()):
    """Rows of cycles of the variants that the globs `only` name, those that have a value: to be
    judged within. Behind it the test is skipped, or fails, for those that have none."""
    attempts = attempts or Attempts()
    for number in attempts:
        wanted = ",".join(attempts.lacking or [only])
        attempts.take(run(build, f"{folder}-{number}", wanted, *options))
    yield attempts.values()
    attempts.settle()


def link(row):
    """Cycles of a link as measured; a row without a value fails with its reason."""
    assert row["value"], f"{row['variant']}: {row['status']}: {row['detail']}"
    return float(row["value"]) / float(row["groups"])


def is_right(row, truth, limit):
    """Is the value within a part of `limit` of the true cycles of a link, or they in its interval?
    Prints it."""
    off = link(row) / truth - 1
    print(f"{row['variant']} {link(row):.5f} ({100 * off:+.3f} %) {row['status']} {row['detail']}")
    groups = float(row["groups"])
    inside = float(row["ci_low"]) / groups <= truth <= float(row["ci_high"]) / groups
    return abs(off) <= limit or inside

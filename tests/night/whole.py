# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole nights of one sweep, from begin to end."""

import csv
import os
import subprocess
import time

from nights import NIGHT, PROVE, RESULTS, ROOT, RUN

SLOW = "known_answers.crc32.groups16"
# Not the CPU that other runs on this machine take by default, if there are two: no wait for it.
CPU = ("--cpu", str(min(os.sched_getaffinity(0))))
SHORT = ("--blocks", "5", "--slices", "100", *CPU)


def build(folder, **runners):
    """Build known_answers in the folder, with a front that names it and the programs; NAME=RUNNER:
    the programs once more in folder/NAME, with another runner."""
    built = folder / "known_answers"
    subprocess.run(["/usr/bin/python3", "-B", os.path.join(ROOT, "generator", "build.py"),
                    "--sweep", "known_answers", "--out", built, "--prove", PROVE],
                   check=True, timeout=300)
    front = folder / "front"
    front.write_text("#!/bin/sh\n"
                     '[ "$2" = known_answers ] || { echo no sweep "$2" >&2; exit 2; }\n'
                     f"echo '{built}'\n", encoding="utf-8")
    front.chmod(0o755)
    for name, runner in {"programs": RUN, **runners}.items():
        os.mkdir(folder / name)
        os.symlink(runner, folder / name / "asmsweep-run")
        for program in (RESULTS, NIGHT):
            os.symlink(program, folder / name / os.path.basename(program))


def costs(folder, variant=None):
    """Lines of a simulated host's script, one a variant: 3 cycles for each of its groups. Of one
    variant: the number."""
    with open(folder / "known_answers" / "variants.csv", newline="", encoding="utf-8") as stream:
        cycles = {row["variant"]: 3 * int(row["groups"] or 16) for row in csv.DictReader(stream)}
    return cycles[variant] if variant else [f"{name} 0 loop={n}" for name, n in cycles.items()]


def call(*arguments):
    """The completed process; a night may wait long for a core that another run uses."""
    return subprocess.run([str(word) for word in arguments], capture_output=True, text=True,
                          timeout=1200, check=False)


def command(place, where, *options, programs="programs", sweeps=("known_answers",)):
    return [str(word) for word in (
        os.path.join(ROOT, "campaign", "night", "nightly"), *sweeps, "--front", place / "front",
        "--programs", place / programs, "--store", where / "store", "--nights", where / "nights",
        "--", *SHORT, *options)]


def newest(where):
    return max((where / "nights").glob("2*Z"))


def rows(where):
    with open(newest(where) / "night.csv", newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def whole_night(place, where, *options, ends=(0,), **more):
    """One night from begin to end, with one of these exit statuses; the process and its rows.
    Nights are named by the second."""
    time.sleep(1)
    done = call(*command(place, where, *options, **more))
    assert done.returncode in ends, (done.returncode, done.stdout, done.stderr)
    return done, rows(where)

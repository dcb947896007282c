# SPDX-License-Identifier: GPL-3.0-or-later
"""The studies of docs/cookbook, and one of them built."""

import csv
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = os.path.join(ROOT, "build/programs/bin")
PROVE = os.environ.get("ASMSWEEP_PROVE", f"{PROGRAMS}/asmsweep-prove")
FOLDER = os.path.join(ROOT, "docs/cookbook")
STUDIES = sorted(name.removesuffix(".toml") for name in os.listdir(FOLDER))


def build(out, toml):
    """The build directory of a sweep; what is wrong with it fails the test."""
    done = subprocess.run(["/usr/bin/python3", "-B", f"{ROOT}/generator/build.py", "--sweep", toml,
                           "--out", str(out), "--prove", PROVE, "--jobs", "1"],
                          capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return str(out)


def rows(path):
    with open(path, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))

# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the results share: the programs, and a skip that is seen."""

import os
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, ROOT]

RESULTS = os.environ.get("ASMSWEEP_RESULTS",
                         os.path.join(ROOT, "build", "programs", "bin", "asmsweep-results"))
PUBLISHED = os.path.join(ROOT, "results", "published")


def call(*arguments, **more):
    return subprocess.run([str(a) for a in arguments], capture_output=True, text=True,
                          timeout=120, **more)


@pytest.fixture
def results():
    """Run asmsweep-results; the completed process."""
    return lambda *arguments: call(RESULTS, *arguments)


@pytest.fixture
def solve():
    """Solve a run's directory; its rows of costs.csv."""
    import csv

    def run(folder, *options):
        done = call(RESULTS, "solve", folder, "--published", PUBLISHED, *options)
        assert done.returncode == 0, done.stderr
        with open(os.path.join(folder, "costs.csv"), newline="", encoding="utf-8") as stream:
            return list(csv.DictReader(stream))
    return run


@pytest.fixture
def table():
    """Run the tables' program; the completed process."""
    return lambda *arguments: call("/usr/bin/python3", "-B",
                                   os.path.join(ROOT, "generator", "tables.py"), *arguments)

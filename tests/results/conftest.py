# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of the tests of the results."""

import csv
import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import PUBLISHED, RESULTS, ROOT, call  # noqa: E402


@pytest.fixture
def results():
    """Run asmsweep-results; the completed process."""
    return lambda *arguments: call(RESULTS, *arguments)


@pytest.fixture
def solve():
    """Solve a run's directory; its rows of costs.csv."""
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
                                   os.path.join(ROOT, "results", "tables", "main.py"), *arguments)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Nights on this machine: a change that was made is found, and none that was not.

ASMSWEEP_NIGHTS: how many nights without a change are counted (5).
"""

import os
import sys

import pytest

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "night"))

from core import NOPS, Attempts, cycles_of  # noqa: E402
from nights import SLOWER, of_kind  # noqa: E402
from whole import CPU, SLOW, build, whole_night  # noqa: E402

NIGHTS = int(os.environ.get("ASMSWEEP_NIGHTS", "5"))
# The most nights with an alarm that a level of 5 % gives with a chance of 2 % or more.
ALLOWED = {5: 1, 30: 4}[NIGHTS]
# Values that are missing, all of them missing, a change: what a neighbour did is told later.
ENDS = (0, 1, 3, 4)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nights")
    build(folder, slower=SLOWER)
    return folder


def runs(where):
    """The runs of the nights so far, the oldest first."""
    return sorted((where / "store").glob("*/*/2*"))


def test_a_change_of_three_percent_is_reported_on_the_first_night(place, tmp_path):
    """Each night must have a value of the loop, and so must the second look. Whatever came: no
    other loop is reported."""
    few = ("--only", f"{SLOW}*,{NOPS},known_answers.imul*", "--precision", "0.5%")
    attempts = Attempts()
    for number in attempts:
        where = tmp_path / str(number)
        whole_night(place, where, *few, ends=ENDS)
        done, found = whole_night(place, where, *few, ends=ENDS, programs="slower")
        changed = of_kind(found, "changed")
        assert {row["variant"] for row in changed} <= {SLOW}
        rows = [row for folder in runs(where) for row in cycles_of(folder)]
        attempts.take([row for row in rows if row["variant"] == NOPS or
                       row["variant"] == SLOW and row["status"] != "ok"])
        if not attempts.lacking:
            assert [row["variant"] for row in changed] == [SLOW] and done.returncode == 4
            print(f"{SLOW}: {100 * float(changed[0]['part']):+.2f} %")
            assert 0.02 < float(changed[0]["part"]) < 0.04
    attempts.settle()


def test_nights_without_a_change_alarm_as_often_as_the_level_allows(place, tmp_path):
    """Whatever neighbours do meanwhile. What they keep from having a value is not compared."""
    alarms, candidates, compared = 0, 0, 0
    whole_night(place, tmp_path, ends=ENDS)  # the others' base
    for _ in range(NIGHTS):
        done, found = whole_night(place, tmp_path, ends=ENDS)
        alarms += bool(of_kind(found, "changed"))
        candidates += len(of_kind(found, "changed")) + len(of_kind(found, "unconfirmed"))
        compared += sum(int(row["compared"]) for row in of_kind(found, "sweep"))
        assert (done.returncode == 4) == bool(of_kind(found, "changed") or of_kind(found, "lost"))
    print(f"{NIGHTS} nights, {compared} comparisons: {candidates} candidates, {alarms} nights "
          "with an alarm")
    assert alarms <= ALLOWED
    if compared <= 20 * NIGHTS:
        pytest.skip(f"hardly anything could be had, the core is shared: {compared} comparisons in "
                    f"{NIGHTS} nights")

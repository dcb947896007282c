# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables' section of orders: what it shows, and what it may leave out."""

import csv
import io
import re

import pytest
from synthetic import loop, write_run


@pytest.fixture
def made(tmp_path, solve, table):
    """A table of runs given as lists of loops; returns its text."""
    def render(*runs, kind="text"):
        folders = []
        for number, loops in enumerate(runs):
            loops = [dict(row, run_id=f"run-{number + 1}") for row in loops]
            folders.append(write_run(tmp_path / f"run{number}", loops))
            solve(folders[-1])
        done = table(*folders, "--format", kind)
        assert done.returncode == 0, done.stderr
        return done.stdout
    return render


def test_only_orders_that_matter_are_shown(made):
    loops = []
    for family, second in (("alike", 100.01), ("apart", 130.0)):
        for order, value in (("spread", 100.0), ("clustered", second)):
            loops.append(loop(f"{family}-{order}", "4*cli+4*sti", value, family=family,
                              order=order))
    text = made(loops)
    assert re.search(r"^apart: spread minus clustered \(100\.0 and 130\.0\)\n +-30\.0", text,
                     re.M)
    assert "alike: spread" not in text and "... and 1 more of alike" in text


def orders(family, values, **more):
    """Two loops of one mix for each pair of orders: {order: cycles}."""
    return [loop(f"{family}-{order}", "4*cli+4*sti", value, family=family, order=order, **more)
            for order, value in values.items()]


@pytest.mark.parametrize("kind, row", [
    ("text", r"^inter: spread minus clustered \(48\.00 and 48\.05\)\n +-0\.05 \["),
    ("markdown", r"^\| inter: spread minus clustered \(48\.00 and 48\.05\) \| 3 \| -0\.05 \\\["),
    ("latex", r"^inter: spread minus clustered \(48\.00 and 48\.05\) & 3 & -0\.05 \[")])
def test_where_no_order_matters_the_largest_effect_stays(made, kind, row):
    text = made(orders("inter", {"clustered": 48.05, "spread": 48.0}, half=0.01) +
                orders("other", {"clustered": 48.01, "spread": 48.0}, half=0.01),
                kind=kind)
    section = text.split("Does the order matter?")[1].split("Machine and")[0]
    assert re.search(row, section, re.M)
    assert "more of other" in section and "more of inter" not in section


def test_what_two_orders_took_stands_by_cpu(made):
    old = orders("inter", {"clustered": 48.0, "spread": 32.0})
    new = [dict(row, cpu_name="Other") for row in
           orders("inter", {"clustered": 50.0, "spread": 40.0})]
    text = " ".join(made(old, new).split())
    assert "inter: spread minus clustered (A: 32.00 and 48.00; B: 40.00 and 50.00)" in text
    rows = csv.DictReader(io.StringIO(made(old, kind="csv")))
    assert [(row["label"], row["detail"]) for row in rows if row["item"].startswith("order")] == [
        ("inter: spread minus clustered of 4*cli+4*sti (32.00 and 48.00)",
         "32.00 minus 48.00 cycles per iteration")]

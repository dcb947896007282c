# SPDX-License-Identifier: GPL-3.0-or-later
"""A sweep's own events: software events count without a PMU, and have known values here."""

import os

import pytest

from conftest import environment, rows, run
from test_runs import one_line

QUICK = ["--blocks", "3", "--slices", "20"]


@pytest.fixture(name="measured")
def measured_once(builds, out):
    run(builds("events"), "-o", out, "--events", "minor-faults,page-faults", *QUICK)
    if environment(out)["perf"] != "perf stat works":
        pytest.skip(environment(out)["perf"])
    return out


def events(folder, name, variant):
    return {row["event"]: row for row in rows(folder, name)
            if row["quantity"] == "event" and row["variant"] == variant}


def test_a_loop_of_one_fault_has_one_fault_an_iteration(measured):
    found = events(measured, "summary.csv", "faults")
    assert set(found) == {"page-faults", "minor-faults", "cpu-migrations"}
    for event in ("page-faults", "minor-faults"):
        row = found[event]
        assert (row["source"], row["per"], row["status"]) == ("kernel", "iteration", "ok")
        # 2000 iterations more, and a program's start is a few faults more or less.
        assert 0.99 < float(row["ci_low"]) <= float(row["value"]) <= float(row["ci_high"]) < 1.01


def test_zero_of_a_software_event_is_a_value(measured):
    for variant in ("faults", "none"):
        row = events(measured, "summary.csv", variant)["cpu-migrations"]
        assert (row["value"], row["ci_low"], row["ci_high"], row["status"]) == ("0", "0", "0", "ok")
    row = events(measured, "summary.csv", "none")["page-faults"]
    assert abs(float(row["value"])) < 0.003 and row["status"] == "ok"


def test_each_execution_has_its_count(measured):
    counted = [row for row in rows(measured, "measurements.csv")
               if row["quantity"] == "event" and row["event"] == "page-faults"]
    assert len(counted) >= 2 and {row["status"] for row in counted} == {"ok"}


def test_a_resumed_run_counts_the_same_events(builds, out):
    run(builds("events"), "-o", out, "--budget", "0.01", "--blocks", "3", "--slices", "20")
    run("--resume", "-o", out)
    if environment(out)["perf"] == "perf stat works":
        assert set(events(out, "summary.csv", "none")) == {"page-faults", "cpu-migrations"}


def test_an_event_that_perf_does_not_know_is_one_line_before_anything_runs(builds, out):
    done = run(builds("events"), "-o", out, "--events", "page-fault", *QUICK)
    if done.returncode == 0:
        pytest.skip(environment(out)["perf"])
    assert (done.returncode, done.stdout) == (2, "")
    assert one_line(done) == ("asmsweep-run: perf knows no event 'page-fault'; perf list names "
                              "those of this machine")
    assert not os.path.exists(out)

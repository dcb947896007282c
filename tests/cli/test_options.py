# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that do not fit together or name what is not there: one line before anything runs."""

import os

import pytest

from conftest import assert_ended, environment, rows, run
from test_runs import interrupted, one_line  # noqa: F401

QUICK = ["--blocks", "2", "--slices", "20"]


@pytest.mark.parametrize("options, line", [
    (["--accel", "tcg"], "--accel is of the guest engine; add --engine guest or leave it out"),
    (["--ring", "3"], "--ring is of the guest engine; add --engine guest or leave it out"),
    (["--engine", "perf", "--ring", "0"],
     "--ring is of the guest engine; add --engine guest or leave it out"),
    (["--guest-kernel", "/dev/null"],
     "--guest-kernel is of the guest engine; add --engine guest or leave it out"),
    (["--engine", "guest", "--accel", "foo"], "--accel is kvm or tcg, not 'foo'"),
    (["--engine", "guest", "--ring", "2"], "--ring is 0 or 3, not 2"),
    (["--engine", "guest", "--guest-kernel", "/nonexist"],
     "/nonexist: no file that can be read; --guest-kernel is build/programs/guest/kernel"),
    (["--engine", "guest", "--guest-kernel", "/tmp"],
     "/tmp: no file that can be read; --guest-kernel is build/programs/guest/kernel"),
])
def test_what_does_not_fit_is_named_and_nothing_runs(builds, out, options, line):
    done = run(builds("small"), "-o", out, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert one_line(done) == "asmsweep-run: " + line
    assert not os.path.exists(out)


def test_events_that_cannot_be_counted_are_said_and_have_their_rows(builds, out):
    done = run(builds("small"), "-o", out, "--events", "cache-misses,branches", "--only", "xor*",
               *QUICK)
    assert_ended(done)
    reason = environment(out)["pmu"]
    if reason == "cycles:u and instructions:u count":
        assert "not counted here" not in done.stderr
        return
    for event in ("cache-misses", "branches"):
        assert f"asmsweep-run: not counted here: {event}: {reason}\n" in done.stderr
    events = [row for row in rows(out, "summary.csv") if row["quantity"] == "event"]
    assert {(row["source"], row["value"], row["status"]) for row in events} == {
        ("pmu", "", "not_supported")}
    ok = [row["variant"] for row in rows(out, "summary.csv")
          if row["quantity"] == "cycles" and row["value"]]
    for variant in ok:
        assert [(row["event"], row["detail"]) for row in events if row["variant"] == variant] == [
            ("cache-misses", reason), ("branches", reason)]


@pytest.mark.parametrize("name", ["differences.csv", "sweep.json"])
def test_a_resumed_run_notices_that_its_sweep_asks_something_else(
        interrupted, name):  # noqa: F811
    folder, build = interrupted
    with open(os.path.join(build, name)) as asked, open(os.path.join(folder, name)) as kept:
        assert asked.read() == kept.read() != ""
    with open(os.path.join(build, name), "a") as stream:
        stream.write("\n")
    done = run("--resume", "-o", folder)
    assert done.returncode == 2
    assert "the sweep, its binaries or their proof changed since this run began" in one_line(done)

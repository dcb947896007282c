# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run makes of its executions: values that agree, scatter, come late, or never."""

import re

import pytest
from host import QUIET, SHARED

from conftest import assert_ended, rows, run

QUICK = ["--slices", "20"]
SHARED_CORE = "contended"
REMEDY = ("\nremedy: wait for a quieter time, take another CPU (--cpu N; ./asmsweep doctor names "
          "the quietest) or more executions (--blocks N; at least 5 now)\n")


def test_what_is_unstable_is_named_and_measured_again_and_again(builds, says, out):
    host = says("small", "crc.links16 0 between=0.05", "crc.links8 0 other=30 part=0.5")
    done = run(builds("small"), "-o", out, "--only", "crc*", *QUICK)
    assert_ended(done)
    summary = {row["variant"]: row for row in rows(out, "summary.csv")}
    assert {name: row["status"] for name, row in summary.items()} == {
        "crc.links8": "unstable", "crc.links16": "unstable", "crc.links32": "ok"}
    assert float(summary["crc.links16"]["value"]) == pytest.approx(48, rel=0.05)
    assert ("unstable, with two modes or an interval wider than 0.5 %: 2 variants (crc.links8, "
            "crc.links16)\n") in done.stderr
    assert "\ndisturbed: 2 of 3 variants; " in done.stderr and REMEDY in done.stderr
    assert host.executions("crc.links32") == 5
    assert 5 < host.executions("crc.links8") <= 60  # the time that the others took is what limits
    assert 5 < host.executions("crc.links16") <= 60


def test_one_far_execution_of_five_brings_more_and_then_counts_no_more(builds, says, out):
    says("small", "crc.links8 2 loop=36", "crc.links8 3 loop=24")
    done = run(builds("small"), "-o", out, "--only", "crc.links8", *QUICK)
    assert_ended(done)
    (row,) = rows(out, "summary.csv")
    assert (row["status"], row["executions"]) == ("ok", "10")
    assert float(row["value"]) == pytest.approx(24, rel=0.001)
    assert "1 of 10 executions far off, the farthest 36.0" in row["detail"]
    assert "remedy" not in done.stderr and "disturbed" not in done.stderr


def test_a_variant_whose_core_is_quiet_later_gets_its_value(builds, says, out):
    host = says("small", f"crc.* 0 {SHARED}", f"crc.* 7 {QUIET}")
    done = run(builds("small"), "-o", out, *QUICK)
    assert_ended(done)
    measured = [row for row in rows(out, "measurements.csv") if row["variant"] == "crc.links8"]
    assert [row["status"] for row in measured] == 7 * [SHARED_CORE] + 3 * ["ok"]
    assert all(row["value"] == "" for row in measured[:7])
    row = next(row for row in rows(out, "summary.csv") if row["variant"] == "crc.links8")
    assert (row["status"], row["executions"]) == ("ok", "3")
    assert float(row["value"]) == pytest.approx(24, rel=0.001)
    assert "7 of 10 executions contended: the core was shared: 0 of 20 slices " in row["detail"]
    assert host.executions("xor.links8") == 5  # those with a value were not measured again


def test_a_host_that_is_shared_throughout_gives_no_value_and_says_why(builds, says, out):
    host = says("small", f"* 0 {SHARED}")
    done = run(builds("small"), "-o", out, *QUICK)
    assert done.returncode == 3
    assert done.stderr.count("\nno value, ") + done.stderr.startswith("no value, ") == 1
    assert ("no value, contended: 6 variants (xor.links8, xor.links16, xor.links32, crc.links8, "
            "crc.links16, crc.links32): the core was shared: 0 of 20 slices without a neighbour or "
            "an interrupt; all together ") in done.stderr
    assert "\n0 values, 0 predicted to have none here, 6 failed\n" in done.stderr
    assert re.search(r"\ndisturbed: 6 of 6 variants; \d+ % of the slices were quiet(; the core is "
                     r"shared with CPU [\d; ]+)?\n", done.stderr)
    assert REMEDY in done.stderr
    for name in ("measurements.csv", "summary.csv"):
        assert {(row["status"], row["value"], row["ci_low"]) for row in rows(out, name)} == {
            (SHARED_CORE, "", "")}
    assert 5 < host.executions("crc.links32") <= 60  # five, and more that waited for quiet

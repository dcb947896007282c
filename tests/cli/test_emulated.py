# SPDX-License-Identifier: GPL-3.0-or-later
"""Instructions that the kernel or a hypervisor executes instead of the CPU: no costs."""

import os
import subprocess

import pytest

from conftest import ROOT, RUN, rows, run

CASES = os.path.join(ROOT, "tests/cases")
VALUES = {"ok", "unstable"}
NEIGHBOURS = {"invalid_reference", "contended"}  # of this machine: no test of this file judges them
UMIP = [name + claimed for name, claimed in (("sgdt", ""), ("sidt", ""), ("sldt", ""),
                                             ("smsw", ""), ("str", "_claimed"))]


def flags():
    with open("/proc/cpuinfo") as stream:
        return next(line for line in stream if line.startswith("flags")).split()


def summary(folder):
    return {row["variant"]: row for row in rows(folder, "summary.csv")}


@pytest.fixture
def here(builds, out):
    """here(CASE): (finished run of one block, rows by variant)."""
    def measured(case, *options):
        done = run(builds(os.path.join(CASES, case)), "-o", out, "--blocks", "1", "--slices", "50",
                   *options)
        return done, summary(out)
    return measured


def test_what_the_kernel_emulates_is_predicted_and_not_executed(builds, here):
    done, found = here("umip")
    assert sorted(found) == UMIP
    if "umip" not in flags():
        assert {row["status"] for row in found.values()} <= VALUES | NEIGHBOURS
        return
    for name, row in found.items():
        assert (row["status"], row["value"], row["ci_low"]) == ("emulated", "", "")
        assert row["detail"] == ("not executed: the kernel executes " + name.split("_")[0]
                                 + " for programs (UMIP), not the CPU")
    assert "0 values, 5 predicted to have none here, 0 failed" in done.stderr
    doctor = subprocess.run([RUN, "doctor", builds(os.path.join(CASES, "umip"))], check=True,
                            capture_output=True, text=True)
    assert "umip with engine perf: 0 of 5 variants can run, 5 are refused or emulated" in \
        doctor.stdout


@pytest.mark.parametrize("name", UMIP)
def test_what_traps_each_time_is_found_by_trying_too(builds, name):
    path = os.path.join(builds(os.path.join(CASES, "umip")), "bin", name)
    done = subprocess.run([path, "--stopwatch", "2"], check=True, capture_output=True, text=True)
    notes = ["note traps"] if "umip" in flags() else []
    # A header, a slice with a check behind it, a slice.
    assert done.stdout.splitlines()[4:] == [*notes, "end 2"]


def test_cpuid_leaves_a_virtual_machine_and_what_is_only_slow_keeps_its_cost(here):
    _, found = here("vm_exit")
    for name in ("rdrand", "rdseed", "rdtsc"):
        assert found[name]["status"] in VALUES | NEIGHBOURS, found[name]["detail"]
        assert found[name]["value"] or found[name]["status"] in NEIGHBOURS
    for name in ("cpuid.n1", "cpuid.n2"):
        if "hypervisor" in flags():
            assert (found[name]["status"], found[name]["value"], found[name]["detail"]) == (
                "emulated", "",
                "not executed: cpuid leaves the virtual machine: the hypervisor executes it")
        else:
            assert found[name]["status"] in VALUES | NEIGHBOURS


def test_a_split_lock_has_its_cost_only_where_nothing_traps(here):
    _, found = here("split_lock")
    row = found["split"]
    if row["status"] == "emulated":
        assert row["value"] == "" and "kernel" in row["detail"]
    elif row["status"] == "faulted":
        assert "died of SIGBUS" in row["detail"]  # split_lock_detect=fatal
    elif row["status"] in VALUES:
        assert 100 < float(row["value"]) < 50000
        assert "hypervisor" not in flags() or "may be the hypervisor that works" in row["detail"]
    else:
        assert row["status"] in NEIGHBOURS

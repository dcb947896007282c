# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs with the guest engine on a software CPU: rows without a cost, in every block."""

import shutil
import subprocess

import pytest

from conftest import RUN, journal, rows, run, start
from test_runs import one_line, wait_for_lines

GUEST = ["--engine", "guest", "--accel", "tcg", "--slices", "20"]


@pytest.fixture(autouse=True)
def qemu():
    if not shutil.which("qemu-system-x86_64"):
        pytest.skip("qemu-system-x86_64 is not installed (package qemu-system-x86)")


def said_of(folder, name):
    """What each row of a file says of the engine and of the value, without doubles."""
    return {tuple(row[column] for column in ("engine", "accel", "ring", "quantity", "source",
                                             "value", "status"))
            for row in rows(folder, name)}


@pytest.mark.parametrize("ring", ["0", "3"])
def test_two_blocks_on_a_software_cpu_are_emulated_and_name_their_source(builds, out, ring):
    done = run(builds("small", real=True), "-o", out, *GUEST, "--ring", ring, "--blocks", "2")
    assert done.returncode == 3, done.stderr
    assert "0 values, 6 predicted to have none here, 0 failed" in done.stderr
    expected = {("guest", "tcg", ring, "cycles", "stopwatch", "", "emulated")}
    for name, count in (("measurements.csv", 12), ("summary.csv", 6)):
        assert said_of(out, name) == expected
        assert len(rows(out, name)) == count
        # Behind it may stand what disturbed this machine.
        assert {row["detail"].split("; ")[0] for row in rows(out, name)} == {
            "executed to its end by a software CPU, which has no costs"}


def test_a_killed_run_goes_on_with_its_engine_accelerator_and_ring(builds, out):
    process = start(builds("small", real=True), "-o", out, *GUEST, "--ring", "3", "--blocks", "20")
    wait_for_lines(process, out, 8)
    process.kill()
    process.communicate()
    assert len(journal(out)) < 120
    done = run("--resume", "-o", out)
    assert done.returncode == 3, done.stderr
    assert len(rows(out, "measurements.csv")) == len(journal(out)) == 120
    for name in ("measurements.csv", "summary.csv"):
        assert said_of(out, name) == {("guest", "tcg", "3", "cycles", "stopwatch", "", "emulated")}


@pytest.mark.parametrize("option, value", [("--engine", "perf"), ("--accel", "kvm"),
                                           ("--ring", "0")])
def test_a_resumed_run_takes_no_other_engine(builds, out, option, value):
    run(builds("small", real=True), "-o", out, *GUEST, "--ring", "3", "--blocks", "1")
    done = run("--resume", "-o", out, option, value)
    assert done.returncode == 2
    assert one_line(done).endswith(
        f"--resume goes on as the run was begun; leave out {option}")


def test_no_kvm_stumbles_over_an_instruction_of_the_guests_kernel(builds):
    # A KVM that runs its guests de-privileged emulates their kernel, and knows few instructions.
    done = subprocess.run([RUN, "doctor", builds("small", real=True)], capture_output=True,
                          text=True, check=False)
    assert "engine guest: " in done.stdout and "KVM internal error" not in done.stdout

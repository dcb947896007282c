# SPDX-License-Identifier: GPL-3.0-or-later
"""Variants that go astray: each has its status and reason, all others are unharmed."""

import contextlib
import csv
import glob
import os
import shutil
import signal
import subprocess
import time

import pytest
from host import WIDTH_LEVEL, perf_forbidden

from conftest import CPU, NOBODY, RUN, assert_ended, environment, is_root, rows, run, start


# What the stopwatch may say of real loops here: no test of this file judges how quiet the core is.
EXECUTED = {"ok", "unstable", "contended", "invalid_reference"}


@pytest.fixture(scope="module")
def strays(builds, place):
    """(finished run, rows of summary.csv by variant, folder); two blocks: perf stat's and ours."""
    folder = os.path.join(place, "strays")
    done = run(builds("strays"), "-o", folder, "--blocks", "2", "--slices", "50", "--timeout",
               "1s")
    return done, {row["variant"]: row for row in rows(folder, "summary.csv")}, folder


def executed(folder, variant):
    """Its rows of measurements.csv: two whole executions, of 40 slices beside a neighbour."""
    measured = [row for row in rows(folder, "measurements.csv") if row["variant"] == variant]
    slices = [row["block"] for row in rows(folder, "samples.csv") if row["variant"] == variant]
    assert sorted(row["block"] for row in measured) == sorted(set(slices)) and len(measured) == 2
    assert all(40 <= slices.count(row["block"]) <= 50 for row in measured)
    assert {row["status"] for row in measured} <= EXECUTED
    return measured


@pytest.mark.parametrize("flag", ["df", "ac", "nt", "id"])
def test_a_flag_left_set_is_named(strays, flag):
    for row in executed(strays[2], "leaves." + flag):
        assert f"leaves {flag.upper()} changed" in row["detail"]


def test_the_value_of_a_loop_that_leaves_a_flag_set_stands(builds, says, out):
    says("small", f"crc.links16 0 flags={0x400 | 0x40000}")
    assert_ended(run(builds("small"), "-o", out, "--only", "crc.links16", "--slices", "50"))
    (row,) = rows(out, "summary.csv")
    assert row["status"] == "ok" and "leaves DF, AC changed" in row["detail"]
    assert float(row["value"]) == pytest.approx(48, rel=0.001)


@pytest.mark.parametrize("variant,status,reason", [
    ("loses_rsp", "faulted", "the loop did not leave RSP as it found it"),
    ("overwrites_canary", "faulted", "the loop overwrote the stack above RSP"),
    ("dies", "faulted", "died of SIGILL at byte 0 of the body: invalid opcode"),
    ("reads_nowhere", "faulted", "died of SIGSEGV at byte 0 of the body: no such memory at 0x0"),
    ("hangs", "timed_out", "still running after the 1 s allowed"),
    ("clobbers", "timed_out", "still running after the 1 s allowed; the body writes EAX, which "
                              "counts the loop"),
    ("elsewhere", "unproved", "the loop leaves its section; no .section or .text in setup, body "
                              "and teardown without going back to .loop"),
    ("prints", "faulted", "unexpected output: 'hi'"),
    ("forks", "faulted", "the loop made system call 57 (fork), which its sweep does not declare: "
                         'syscalls = ["fork"]'),
    ("opens_by_int80", "faulted", "the loop made system call 5 by int $0x80, which none may"),
    ("writes_elsewhere", "faulted", "the loop made system call 1 (write), which its sweep does not "
                                    "declare"),
    ("calls_astray", "faulted", "the loop made system call 41 (socket)"),
    ("takes_all_memory", "faulted", "died of SIGILL"),
    ("exits_early", "faulted", "no end mark: the variant did not finish"),
])
def test_each_way_astray_has_its_status_and_reason(strays, variant, status, reason):
    done, summary, folder = strays
    row = summary[variant]
    assert (row["status"], row["value"]) == (status, "")
    assert reason in row["detail"]
    assert f"no value, {status}:" in done.stderr and variant in done.stderr
    for execution in rows(folder, "measurements.csv"):
        if execution["variant"] == variant:
            assert (execution["status"], execution["value"], execution["ci_low"]) == \
                (status, "", "")
            assert reason in execution["detail"], f"block {execution['block']}"


def test_one_that_hangs_is_gone_afterwards(strays):
    program = os.path.join(os.path.dirname(strays[2]), "real-strays", "bin", "hangs").encode()
    for process in glob.glob("/proc/[0-9]*/cmdline"):
        with contextlib.suppress(OSError), open(process, "rb") as stream:
            assert not stream.read().startswith(program), f"{process} still runs"


def test_a_declared_call_is_made_and_measured(builds, out):
    run(builds("callers"), "-o", out, "--only", "getpid", "--blocks", "2", "--slices", "50")
    executed(out, "getpid")


def test_a_declared_call_that_waits_has_no_cost(builds, out):
    run(builds("callers"), "-o", out, "--only", "waits", "--blocks", "1", "--slices", "20")
    (row,) = rows(out, "summary.csv")
    assert (row["status"], row["value"]) == ("emulated", "")
    assert "a system call of the loop waits" in row["detail"]


def test_a_setup_that_takes_all_the_time_is_named(builds, out):
    run(builds("callers"), "-o", out, "--only", "prepares_long", "--blocks", "1", "--timeout",
        "1s")
    (row,) = rows(out, "summary.csv")
    assert (row["status"], row["value"]) == ("timed_out", "")
    assert "still running after the 1 s allowed; setup and teardown take " in row["detail"]
    assert "take fewer --slices or a longer --timeout" in row["detail"]


def test_the_good_ones_are_unharmed(strays):
    done, summary, folder = strays
    for links in (8, 16):
        executed(folder, f"good.links{links}")
        assert summary[f"good.links{links}"]["status"] in EXECUTED
    assert done.returncode in (1, 3)  # 3: the neighbours of this machine left none a value
    assert len(rows(folder, "measurements.csv")) == 2 * 20


def test_what_goes_astray_costs_the_others_nothing(builds, says, out):
    says("small", "crc.links8 0 dies=11", "crc.links16 0 cut", "crc.links32 0 hangs",
         "xor.links8 0 prints")
    done = run(builds("small"), "-o", out, "--blocks", "2", "--timeout", "1s")
    summary = {row["variant"]: row for row in rows(out, "summary.csv")}
    assert {name: (row["status"], row["value"]) for name, row in summary.items()
            if not name.startswith("xor.links") or name == "xor.links8"} == {
        "crc.links8": ("faulted", ""), "crc.links16": ("faulted", ""),
        "crc.links32": ("timed_out", ""), "xor.links8": ("faulted", "")}
    for links in (16, 32):
        assert summary[f"xor.links{links}"]["status"] == "ok"
        assert float(summary[f"xor.links{links}"]["value"]) == pytest.approx(links, rel=0.001)
    assert done.returncode == 1
    assert "\n2 values, 0 predicted to have none here, 4 failed\n" in done.stderr


@pytest.fixture
def shipped(builds, out):
    """(program, build) copied to where an ordinary user may read them."""
    folder = os.path.join(os.path.dirname(out), "shipped")
    shutil.copytree(builds("small"), folder, ignore=shutil.ignore_patterns("CMake*", "obj"))
    program = os.path.join(folder, "asmsweep-run")
    shutil.copy(RUN, program)
    os.system(f"chmod -R a+rX '{folder}'")  # noqa: S605 - a path of our own
    return program, folder


@pytest.fixture
def forbidden_perf():
    if not is_root():
        pytest.skip("not root: cannot become another user")
    with perf_forbidden():
        yield


def check_values(folder):
    summary = rows(folder, "summary.csv")
    assert {(row["source"], row["status"]) for row in summary} == {("stopwatch", "ok")}
    assert {row["variant"]: round(float(row["value"])) for row in summary} == {
        f"{loop}.links{links}": links * cycles
        for loop, cycles in (("xor", 1), ("crc", 3)) for links in (8, 16, 32)}


def test_an_ordinary_user_without_perf_gets_values_and_the_setting_named(shipped, out,
                                                                         forbidden_perf):
    program, build = shipped
    assert_ended(subprocess.run(
        [*NOBODY, program, "run", build, "-o", out, "--blocks", "2"],
        capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL, cwd="/"))
    check_values(out)
    said = environment(out)["perf"]
    assert "kernel.perf_event_paranoid=" in said and "variants run directly" in said


def test_without_perf_installed_there_are_values_and_perf_is_named(builds, out):
    assert_ended(run(builds("small"), "-o", out, "--blocks", "2", 
                     env={"PATH": "/nonexistent", WIDTH_LEVEL: os.environ[WIDTH_LEVEL]}))
    check_values(out)
    assert environment(out)["perf"] == ("no perf stat, variants run directly (perf cannot be "
                                        "started: No such file or directory)")


@pytest.fixture
def copied(builds, out):
    folder = os.path.join(os.path.dirname(out), "copied")
    shutil.copytree(builds("small"), folder)
    return folder


def test_one_byte_changed_after_the_build_is_unproved_and_the_rest_measured(copied, out):
    path = os.path.join(copied, "bin", "xor.links16")
    with open(path, "r+b") as stream:
        stream.seek(-1, os.SEEK_END)
        last = stream.read(1)
        stream.seek(-1, os.SEEK_END)
        stream.write(bytes([last[0] ^ 1]))
    done = run(copied, "-o", out, "--blocks", "3")
    summary = {row["variant"]: row for row in rows(out, "summary.csv")}
    row = summary.pop("xor.links16")
    assert (row["status"], row["value"]) == ("unproved", "")
    assert "its binary is not the one that was proved: build the sweep again" in row["detail"]
    assert done.returncode == 1
    assert [r["status"] for r in summary.values()] == 5 * ["ok"]


def test_an_unproved_binary_is_not_executed(copied, out):
    path, trace = os.path.join(copied, "bin", "xor.links16"), out + ".executed"
    with open(path, "w") as stream:
        stream.write(f"#!/bin/sh\ntouch '{trace}'\n")
    run(copied, "-o", out, "--blocks", "1", "--precision", "50%")
    assert not os.path.exists(trace)


@pytest.mark.parametrize("status, detail, reason", [
    ("mismatch", "size: claimed 6, found 7", "size: claimed 6, found 7"),
    ("not_proved", "guest: CPL3: no end", "guest: CPL3: no end"),
    ("not_proved", "", "its proof failed: build the sweep again")])
def test_a_proof_that_is_not_ok_proves_nothing(copied, out, status, detail, reason):
    path = os.path.join(copied, "proof.csv")
    with open(path, newline="", encoding="utf-8") as stream:
        proof = list(csv.DictReader(stream))
    for row in proof:
        row.update(status=status, detail=detail)
    with open(path, "w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, proof[0])
        writer.writeheader()
        writer.writerows(proof)
    run(copied, "-o", out, "--blocks", "1", "--only", "xor.links16")
    (row,) = rows(out, "summary.csv")
    assert row["status"] == "unproved" and reason in row["detail"]


@pytest.mark.parametrize("instead, why", [(None, "build the sweep again"),
                                          (os.mkdir, "Is a directory")])
def test_a_binary_that_cannot_be_read_is_unproved_for_that_reason(copied, out, instead, why):
    path = os.path.join(copied, "bin", "xor.links16")
    os.remove(path)
    if instead:
        instead(path)
    done = run(copied, "-o", out, "--blocks", "1", "--only", "xor.links16")
    (row,) = rows(out, "summary.csv")
    assert (row["status"], row["value"]) == ("unproved", "")
    assert row["detail"] == f"not executed: its binary cannot be read: {why}"
    assert done.returncode == 3


def pids_of(path):
    """Of the processes that execute the file."""
    found = []
    for link in glob.glob("/proc/[0-9]*/exe"):
        with contextlib.suppress(OSError):
            if os.path.samefile(os.readlink(link), path):
                found.append(int(link.split("/")[2]))
    return found


def until(condition, seconds=30):
    ends = time.monotonic() + seconds
    while not condition() and time.monotonic() < ends:
        time.sleep(0.01)
    return condition()


@pytest.mark.parametrize("before", [[], NOBODY], ids=["as_is", "nobody"])
def test_one_that_starts_processes_without_end_is_ended_with_all_of_them(builds, out, before):
    if before and not is_root():
        pytest.skip("not root: cannot become another user")
    path = os.path.join(builds("callers"), "bin", "starts_without_end")
    program = os.path.join(os.path.dirname(out), "asmsweep-run")
    shutil.copy(RUN, program)
    with subprocess.Popen(
            [*before, program, "run", builds("callers"), "-o", out, "--only", "starts_without_end",
             "--blocks", "1", "--timeout", "2s", "--cpu", CPU], cwd="/",
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        most = 0
        while process.poll() is None:
            most = max(most, len(pids_of(path)))
            time.sleep(0.05)
        left, said = pids_of(path), process.stderr.read()
    assert (left, process.returncode) == ([], 3)
    assert "still running after the 2 s allowed" in said
    assert 10 < most <= 64


def test_a_killed_runner_leaves_no_loop_behind_its_perf(builds, out):
    build = builds("strays")
    path = os.path.join(build, "bin", "hangs")
    process = start(build, "-o", out, "--only", "hangs", "--timeout", "100s")
    assert until(lambda: pids_of(path))
    process.kill()
    process.communicate()
    gone = until(lambda: not pids_of(path), 10)
    for pid in pids_of(path):
        os.kill(pid, signal.SIGKILL)
    assert gone, "the loop goes on without its runner"

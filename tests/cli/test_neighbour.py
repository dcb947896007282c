# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told of the core and its neighbours, whatever the neighbour of this machine does."""

import os
import re
import subprocess
import time

import pytest

from conftest import CPU, RUN, command, environment, is_root, rows, run, start

OURS = sorted(os.sched_getaffinity(0))
LISTED = OURS[:8]  # doctor examines no more


def test_doctor_examines_each_cpu_and_each_pair(tmp_path):
    done = subprocess.run([RUN, "doctor"], capture_output=True, text=True, check=False,
                          env={"PATH": str(tmp_path)})  # no QEMU, which takes long
    assert done.returncode == 0, done.stderr
    shares = {}
    for cpu, said in re.findall(r"^CPU (\d+): (.*)$", done.stdout, re.M):
        known = re.fullmatch(r"(?:quiet (\d+) % of the time, (?:no|a) neighbour now|no time .*); "
                             r"level (\d+\.\d\d) cycles, (?:listed|remembered|seen) .*", said)
        assert known or said.startswith("whether its core is shared cannot be told: "), said
        assert not known or 95 / 8 - 0.1 < float(known[2]) < 48, said
        shares[int(cpu)] = float(known[1] if known and known[1] else "nan")
    assert sorted(shares) == LISTED
    pairs = re.findall(r"^CPU (\d+) and (\d+) (?:do not share a core|share a core|"
                       r"share a core or not: cannot be told now)$", done.stdout, re.M)
    assert [tuple(map(int, pair)) for pair in pairs] == [
        (one, other) for i, one in enumerate(LISTED) for other in LISTED[i + 1:]]
    best = re.findall(r"^quietest now: CPU (\d+); run takes it with --cpu \1$", done.stdout, re.M)
    known = [share for share in shares.values() if share == share]
    assert len(best) == (len(LISTED) > 1 and len(known) > 0)
    assert all(shares[int(cpu)] == max(known) for cpu in best)


def test_the_environment_says_what_was_found(builds, out):
    assert run(builds("small"), "-o", out, "--blocks", "1").returncode == 0
    found = environment(out)
    assert found["width_level_how"]
    assert not found["width_level"] or 95 / 8 - 0.1 < float(found["width_level"]) < 48
    assert not found["quiet_share"] or 0 <= float(found["quiet_share"]) <= 1
    assert bool(found["quiet_share"]) <= bool(found["width_level"])
    assert CPU not in found["siblings_found"].split("; ")
    for key, path in (("randomize_va_space", "/proc/sys/kernel/randomize_va_space"),
                      ("personality", "/proc/self/personality"),
                      ("transparent_hugepage", "/sys/kernel/mm/transparent_hugepage/enabled")):
        there = open(path).readline().strip() if os.path.exists(path) else ""
        assert found[key] == there


def allowed(pid):
    return set(os.sched_getaffinity(pid))


def test_the_runner_stays_off_the_cpu_it_measures(builds, out):
    running = start(builds("small"), "-o", out, "--blocks", "1000")
    try:
        running.stdout.readline()  # its folder
        ends = time.monotonic() + 60
        while not os.path.exists(f"{out}/environment.csv") and time.monotonic() < ends:
            time.sleep(0.05)
        siblings = {int(cpu) for cpu in environment(out)["siblings_found"].split("; ") if cpu}
        others = set(OURS) - {int(CPU)}
        wanted = others - siblings or others or set(OURS)
        # For a moment it is on the measured CPU, to read that one's CPUID.
        while allowed(running.pid) != wanted and time.monotonic() < ends:
            time.sleep(0.05)
        assert allowed(running.pid) == wanted
    finally:
        running.terminate()
        running.communicate()


def test_contended_needs_a_cpu_that_shares_the_core(builds, out):
    done = run(builds("small"), "-o", out, "--contended", "--blocks", "1")
    if done.returncode == 0:
        pytest.skip("a CPU shares the core here")
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert (f"--contended needs a CPU of ours that shares the core of CPU {CPU}, and none was "
            "found; ./asmsweep doctor shows which share one") in done.stderr
    assert not os.path.exists(out)


def test_contended_needs_slices(builds, out):
    done = run(builds("unit"), "-o", out, "--contended", "--engine", "hyperfine")
    if "--contended" not in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 2
    assert "--contended needs the stopwatch's slices, which engine hyperfine has not" in done.stderr


@pytest.fixture(name="as_siblings")
def told(tmp_path):
    """A prefix for a command that the kernel tells a tale: CPU and OTHER share a core."""
    path = f"/sys/devices/system/cpu/cpu{CPU}/topology/thread_siblings_list"
    if not is_root() or len(OURS) < 2 or subprocess.run(["unshare", "-m", "true"],
                                                        check=False).returncode:
        pytest.skip("needs root, unshare -m and two CPUs")
    (tmp_path / "list").write_text(f"{OURS[0]},{CPU}\n")
    return ["unshare", "-m", "sh", "-c", 'mount --bind "$1" "$2" && shift 2 && exec "$@"', "sh",
            str(tmp_path / "list"), path]


def threads(pid):
    """The CPUs that each thread of a process may use, the first one's left out."""
    return [allowed(int(thread)) for thread in os.listdir(f"/proc/{pid}/task")
            if int(thread) != pid]


def test_contended_measures_again_beside_a_busy_neighbour(builds, out, as_siblings):
    running = subprocess.Popen([*as_siblings, *command([builds("small"), "-o", out, "--contended",
                                                        "--blocks", "3"])],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    seen = []
    while running.poll() is None:
        try:
            seen += threads(running.pid)
        except OSError:
            pass  # a thread or the process just ended
        time.sleep(0.002)
    assert running.returncode == 0, running.stderr.read()
    assert {OURS[0]} in seen
    assert environment(out)["siblings_found"] == str(OURS[0])
    measured = rows(out, "measurements.csv")
    beside = [row for row in measured if row["quantity"] == "contended_cycles"]
    assert len(beside) == 6 * 3
    assert min(int(row["block"]) for row in beside) > max(
        int(row["block"]) for row in measured if row["quantity"] == "cycles")
    pooled = {(row["variant"], row["quantity"]): row for row in rows(out, "summary.csv")}
    for loop, cycles in (("xor", 1), ("crc", 3)):  # the simulated host has no neighbour
        for links in (8, 16, 32):
            row = pooled[f"{loop}.links{links}", "contended_cycles"]
            assert float(row["value"]) == pytest.approx(links * cycles, rel=0.01)
            assert row["executions"] == "3"
            assert (f"{loop}.links{links}", "cycles") in pooled


def test_a_run_that_is_resumed_beside_its_neighbour_has_each_row_once(builds, out, as_siblings):
    running = subprocess.Popen([*as_siblings, *command([builds("small"), "-o", out, "--contended",
                                                        "--blocks", "3"])],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while running.poll() is None and not (
            os.path.exists(f"{out}/measurements.csv") and
            "contended_cycles" in open(f"{out}/measurements.csv").read()):
        time.sleep(0.005)
    running.terminate()
    running.communicate()
    assert running.returncode == 1
    done = run("--resume", "-o", out, before=as_siblings)
    assert done.returncode == 0, done.stderr
    beside = [(row["variant"], row["block"]) for row in rows(out, "measurements.csv")
              if row["quantity"] == "contended_cycles"]
    assert len(beside) == len(set(beside)) == 6 * 3

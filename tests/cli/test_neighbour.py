# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told of the core and its neighbours, whatever the neighbour of this machine does."""

import os
import re
import subprocess
import time

from conftest import CPU, RUN, environment, run, start

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

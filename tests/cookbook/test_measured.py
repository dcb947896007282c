# SPDX-License-Identifier: GPL-3.0-or-later
"""What the studies of the cookbook find here: bounds that hold on every x86-64 core. A row may be
contended, and a wide interval is none of the study's doing; a value that is there is judged."""

import csv
import os
import subprocess

import pytest
from studies import FOLDER, PROGRAMS, STUDIES, build

RUN = os.environ.get("ASMSWEEP_RUN", f"{PROGRAMS}/asmsweep-run")
# What a neighbour, or the machine, does to a row: all else is a fault of the study.
MOMENTS = {"ok", "unstable", "contended", "invalid_reference"}
# Rows that have no value by their nature, at least on some machines.
NONE = {"read.cpuid": {"emulated"}, "mulsd.sinks": {"not_constant"},
        "add.locked.split": {"unavailable", "emulated", "faulted", "refused"},
        "add.xchg.split": {"unavailable", "emulated", "faulted", "refused"}}
# Values that what is in caches, predictors and buffers makes differ from run to run.
MAY_CHANGE = {"alias_4k", "call_ret", "cold_memory", "huge_pages", "load_latency", "lock_add",
              "loop_alignment", "rep_string", "store_forward"}


def between(name, least, most):
    """Cycles of an iteration lie within bounds."""
    return lambda had: name not in had or least <= had[name] <= most


def dearer(name, than, times):
    """One loop takes so many times what another does, or more."""
    return lambda had: not {name, than} <= set(had) or had[name] >= times * had[than]


CLAIMS = {
    "load_latency": [between("load.kib16", 2.9, 7), dearer("load.kib262144", "load.kib16", 10)],
    "huge_pages": [dearer("load.mib256.huge", "load.mib1.huge", 1.5)],
    "cold_memory": [dearer("read.stride4160.cold", "read.stride64.cold", 1.2)],
    "store_forward": [dearer("forward.bytes8.offset7", "forward.bytes1.offset7", 1.5)],
    "alias_4k": [dearer("load.distance4096", "load.distance64", 0.8)],
    "mispredict": [dearer("branch.random", "branch.never", 1.5)],
    "div_values": [between("div.dividend8.divisor2", 8, 100)],
    "denormals": [between("mulsd.normal", 3, 20)],
    "rep_string": [dearer("rep.movsb.bytes16384", "rep.movsb.bytes1024", 2)],
    "upper_half": [between("sse.clean.paddd", 15.5, 17.5)],
    "loop_alignment": [between("sum", 0.9, 8)],
    "call_ret": [dearer("call.depth64", "call.depth8", 6)],
    "gather": [dearer("eight.gather.apart4", "eight.inserts.apart4", 0.5)],
    "timestamps": [between("read.rdtsc", 8, 500), dearer("read.rdtscp", "read.rdtsc", 0.9)],
    "idioms": [dearer("pair.and", "pair.xor", 2)],
    "partial_registers": [dearer("after_imul.mov16", "after_imul.mov64", 1.5)],
    "lock_add": [dearer("add.locked.line", "add.plain.line", 1.5),
                 dearer("add.locked.split", "add.locked.line", 10)],
    "unaligned_loads": [dearer("load.bytes32.line", "load.bytes32.nothing", 1.4)],
    "accumulators": [between("sum.accumulators1", 3.9, 6.1)],
    "lea": [between("lea.chains1.scaled", 7.9, 16.5)],
}


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_finds_what_it_is_about(name, tmp_path):
    out = str(tmp_path / "run")
    built = build(tmp_path / "build", f"{FOLDER}/{name}.toml")
    done = subprocess.run([RUN, "run", built, "-o", out], check=False, capture_output=True,
                          text=True)
    assert done.returncode in (0, 1, 3), done.stderr
    with open(f"{out}/summary.csv", newline="", encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream)
                if (row["quantity"], row["source"]) == ("cycles", "stopwatch")]
    allowed = MOMENTS | ({"not_constant"} if name in MAY_CHANGE else set())
    for row in rows:
        if "SIGILL" in row["detail"]:
            continue  # a CPU without AVX2 or FMA
        assert row["status"] in allowed | NONE.get(row["variant"], set()), row["detail"]
    had = {row["variant"]: float(row["value"]) for row in rows if row["status"] == "ok"}
    print(name, had)
    assert "mulsd.sinks" not in had
    for number, holds in enumerate(CLAIMS[name]):
        assert holds(had), (number, had)
    if not had:
        pytest.skip("nothing could be had, the core is shared")

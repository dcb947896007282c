# SPDX-License-Identifier: GPL-3.0-or-later
"""What the fault tests share: the programs, a small sweep, and what a whole run looks like."""

import atexit
import collections
import csv
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "host"))

from host import Host  # noqa: E402


def _preloadable(path):
    """The library under a name without a space: ld.so takes a space for the next name."""
    if " " not in str(path):
        return path
    folder = tempfile.mkdtemp(prefix="faulty-io-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return pathlib.Path(shutil.copy(path, folder))


ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("ASMSWEEP_BIN", ROOT / "build/programs/bin"))
LIBRARY = _preloadable(pathlib.Path(os.environ.get(
    "ASMSWEEP_FAULTY_IO", ROOT / "build/programs/tests/faults/libfaulty_io.so")))
RUN, PROVE, RESULTS = (BIN / f"asmsweep-{name}" for name in ("run", "prove", "results"))
# Without FAULTY_IO the library breaks nothing; it keeps a run from waiting for another one.
PRELOAD = {"LD_PRELOAD": str(LIBRARY), "ASAN_OPTIONS": "verify_asan_link_order=0"}
ALONE = ["env", *(f"{name}={value}" for name, value in PRELOAD.items())]
PUBLISHED = ["--published", ROOT / "results/published"]
PYTHON = "/usr/bin/python3"

# Cycles of an iteration on the simulated host (tests/host), which every run here is made on.
CYCLES = {"small.links16": 16, "small.links64": 64}
# So little noise that each of the few slices of an execution of SHORT tells the value.
COSTS = ["* 0 noise=0.0001",
         *(f"{variant} 0 loop={cycles}" for variant, cycles in CYCLES.items())]
VARIANTS = list(CYCLES)
BLOCKS = 2
# As few executions as show everything: two variants, two blocks, no block on top.
# On one CPU: a hybrid machine has two kinds, and rows for each.
SHORT = ["--blocks", str(BLOCKS), "--slices", "20", "--cpu", str(max(os.sched_getaffinity(0)))]
SWEEP = """
summary = "two variants"

[[loop]]
name = "small"
body = "<{ repeat('add %rdx,%rdx', links) }>"
group = "add"
groups = "<{ links }>"
axes = { links = [16, 64] }
claims = { mix = "<{ links }>*add" }
"""


def call(*arguments, **more):
    """The finished process. It ends by itself, soon, and never by a signal."""
    more.setdefault("stdin", subprocess.DEVNULL)
    if pathlib.Path(arguments[0]).parent == BIN:
        more["env"] = {**(more.get("env") or os.environ), **PRELOAD}
    if "stdout" not in more:
        more.update(stdout=subprocess.PIPE)
    done = subprocess.run([str(a) for a in arguments], stderr=subprocess.PIPE, timeout=90,
                          check=False, **more)
    done.errors = done.stderr.decode(errors="replace")
    assert done.returncode >= 0, f"died of signal {-done.returncode}: {done.errors}"
    assert "Sanitizer" not in done.errors, done.errors
    return done


def rows(path):
    with open(path, newline="", encoding="utf-8") as stream:
        table = list(csv.DictReader(stream))
    assert all(None not in row and None not in row.values() for row in table), f"torn: {path}"
    return table


def pairs(path):
    """environment.csv or notes.csv as a dictionary."""
    return {row["key"]: row["value"] for row in rows(path)}


def complaints(done):
    return [line for line in done.errors.splitlines() if line.startswith("asmsweep-")]


def complaint(done):
    """The one line of a program that gave up, with exit status 2 or 3."""
    assert done.returncode in (2, 3), (done.returncode, done.errors)
    lines = complaints(done)
    assert len(lines) == 1, done.errors
    assert len(lines[0].split(": ", 1)[1]) > 20, lines
    return lines[0]


def stopwatch_rows(folder):
    return [row for row in rows(folder / "measurements.csv")
            if (row["source"], row["quantity"]) == ("stopwatch", "cycles")]


def assert_values(table):
    """Each row of it says ok, with what the simulated host's loop takes."""
    for row in table:
        assert row["status"] == "ok", (row["variant"], row["status"], row["detail"])
        assert float(row["value"]) == pytest.approx(CYCLES[row["variant"]], rel=0.001)


def assert_whole_run(folder, build, astray=()):
    """Every file of the run is there, whole, with each execution exactly once, and its value.

    `astray`: (variant, block) of each execution that the test keeps from a value."""
    measured = [row for row in rows(folder / "measurements.csv")
                if row["quantity"] == "cycles" and row["source"] != "pmu"]
    executions = collections.Counter((row["variant"], row["block"]) for row in measured)
    assert executions == {(v, str(b)): 1 for v in VARIANTS for b in range(BLOCKS)}
    valued = [row for row in measured if (row["variant"], row["block"]) not in astray]
    assert_values(valued)
    assert not [row for row in measured if row not in valued and (
        row["status"] == "ok" or row["value"])], "the test kept it from a value"
    assert len({row["run_id"] for row in measured}) == 1
    summary = [row for row in rows(folder / "summary.csv")
               if row["quantity"] == "cycles" and row["source"] != "pmu"]
    assert sorted(row["variant"] for row in summary) == sorted(VARIANTS)
    ended = {row["variant"] for row in valued}
    assert_values([row for row in summary if row["variant"] in ended])
    assert not any(row["value"] for row in summary if row["variant"] not in ended)
    slices = collections.Counter((row["variant"], row["block"])
                                 for row in rows(folder / "samples.csv"))
    assert slices == {(row["variant"], row["block"]): 20 for row in measured
                      if row["status"] not in ("faulted", "timed_out", "unproved")}
    assert pairs(folder / "environment.csv")["run_id"] == measured[0]["run_id"]
    for name in ("variants.csv", "proof.csv"):
        assert (folder / name).read_bytes() == (build / name).read_bytes()
    journal = (folder / "journal").read_text().splitlines()
    words = collections.Counter(line.split()[0] for line in journal[journal.index("begin") + 1:])
    assert set(words) <= {"done", "size", "end"}, journal
    assert words["done"] == len(VARIANTS) * BLOCKS
    assert not list(folder.glob("*.new"))


@pytest.fixture(scope="session")
def host():
    """What all runs are made on: no neighbour of this machine's core has a say in their values."""
    # Not below pytest's own folders: those are its user's alone, and another user runs here, too.
    place = tempfile.mkdtemp(prefix="asmsweep-faults-")
    os.chmod(place, 0o755)
    made = Host(os.path.join(place, "host"), RUN)
    made.says(*COSTS)
    yield made
    shutil.rmtree(place)


@pytest.fixture(autouse=True)
def quiet(host):
    """After each test the host is quiet again, and counts executions from 0."""
    yield
    host.says(*COSTS)
    host.forgets()


@pytest.fixture(scope="session")
def real_build(tmp_path_factory):
    """A sweep of two variants, built and proved; for what reads the binaries' loops."""
    folder = tmp_path_factory.mktemp("small")
    sweep = folder / "small.toml"
    sweep.write_text(SWEEP)
    done = call(PYTHON, "-B", ROOT / "generator/build.py", "--sweep", sweep,
                "--out", folder / "build", "--prove", PROVE)
    assert done.returncode == 0, done.errors
    return folder / "build"


@pytest.fixture(scope="session")
def build(real_build, host, tmp_path_factory):
    """The same with the simulated host's variants; for every run."""
    folder = pathlib.Path(shutil.copytree(real_build, tmp_path_factory.mktemp("run") / "build"))
    host.move_in(folder)
    return folder


@pytest.fixture(scope="session")
def whole_run(build, tmp_path_factory):
    """A whole run of it; never to be changed."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    done = call(RUN, "run", build, "-o", folder, *SHORT)
    assert done.returncode == 0, done.errors
    assert_whole_run(folder, build)
    return folder


@pytest.fixture
def copy_of(tmp_path):
    """Copy a folder to tmp_path/NAME."""
    def copied(folder, name="copy"):
        shutil.rmtree(tmp_path / name, ignore_errors=True)
        return pathlib.Path(shutil.copytree(folder, tmp_path / name, symlinks=True))
    return copied


@pytest.fixture
def run(build, tmp_path):
    """Run the small sweep into tmp_path/run, and see that the run is whole."""
    def started(*options, **more):
        done = call(RUN, "run", build, "-o", tmp_path / "run", *SHORT, *options, **more)
        assert done.returncode == 0, done.errors
        assert_whole_run(tmp_path / "run", build)
        return done
    return started

# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of asmsweep-run share: a small build, and the program itself."""

import csv
import os
import shutil
import subprocess
import tempfile

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RUN = os.environ.get("ASMSWEEP_RUN", os.path.join(ROOT, "build/programs/bin/asmsweep-run"))
PROVE = os.environ.get("ASMSWEEP_PROVE", os.path.join(ROOT, "build/programs/bin/asmsweep-prove"))
SWEEPS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sweeps")
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


@pytest.fixture(scope="session")
def place():
    """A folder that every user may read; pytest's own is root's alone."""
    path = tempfile.mkdtemp(prefix="asmsweep-cli-")
    os.chmod(path, 0o755)
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope="session")
def builds(place):
    """Path of a sweep of tests/cli/sweeps built once."""
    made = {}

    def built(name):
        if name not in made:
            made[name] = os.path.join(place, "build-" + name)
            done = subprocess.run(
                ["/usr/bin/python3", "-B", os.path.join(ROOT, "generator/build.py"), "--sweep",
                 os.path.join(SWEEPS, name + ".toml"), "--out", made[name], "--prove", PROVE,
                 "--jobs", "1"], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
        return made[name]
    return built


@pytest.fixture
def out(place):
    """A folder of this test's own, not made yet, under one that everybody may write."""
    parent = tempfile.mkdtemp(dir=place)
    os.chmod(parent, 0o777)
    return os.path.join(parent, "run")


def run(*arguments, before=(), **options):
    """asmsweep-run run ARGUMENTS; the finished process."""
    return subprocess.run([*before, RUN, "run", *arguments], capture_output=True, text=True,
                          timeout=120, check=False, stdin=subprocess.DEVNULL, **options)


def assert_ended(done, said=None):
    """The run came to its end. Under other load some variants may have no valid reference (1), or
    all of them (3, and the summary's line says so); `said` is a Popen's stderr."""
    said = done.stderr if said is None else said
    none = "no value, invalid_reference: " in said and "\n0 values, " in said
    assert done.returncode in (0, 1) or (done.returncode == 3 and none), said


def start(*arguments):
    """The same, still running."""
    return subprocess.Popen([RUN, "run", *arguments], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)


def rows(folder, name):
    """Rows of a CSV file as dictionaries; a torn file fails here."""
    path = os.path.join(folder, name)
    with open(path, newline="") as stream:
        text = stream.read()
    assert text.endswith("\r\n"), f"{path} ends in a torn line"
    lines = list(csv.reader(text.splitlines(keepends=True), strict=True))
    assert all(len(line) == len(lines[0]) for line in lines), f"{path} has rows of other lengths"
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def environment(folder):
    return {row["key"]: row["value"] for row in rows(folder, "environment.csv")}


def keys(folder):
    """What a run is made of, sorted: (block, variant, engine, quantity) of each row."""
    return sorted((row["block"], row["variant"], row["engine"], row["quantity"])
                  for row in rows(folder, "measurements.csv"))


def journal(folder):
    """Lines of the executions that are safely on disk; none if there is no journal yet."""
    try:
        with open(os.path.join(folder, "journal")) as stream:
            return [line for line in stream if line.startswith("done ") and line.endswith("\n")]
    except FileNotFoundError:
        return []


def is_root():
    return os.geteuid() == 0

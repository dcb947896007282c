# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of asmsweep-run share: small builds, whose variants are those of a simulated host
(tests/host), and the program itself."""

import csv
import os
import shutil
import subprocess
import sys
import tempfile

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, "tests", "host"))

from host import Host, WIDTH_LEVEL  # noqa: E402

RUN = os.environ.get("ASMSWEEP_RUN", os.path.join(ROOT, "build/programs/bin/asmsweep-run"))
PROVE = os.environ.get("ASMSWEEP_PROVE", os.path.join(ROOT, "build/programs/bin/asmsweep-prove"))
SWEEPS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sweeps")
CPU = str(max(os.sched_getaffinity(0)))  # the one that a run takes by default
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

# What the loops of a sweep take on the simulated host; a sweep that is not here keeps its binaries.
COSTS = {
    "small": [f"{loop}.links{links} 0 loop={links * cycles}"
              for loop, cycles in (("xor", 1), ("crc", 3)) for links in (8, 16, 32)],
    "unit": ["calibrator 0 loop=32", "imul 0 loop=24"],
}


@pytest.fixture(scope="session")
def place():
    """A folder that every user may read; pytest's own is root's alone."""
    path = tempfile.mkdtemp(prefix="asmsweep-cli-")
    os.chmod(path, 0o755)
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope="session")
def hosts():
    """The simulated hosts, by sweep."""
    return {}


@pytest.fixture(scope="session")
def builds(place, hosts):
    """Path of a sweep of tests/cli/sweeps built once; `real`: with its own binaries, whatever
    COSTS says."""
    made = {}

    def build(path, name):
        done = subprocess.run(
            ["/usr/bin/python3", "-B", os.path.join(ROOT, "generator/build.py"), "--sweep",
             os.path.join(SWEEPS, name + ".toml"), "--out", path, "--prove", PROVE, "--jobs", "1"],
            capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def inhabit(path, name):
        hosts[name] = Host(os.path.join(place, "host-" + name), RUN)
        hosts[name].says(*COSTS[name])
        hosts[name].move_in(path)

    def built(name, real=False):
        simulated = name in COSTS and not real
        key = ("build-" if simulated else "real-") + name
        if key not in made:
            made[key] = os.path.join(place, key)
            build(made[key], name)
            if simulated:
                inhabit(made[key], name)
        return made[key]
    return built


@pytest.fixture(autouse=True)
def quiet(hosts):
    """Before each test the hosts are quiet, and count executions from 0 again."""
    for name, host in hosts.items():
        host.says(*COSTS[name])
        host.forgets()


@pytest.fixture
def says(builds, hosts):
    """says(SWEEP, LINE...): beside what its loops cost, the host does that from now on."""
    def add(name, *lines):
        builds(name)
        hosts[name].says(*COSTS[name], *lines)
        return hosts[name]
    return add


@pytest.fixture
def out(place):
    """A folder of this test's own, not made yet, under one that everybody may write."""
    parent = tempfile.mkdtemp(dir=place)
    os.chmod(parent, 0o777)
    return os.path.join(parent, "run")


def command(arguments):
    """asmsweep-run run ARGUMENTS. On one CPU: a hybrid machine has two kinds, rows for each."""
    if not {"--cpu", "--resume"} & set(arguments):
        arguments = (*arguments, "--cpu", CPU)
    return [RUN, "run", *arguments]


def surroundings(build):
    """The environment: binaries of our own run at the width of this machine's cores."""
    found = dict(os.environ)
    if "/real-" in build:
        del found[WIDTH_LEVEL]
    return found


def run(*arguments, before=(), **options):
    """The finished process. It may wait long for a CPU that another run uses."""
    options.setdefault("env", surroundings(arguments[0]))
    return subprocess.run([*before, *command(arguments)], capture_output=True, text=True,
                          timeout=300, check=False, stdin=subprocess.DEVNULL, **options)


def assert_ended(done, said=None):
    """The run came to its end and every variant has its value; `said` is a Popen's stderr."""
    assert done.returncode == 0, done.stderr if said is None else said


def start(*arguments):
    """The same, still running."""
    return subprocess.Popen(command(arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            stdin=subprocess.DEVNULL, text=True, env=surroundings(arguments[0]))


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


def make_older(folder, columns):
    """measurements.csv as it was before its last `columns`, and the journal with it."""
    path = os.path.join(folder, "measurements.csv")
    with open(path, newline="", encoding="utf-8") as stream:
        lines = stream.read().splitlines(keepends=True)
    older = [line.rsplit(",", columns)[0] + "\r\n" for line in lines]
    length = {0: 0}
    for at in range(len(lines)):
        length[sum(map(len, lines[:at + 1]))] = sum(map(len, older[:at + 1]))
    with open(path, "w", newline="", encoding="utf-8") as stream:
        stream.write("".join(older))
    path = os.path.join(folder, "journal")
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    with open(path, "w", encoding="utf-8") as stream:
        for line in text.splitlines():
            words = line.split(" ")
            if words[0] == "done":
                words[5] = str(length[int(words[5])])
            stream.write(" ".join(words) + "\n")

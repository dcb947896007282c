# SPDX-License-Identifier: GPL-3.0-or-later
"""One Slurm for all tests of the fleet, the fleet's program on it, and a sweep whose variants are
those of a simulated host (tests/host): every loop has its value, whatever else this machine does.

Environment, set by CMakeLists.txt: ASMSWEEP_BIN, the folder with asmsweep-fleet.

All nodes are this machine. So their generations' names are only names: the tests let the features
box1 to box3 claim the generation that this CPU is of, and another one where a claim must be false.
"""

import csv
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "host")]

from cluster import CannotStart, Cluster, wait_for  # noqa: E402
from host import Host  # noqa: E402

BIN = Path(os.environ["ASMSWEEP_BIN"])
# Of the runs: not the one that other runs on this machine take by default, if there are two.
CPU = str(min(os.sched_getaffinity(0)))
RUN = "--blocks 2 --slices 20"
NODES = {"n1": "box1,lab", "n2": "box2,lab", "n3": "box3,lab", "n4": "box3,lab"}


def rows(path):
    with open(path, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(scope="session")
def cluster():
    # Not pytest's own folder: a socket's path has at most 107 bytes.
    with tempfile.TemporaryDirectory(prefix="asmsweep-slurm.") as folder:
        try:
            with Cluster(folder, NODES) as started:
                yield started
        except CannotStart as reason:
            pytest.exit(f"skipped: {reason}", returncode=77)


@pytest.fixture(scope="session")
def build(tmp_path_factory):
    """The sweep `seed`, built once; its variants are the host's."""
    out = tmp_path_factory.mktemp("build") / "seed"
    subprocess.run(["/usr/bin/python3", "-B", ROOT / "generator/build.py", "--sweep", "seed",
                    "--out", out, "--prove", BIN / "asmsweep-prove", "-j1"],
                   check=True, capture_output=True)
    host = Host(out.parent / "host", BIN / "asmsweep-run")
    host.says("* 0 loop=32")
    host.move_in(out)
    return out


class Fleet:
    """A fleet's folder and the commands on it."""

    def __init__(self, cluster, build, folder):
        self.cluster, self.build, self.folder = cluster, build, Path(folder)

    def call(self, *argv, environment=None):
        return subprocess.run([BIN / "asmsweep-fleet", *map(str, argv)], capture_output=True,
                              text=True, env=environment or self.cluster.environment, timeout=100)

    def submit(self, *options, claims):
        done = self.call("submit", self.build, "-o", self.folder, "--claims", claims,
                         "--run", f"{RUN} --cpu {CPU}", *options)
        assert done.returncode == 0, done.stderr
        assert done.stdout == f"{self.folder}\n"
        return done

    def jobs(self):
        """{generation: number of its latest job}."""
        return {row["generation"]: row["job"] for row in rows(self.folder / "submissions.csv")}

    def status(self):
        """{generation: stage}."""
        done = self.call("status", self.folder)
        lines = [line.split() for line in done.stdout.splitlines() if line[:1] not in " "]
        stages = {words[0]: words[2] for words in lines[2:]}
        assert done.returncode == (set(stages.values()) != {"measured"}), done.stdout
        return stages

    def collect(self, *options):
        """stdout and stderr; the exit status must say whether something is missing."""
        done = self.call("collect", self.folder, *options)
        stages = {row["stage"] for row in self.collected().values()}
        assert done.returncode == (stages != {"measured"}), done.stderr
        return done.stdout, done.stderr

    def wait(self, wanted, seconds=120):
        try:
            wait_for(f"stages {wanted}", lambda: self.status() == wanted, seconds)
        except AssertionError as problem:
            told = [self.call("status", self.folder).stdout,
                    *(path.read_text() for path in self.folder.glob("logs/*")),
                    self.cluster.run("squeue", "-t", "all"), self.cluster.run("sinfo", "-Nl")]
            raise AssertionError("\n".join([str(problem), *told])) from None

    def collected(self):
        return {row["generation"]: row for row in rows(self.folder / "collected.csv")}

    def attempts(self, generation):
        """Names of the complete attempts' folders."""
        return sorted(path.name for path in (self.folder / "results" / generation).glob("[!.]*"))


@pytest.fixture
def fleet(cluster, build, tmp_path):
    return Fleet(cluster, build, tmp_path / "fleet")


@pytest.fixture(scope="session")
def generation(cluster):
    """What this CPU is, as a feature for slurm.conf."""
    words = subprocess.run([BIN / "asmsweep-fleet", "generation"], capture_output=True, text=True)
    if words.returncode:
        pytest.exit(f"skipped: {words.stderr.strip()}", returncode=77)
    return words.stdout.strip()


@pytest.fixture
def hold():
    """Keep the runners waiting for their CPU, so that a job is surely in its middle: the runner's
    own lock (runner/host/core_lock.h). release() lets them go on."""

    class Hold:
        def __init__(self):
            self.socket = socket.socket(socket.AF_UNIX)
            wait_for("the CPU's lock", self._take, 60)
            self.socket.listen(1)

        def _take(self):
            try:
                self.socket.bind(f"\0asmsweep-cpu-{CPU}")
            except OSError:
                return False
            return True

        def release(self):
            self.socket.close()

    made = Hold()
    yield made
    made.release()

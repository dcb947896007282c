# SPDX-License-Identifier: GPL-3.0-or-later
"""A copy of the project in which a recipe of CONTRIBUTING.md is followed, and what it touched."""

import csv
import os
import shutil
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path += [os.path.join(ROOT, "tests", folder) for folder in ("host", "results")]
from host import Host  # noqa: E402
from synthetic import homogeneous, write_run  # noqa: E402, F401

PROGRAMS = os.path.dirname(os.environ.get(
    "ASMSWEEP_RUN", os.path.join(ROOT, "build", "programs", "bin", "asmsweep-run")))
PYTHON = ["/usr/bin/python3", "-B"]


class Scratch:
    """The project's files in `root`; whatever is built or measured goes elsewhere."""

    def __init__(self, folder):
        self.root, self._made = folder / "tree", folder / "made"
        self.programs = PROGRAMS  # where the built ones are
        out = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others",
                              "--exclude-standard"], capture_output=True, check=True).stdout
        for name in out.decode().split("\0"):
            if not name.startswith("tests/fuzz/") and os.path.isfile(os.path.join(ROOT, name)):
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(os.path.join(ROOT, name), self.root / name)
        self._before = self._files()

    def _files(self):
        return {str(path.relative_to(self.root)): path.read_bytes()
                for path in self.root.rglob("*") if path.is_file()}

    def touched(self):
        """Files that are new, gone or different."""
        now = self._files()
        return sorted(name for name in {*self._before, *now}
                      if self._before.get(name) != now.get(name))

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def insert(self, name, line, before):
        """One line more in a file of the project, in front of the first that begins so."""
        text = (self.root / name).read_text(encoding="utf-8")
        assert f"\n{before}" in text and line.count("\n") == 1
        self.write(name, text.replace(f"\n{before}", f"\n{line}{before}", 1))

    def rebuild(self, *targets):
        """From now on these programs are those of the copy."""
        self.programs = self._made / "programs" / "bin"
        self.call("cmake", "-S", self.root, "-B", self._made / "programs", "-G", "Ninja",
                  "-DASMSWEEP_TESTS=OFF", "-DCMAKE_BUILD_TYPE=Debug")
        self.call("cmake", "--build", self._made / "programs", "--target", *targets)

    def call(self, *words, status=0):
        """What a command prints, run in the copy."""
        done = subprocess.run([str(word) for word in words], cwd=self.root, text=True,
                              capture_output=True, timeout=300, check=False,
                              stdin=subprocess.DEVNULL)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout

    def passes(self, *files, **environment):
        """The copy's own tests in these files hold."""
        environment["ASMSWEEP_RESULTS"] = f"{self.programs}/asmsweep-results"
        self.call("env", *(f"{name}={value}" for name, value in environment.items()), *PYTHON,
                  "-m", "pytest", "-q", "-p", "no:cacheprovider", *files)

    def measure(self, toml, *says, options=()):
        """The folder of a run of a sweep's file on a simulated host of which `says` tells."""
        build, run = self._made / "build", self._made / "run"
        self.call(*PYTHON, "generator/build.py", "--sweep", toml, "--out", build,
                  "--prove", f"{self.programs}/asmsweep-prove", "--jobs", "1")
        host = Host(self._made / "host", f"{PROGRAMS}/asmsweep-run")
        host.says(*says)
        host.move_in(build)
        self.call(f"{self.programs}/asmsweep-run", "run", build, "-o", run, "--slices", "20",
                  "--cpu", max(os.sched_getaffinity(0)), *options)
        return run

    def table(self, run, *options):
        """The table of a run, whose costs are solved first."""
        self.call(f"{self.programs}/asmsweep-results", "solve", run, "--published",
                  "results/published")
        return self.call(*PYTHON, "results/tables/main.py", run, *options)


@pytest.fixture
def scratch(tmp_path):
    return Scratch(tmp_path)


def rows(path):
    with open(path, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))

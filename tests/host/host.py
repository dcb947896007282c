# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine that is not there, for the tests of logic.

What a run makes of its values must not hang on what this machine's neighbours do while the tests
run. So the binaries of a built sweep are exchanged for a program that prints the slices of a
machine that the test describes (variant.c, which tells the words), with their hashes in proof.csv;
all else is real: the runner, its engines, perf, the files.

    host = Host(folder, runner)             # any user may come there
    host.move_in(build)                     # exchanges BUILD/bin/*
    host.says("* 0 loop=16",                # every loop takes 16 cycles an iteration
              "crc.* 0 add=1.02",           # two reference chains disagree: no unit
              "crc.* 5 add=1")              # from the sixth execution on they agree
"""

import contextlib
import csv
import hashlib
import os

# The host has no PMU, whatever this machine has: a program that sleeps for its cycles gives a
# counter nothing to count. For all that the tests start from here on (bin/perf).
os.environ["PATH"] = os.pathsep.join((
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin"), os.environ["PATH"]))

# Its width segments take 17 cycles (synthetic_cpu.h), whatever they take on this machine.
WIDTH_LEVEL = "ASMSWEEP_WIDTH_LEVEL"
os.environ[WIDTH_LEVEL] = "17"

# Another hardware thread of the core takes part all the time. What loops take meanwhile is `slower`
# times what they take alone.
SHARED = "duty=1"
QUIET = "duty=0"


class Host:
    """The machine, in a folder of its own."""

    def __init__(self, folder, runner):
        """`runner`: path of asmsweep-run; simulated-variant is built beside it."""
        self.folder = str(folder)
        self._program = os.path.join(os.path.dirname(runner), "simulated-variant")
        self._counts = os.path.join(self.folder, "executions")
        os.makedirs(self._counts)
        os.chmod(self.folder, 0o755)
        os.chmod(self._counts, 0o777)
        self.says()

    def says(self, *lines):
        """From now on, instead of all that was said before."""
        path = os.path.join(self.folder, "script")
        with open(path + ".new", "w", encoding="ascii") as stream:
            stream.writelines(f"{line}\n" for line in lines)
        os.chmod(stream.name, 0o644)
        os.replace(stream.name, path)

    def forgets(self):
        """Executions are counted from 0 again."""
        for name in os.listdir(self._counts):
            os.remove(os.path.join(self._counts, name))

    def executions(self, variant):
        """How often it was executed with the stopwatch."""
        try:
            return os.path.getsize(os.path.join(self._counts, variant))
        except FileNotFoundError:
            return 0

    def move_in(self, build):
        """Exchange the build's binaries; proof.csv gets the hash of what stands there now."""
        with open(self._program, "rb") as stream:
            program = stream.read() + f"\nhost={self.folder}\n".encode()
        path = os.path.join(build, "proof.csv")
        with open(path, newline="", encoding="utf-8") as stream:
            proof = list(csv.DictReader(stream))
        for row in proof:
            binary = os.path.join(build, "bin", row["variant"])
            os.remove(binary)  # a new file: the old one may be executed just now
            with open(binary, "wb") as stream:
                stream.write(program)
            os.chmod(binary, 0o755)
            row["elf_sha256"] = hashlib.sha256(program).hexdigest()
        with open(path, "w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, proof[0])
            writer.writeheader()
            writer.writerows(proof)


@contextlib.contextmanager
def perf_forbidden():
    """kernel.perf_event_paranoid is 2 or more meanwhile (3 where it was less); gives the level.
    For root."""
    path = "/proc/sys/kernel/perf_event_paranoid"
    with open(path, encoding="ascii") as stream:
        before = stream.read().strip()
    level = before if int(before) >= 2 else "3"
    try:
        _write(path, level)
        yield int(level)
    finally:
        _write(path, before)


def _write(path, text):
    with open(path, "w", encoding="ascii") as stream:
        stream.write(text)

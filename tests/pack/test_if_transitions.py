# SPDX-License-Identifier: GPL-3.0-or-later
"""Each IF transition that a loop of flag_if claims is the one it makes: every POPFQ of the built
program is looked at, one instruction at a time, in the guest at CPL0 and at CPL3 with IOPL=3."""

import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(os.environ["ASMSWEEP_PROGRAMS"])
ITERATIONS = 3
STATE = re.compile(r"RIP=([0-9a-f]+) RFL=([0-9a-f]+)")
FLAG_IF = 0x200
LOOP = "0x800000..0x80ffff"  # docs/interfaces.md: loops have an address of their own


def run(*words, statuses=(0,)):
    done = subprocess.run([str(word) for word in words], capture_output=True, check=False)
    assert done.returncode in statuses, done.stdout + done.stderr
    return done.stdout.decode(errors="replace")


@pytest.fixture(name="build", scope="module")
def flag_if_build(tmp_path_factory):
    folder = tmp_path_factory.mktemp("flag_if")
    sweep = folder / "transitions.toml"
    sweep.write_text('summary = "transitions"\n[[family]]\nname = "flag_if"\n', encoding="ascii")
    run("/usr/bin/python3", "-B", ROOT / "generator/build.py", "--sweep", sweep, "--out",
        folder / "build", "--prove", PROGRAMS / "bin/asmsweep-prove")
    return folder / "build"


def rows(build, file):
    with open(build / file, newline="", encoding="ascii") as stream:
        return {row["variant"]: row for row in csv.DictReader(stream)}


def popf_addresses(build, name):
    """Addresses of the POPFQs between loop_begin and loop_end; setup may have others."""
    proof = rows(build, "proof.csv")[name]
    begin = int(proof["loop_address"], 0)
    loop = range(begin, begin + int(proof["loop_bytes"]))
    text = run("objdump", "-d", "-j", ".loop", build / "bin" / name)
    found = {int(line.split(":")[0], 16) for line in text.splitlines()
             if re.search(r"\tpopf", line)}
    return {address for address in found if address in loop}


def states(build, name, ring, folder):
    """(RIP, IF) before each instruction of the loop's section, as QEMU executes them."""
    pack, log = folder / "pack", folder / "states"
    run(PROGRAMS / "bin/asmsweep-run", "pack", build, "-o", pack, "--ring", ring, "--only", name,
        "--iterations", ITERATIONS)
    out = run("qemu-system-x86_64", "-M", "microvm", "-accel", "tcg", "-cpu", "max", "-m", "512",
              "-nodefaults", "-display", "none", "-no-reboot", "-kernel", PROGRAMS / "guest/kernel",
              "-initrd", pack, "-chardev", "stdio,id=d", "-device",
              "isa-debugcon,iobase=0xe9,chardev=d", "-device",
              "isa-debug-exit,iobase=0xf4,iosize=1", "-singlestep", "-d", "cpu,nochain",
              "-dfilter", LOOP, "-D", log, statuses=(33,))
    assert f"end {ITERATIONS}" in out
    return [(int(rip, 16), bool(int(flags, 16) & FLAG_IF))
            for rip, flags in STATE.findall(log.read_text(encoding="ascii"))]


def transitions(build, name, ring, folder):
    """IF before and after every POPFQ, as "1->0", in order, without the first iteration."""
    popfs = popf_addresses(build, name)
    seen = states(build, name, ring, folder)
    found = [f"{int(now[1])}->{int(after[1])}" for now, after in zip(seen, seen[1:])
             if now[0] in popfs]
    assert len(found) == ITERATIONS * len(popfs)
    return found[len(popfs):]


def expected(claim, count):
    """What a claim means POPFQ by POPFQ: 1->0->1 is one that clears and one that sets."""
    states_of = claim.split("->")
    steps = [f"{a}->{b}" for a, b in zip(states_of, states_of[1:])]
    return steps * (count // len(steps))


def claim_of(row):
    return dict(pair.split("=", 1) for pair in row["context"].split(";"))["if"]


@pytest.mark.parametrize("ring", [0, 3])
@pytest.mark.parametrize("transition", ["stays_1", "stays_0", "both", "set", "cleared"])
def test_a_loop_makes_the_transition_it_claims(build, transition, ring, tmp_path):
    name = f"flag_if.{transition}.groups4"
    row = rows(build, "variants.csv")[name]
    if ring == 3 and row["needs"] == "cpl0":
        assert transition in ("stays_0", "cleared")  # IF may stay 0: not for CPL3
        return
    found = transitions(build, name, ring, tmp_path)
    assert found == expected(claim_of(row), len(found))


def test_a_claim_that_is_wrong_would_be_seen(build, tmp_path):
    found = transitions(build, "flag_if.set.groups4", 0, tmp_path)
    assert found != expected("1->1", len(found)) and found != expected("1->0", len(found))


if __name__ == "__main__":
    if not shutil.which("qemu-system-x86_64"):
        print("SKIP: qemu-system-x86_64 is not installed (package qemu-system-x86)")
        sys.exit(77)
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", __file__]))

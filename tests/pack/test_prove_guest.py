# SPDX-License-Identifier: GPL-3.0-or-later
"""`asmsweep-prove guest` on a sweep that is built for the test: claims and counts agree, and one
instruction too many in one source is named with its variant."""

import csv
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROVE, RUN = os.environ["ASMSWEEP_PROVE"], os.environ["ASMSWEEP_RUN"]


def run(*words, status=0):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done


def proof(build):
    with open(build / "proof.csv", newline="", encoding="ascii") as stream:
        return {row["variant"]: row for row in csv.DictReader(stream)}


def not_ok(build):
    return [name for name, row in proof(build).items() if row["status"] != "ok"]


@pytest.fixture(name="build")
def seed_build(tmp_path):
    run("cmake", "-G", "Ninja", "-S", ROOT, "-B", tmp_path, "-DASMSWEEP_SWEEP=seed")
    run("ninja", "-C", tmp_path)
    run(PROVE, "disassemble", tmp_path)
    return tmp_path


def test_every_variant_of_the_seed_retires_what_it_claims_in_both_rings(build):
    done = run(PROVE, "guest", build)
    rows = proof(build)
    assert done.stdout == f"{len(rows)} variants, {len(rows)} executed, 0 not proved\n"
    counts = {name: (row["retired_cpl0"], row["retired_cpl3"], row["status"], row["detail"])
              for name, row in rows.items() if name.startswith("seed.")}
    assert counts == {
        "seed.cli27_sti1": ("30", "30", "ok", ""),
        "seed.sti28": ("30", "30", "ok", ""),
        "seed.cli_push_popf": ("44", "44", "ok", ""),
        "seed.sti_push_popf": ("44", "44", "ok", ""),
        "seed.push_popf": ("30", "30", "ok", ""),
        "seed.push_popf_pair": ("4", "4", "ok", ""),
        "seed.push_pop_pair": ("4", "4", "ok", ""),
    }


def test_one_instruction_too_many_is_named_and_forgotten_once_it_is_gone(build):
    source = build / "src" / "seed.sti28.s"
    good = source.read_text(encoding="ascii")
    source.write_text(good.replace("loop_begin:\n", "loop_begin:\n        nop\n"),
                      encoding="ascii")
    assert source.read_text(encoding="ascii") != good
    run("ninja", "-C", build)
    done = run(PROVE, "guest", build, status=1)
    assert "seed.sti28: not counted: guest: the binary changed since it was disassembled" \
        in done.stderr
    run(PROVE, "disassemble", build)
    done = run(PROVE, "guest", build, status=1)
    wrong = ("guest: CPL0 retires 31 an iteration, claimed are 30: 1 too many; "
             "guest: CPL3 retires 31 an iteration, claimed are 30: 1 too many")
    assert wrong in done.stderr
    rows = proof(build)
    assert rows["seed.sti28"]["status"] == "mismatch"
    assert rows["seed.sti28"]["detail"].endswith(wrong)
    assert (rows["seed.sti28"]["retired_cpl0"], rows["seed.sti28"]["retired_cpl3"]) == ("31", "31")
    assert not_ok(build) == ["seed.sti28"]
    source.write_text(good, encoding="ascii")
    run("ninja", "-C", build)
    run(PROVE, "disassemble", build)
    run(PROVE, "guest", build)
    assert proof(build)["seed.sti28"]["detail"] == ""


def test_a_claim_is_judged_anew_each_time(build):
    path = build / "proof.csv"
    good = path.read_text(encoding="ascii")
    path.write_text(good.replace("44,,,ok,", "45,,,ok,", 1), encoding="ascii")
    for _ in range(2):
        run(PROVE, "guest", build, status=1)
        row = proof(build)["seed.cli_push_popf"]
        assert row["status"] == "mismatch"
        assert row["detail"] == (
            "guest: CPL0 retires 44 an iteration, claimed are 45: 1 too few; "
            "guest: CPL3 retires 44 an iteration, claimed are 45: 1 too few")
    text = path.read_text(encoding="ascii")
    path.write_text(text.replace("45,44,44,mismatch", "44,44,44,mismatch"), encoding="ascii")
    run(PROVE, "guest", build)
    assert proof(build)["seed.cli_push_popf"]["status"] == "ok"
    assert proof(build)["seed.cli_push_popf"]["detail"] == ""


def test_a_variant_that_hangs_or_dies_is_named_and_the_others_are_proved(build):
    for name, line in (("seed.sti28", "        hlt\n"), ("seed.push_popf", "        ud2\n")):
        source = build / "src" / (name + ".s")
        text = source.read_text(encoding="ascii")
        source.write_text(text.replace("loop_begin:\n", "loop_begin:\n" + line), encoding="ascii")
    run("ninja", "-C", build)
    run(PROVE, "disassemble", build)
    done = run(PROVE, "guest", "--timeout", "0.5s", build, status=1)
    assert "guest: CPL0: halted (hlt), stopped at rip 0x" in done.stderr
    assert "guest: CPL3: general protection (#GP), vector 13" in done.stderr
    assert "guest: CPL0: invalid opcode (#UD), vector 6" in done.stderr
    rows = proof(build)
    assert "8 variants, 8 executed, 2 not proved" in done.stdout
    assert not_ok(build) == ["seed.sti28", "seed.push_popf"]  # for the disassembly: not their mix
    assert rows["seed.sti28"]["retired_cpl0"] == ""


BARE = """
summary = "Loops that claim little or nothing"

[[loop]]
name = "nothing"
body = "  nop"

[[loop]]
name = "branch"
body = "  test %rsp, %rsp\\n  jz 1f\\n  nop\\n  jmp 2f\\n1:\\n  nop\\n2:"

[[loop]]
name = "wide"
body = "  vpaddd %ymm0, %ymm1, %ymm1"

[[loop]]
name = "rep"
body = "  mov $7, %ecx\\n  lea -64(%rsp), %rdi\\n  mov %rdi, %rsi\\n  rep movsb"
claims = { mix = "2*mov + 1*lea + 1*rep movsb" }

[[loop]]
name = "unknown"
body = "  ud2"

[[loop]]
name = "wrong"
body = "  nop"
claims = { retired = 2 }
"""


@pytest.fixture(name="bare")
def bare_build(tmp_path):
    (tmp_path / "bare.toml").write_text(BARE, encoding="ascii")
    run("/usr/bin/python3", "-B", ROOT / "generator/build.py", "--sweep", tmp_path / "bare.toml",
        "--out", tmp_path / "built", "--prove", PROVE, "--jobs", "1")
    return tmp_path / "built"


def test_only_a_contradiction_makes_a_good_binary_unproved(bare):
    done = run(PROVE, "guest", bare, status=1)
    assert done.stdout == "6 variants, 6 executed, 2 not proved\n"
    dead = ("guest: CPL{0}: invalid opcode (#UD), vector 6, error 0x0, rip 0x800040, CPL{0}: "
            "the emulated CPU has no such instruction")
    told = "guest: retired {} an iteration; {}"
    wrong = "guest: CPL{} retires 3 an iteration, claimed are 4: 1 too few"
    both = [f"{text.format(0)}; {text.format(3)}" for text in (dead, wrong)]
    steps = proof(bare)["rep"]["retired_cpl0"]
    assert int(steps) > 6
    assert {name: (row["retired_cpl0"], row["retired_cpl3"], row["status"], row["detail"])
            for name, row in proof(bare).items()} == {
        "nothing": ("3", "3", "ok", told.format(3, "nothing was claimed")),
        "branch": ("6", "6", "ok", told.format(6, "nothing was claimed")),
        "wide": ("3", "3", "ok", told.format(3, "nothing was claimed")),
        "rep": (steps, steps, "ok",
                told.format(steps, "the emulator counts each step of a rep")),
        "unknown": ("", "", "ok", both[0]),
        "wrong": ("3", "3", "mismatch", both[1]),
    }
    assert done.stderr.splitlines()[:2] == [f"wrong: mismatch: {both[1]}",
                                            f"unknown: not counted: {both[0]}"]


def test_a_run_behind_the_proof_leaves_out_the_contradicted_only(bare, tmp_path):
    before = {name: row["status"] for name, row in proof(bare).items()}
    assert set(before.values()) == {"ok"}
    run(PROVE, "guest", bare, status=1)
    done = subprocess.run([RUN, "run", bare, "-o", tmp_path / "run", "--blocks", "1", "--slices",
                           "20"], capture_output=True, text=True, check=False)
    assert "no value, unproved: 1 variant (wrong): " in done.stderr, done.stderr
    with open(tmp_path / "run" / "summary.csv", newline="", encoding="ascii") as stream:
        statuses = {row["variant"]: row["status"] for row in csv.DictReader(stream)}
    assert [name for name, status in statuses.items() if status == "unproved"] == ["wrong"]
    run(PROVE, "disassemble", bare)
    assert {name: row["status"] for name, row in proof(bare).items()} == before


def test_without_qemu_the_proof_stays_as_it_was(build):
    before = (build / "proof.csv").read_bytes()
    done = run(PROVE, "guest", "--qemu", "qemu-that-is-not-there", build, status=3)
    assert "install qemu-system-x86" in done.stderr
    assert (build / "proof.csv").read_bytes() == before


if __name__ == "__main__":
    if not shutil.which("qemu-system-x86_64"):
        print("SKIP: qemu-system-x86_64 is not installed (package qemu-system-x86)")
        sys.exit(77)
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", __file__]))

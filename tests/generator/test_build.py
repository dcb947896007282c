# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole builds, in a copy of the sources whose path has spaces."""

import csv
import fcntl
import hashlib
import json
import os
import shutil
import signal
import subprocess

import pytest
from conftest import PYTHON, ROOT

SWEEP = """summary = "s"
[[loop]]
name = "x"
body = '''
        nop
        mov $<{ v }>, %ecx
'''
axes = { v = [1, 2, 3] }
"""

# The loops of the mails of 2016, as bytes; dec %eax is ff c8, jnz back is 75.
SEED = {
    "cli27_sti1": "fa" * 27 + "fb" + "ffc875e0",
    "sti28": "fb" * 28 + "ffc875e0",
    "cli_push_popf": "fa539d" * 14 + "ffc875d2",
    "sti_push_popf": "fb539d" * 14 + "ffc875d2",
    "push_popf": "539d" * 14 + "ffc875e0",
    "push_popf_pair": "539d" + "ffc875fa",
    "push_pop_pair": "5359" + "ffc875fa",
}


def stamp(at):
    """The stamp of templates/variant/stamp.inc into the quadword `at`, as bytes in hex."""
    where = [(address).to_bytes(4, "little").hex() for address in (0x600010, 0x600018, at, at + 4)]
    return ("48890425{0}48891425{1}" "0faee80f310faee8" "890425{2}891425{3}"
            "488b0425{0}488b1425{1}").format(*where)


# Before the loop, and up to its alignment; behind it.
BEFORE, BEHIND = stamp(0x600000) + "662e0f1f840000000000", stamp(0x600008)


class Clone:
    """The generator's and CMake's files elsewhere, and a sweep beside them."""

    def __init__(self, root, prove):
        self.root, self.prove, self.out = root, prove, root / "out dir"
        root.mkdir()
        shutil.copy(f"{ROOT}/CMakeLists.txt", root)
        for folder in ("common", "generator", "templates"):
            shutil.copytree(f"{ROOT}/{folder}", root / folder)
        self.sweep = root / "my sweep.toml"

    def build(self, text=None, sweep=None):
        if text:
            self.sweep.write_text(text)
        return subprocess.run(self.command(sweep), capture_output=True, text=True, cwd=self.root,
                              check=False, timeout=120)

    def command(self, sweep=None):
        return [PYTHON, "-B", str(self.root / "generator/build.py"), "--sweep",
                sweep or str(self.sweep), "--out", str(self.out), "--prove", self.prove, "-j", "1"]

    def start(self):
        """A build in the background."""
        return subprocess.Popen(self.command(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, cwd=self.root)

    def ninja(self):
        return subprocess.run(["ninja", "-C", str(self.out)], capture_output=True, text=True,
                              check=False, timeout=120)

    def times(self, folder="bin"):
        return {p.name: p.stat().st_mtime_ns for p in (self.out / folder).iterdir()}

    def section(self, variant):
        """.loop in hex, without what is behind it: jmp loop_return, 5 bytes."""
        loop = self.root / "loop.bin"
        subprocess.run(["objcopy", "-O", "binary", "-j", ".loop",
                        str(self.out / "bin" / variant), str(loop)], check=True)
        return loop.read_bytes()[:-5].hex()

    def proof(self):
        with open(self.out / "proof.csv", newline="") as stream:
            return {row["variant"]: row for row in csv.DictReader(stream)}


@pytest.fixture
def clone(tmp_path, prove):
    return Clone(tmp_path / "a clone with spaces", prove)


def test_seed_loops_are_those_of_the_mail_byte_for_byte(clone):
    assert clone.build(sweep="seed").returncode == 0
    found = {}
    for name in SEED:
        found[name] = clone.section(f"seed.{name}")
    sections = {name: BEFORE + loop + BEHIND for name, loop in SEED.items()}
    assert found == sections
    proof = clone.proof()
    assert {row["status"] for row in proof.values()} == {"ok"}
    for name, section in sections.items():
        row = proof[f"seed.{name}"]
        whole = (clone.out / f"bin/seed.{name}").read_bytes()
        assert row["elf_sha256"] == hashlib.sha256(whole).hexdigest()
        assert row["loop_sha256"] == hashlib.sha256(bytes.fromhex(section)).hexdigest()
    assert proof["seed.cli27_sti1"]["jcc_erratum"] == "yes"
    assert proof["seed.cli_push_popf"]["jcc_erratum"] == "no"


def test_nothing_changed_nothing_done(clone):
    assert clone.build(SWEEP).returncode == 0
    before = clone.times(), clone.times("src"), (clone.out / "proof.csv").stat().st_mtime_ns
    assert clone.ninja().stdout.splitlines()[-1] == "ninja: no work to do."
    assert clone.build().returncode == 0
    assert before == (clone.times(), clone.times("src"),
                      (clone.out / "proof.csv").stat().st_mtime_ns)


def test_one_changed_value_rebuilds_one_binary(clone):
    clone.build(SWEEP)
    before = clone.times()
    assert sorted(before) == ["x.v1", "x.v2", "x.v3"]
    # Ninja alone notices the sweep, runs the generator, and removes what is gone.
    clone.sweep.write_text(SWEEP.replace("3]", "4]"))
    assert clone.ninja().returncode == 0
    after = clone.times()
    assert sorted(after) == ["x.v1", "x.v2", "x.v4"]
    assert (after["x.v1"], after["x.v2"]) == (before["x.v1"], before["x.v2"])
    assert sorted(clone.proof()) == ["x.v1", "x.v2", "x.v4"]


@pytest.mark.parametrize("path, old, new", [
    ("templates/variant/variant.s.j2", "dec     %eax", "decl    %eax"),
    ("templates/variant/variant.ld", "0x600000", "0x610000"),
    ("templates/variant/run.c", "MAX_SLICES = 100000", "MAX_SLICES = 100001"),
])
def test_a_changed_template_or_run_time_rebuilds_all(clone, path, old, new):
    clone.build(SWEEP)
    before = clone.times()
    file = clone.root / path
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))
    assert clone.ninja().returncode == 0
    assert all(clone.times()[name] > before[name] for name in before)


def test_the_loop_does_not_depend_on_the_run_time(clone):
    clone.build(SWEEP)
    before = clone.proof()["x.v1"]
    file = clone.root / "templates/variant/run.c"
    file.write_text(file.read_text().replace("MAX_SLICES = 100000", "MAX_SLICES = 100001"))
    assert clone.ninja().returncode == 0
    after = clone.proof()["x.v1"]
    assert after["elf_sha256"] != before["elf_sha256"]
    assert (after["loop_sha256"], after["loop_address"]) == (
        before["loop_sha256"], before["loop_address"])


def test_the_same_sources_give_the_same_binaries_elsewhere(clone, tmp_path, prove):
    other = Clone(tmp_path / "another", prove)
    for each in (clone, other):
        assert each.build(SWEEP).returncode == 0
    assert clone.proof() == other.proof()


def test_an_assembly_error_names_the_line_of_the_template(clone):
    done = clone.build(SWEEP.replace("nop", "frobnicate"))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "my sweep.toml:5: the assembler says: no such instruction" in done.stderr
    # Nothing half-written: once mended, it builds.
    assert clone.build(SWEEP).returncode == 0
    assert {row["status"] for row in clone.proof().values()} == {"ok"}


def test_an_assembly_error_of_a_family_names_its_template(clone):
    template = clone.root / "templates/families/seed/loop.s.j2"
    template.write_text(template.read_text().replace("pop     %rcx", "popp    %rcx"))
    line = next(n for n, text in enumerate(template.read_text().splitlines(), 1)
                if "popp" in text)
    done = clone.build(sweep="seed")
    assert done.returncode == 2
    assert f"templates/families/seed/loop.s.j2:{line}: the assembler says" in done.stderr


def test_an_assembly_error_in_what_an_expression_made_names_the_loop_and_the_line(clone):
    made = "<{ repeat('frobnicate %ecx', 2) }>"
    done = clone.build(SWEEP + SWEEP[SWEEP.index("[["):].replace('"x"', '"y"').replace("nop", made))
    lines = (clone.out / "src/y.v1.s").read_text().splitlines()
    at = next(n for n, text in enumerate(lines, 1) if "frobnicate" in text)
    assert (done.returncode, done.stderr) == (
        2, f"build: my sweep.toml:10: loop y: out dir/src/y.v1.s:{at}: the assembler says: no such "
        f"instruction: `frobnicate %ecx'; variant y.v1; all is in {clone.out}/build.log\n")


def test_a_link_error_is_one_line_and_names_the_loop(clone):
    done = clone.build(SWEEP.replace("nop", "jmp nowhere"))
    assert (done.returncode, done.stderr) == (
        2, "build: my sweep.toml:3: loop x: out dir/src/x.v1.s: the linker says: undefined "
        f"reference to `nowhere'; all is in {clone.out}/build.log\n")


def test_the_generators_line_comes_through_cmake_unchanged(clone):
    done = clone.build(SWEEP.replace("<{ v }>", "<{ w }>"))
    assert (done.returncode, done.stderr) == (
        2, "generator: my sweep.toml:6: loop.body: the name 'w' is undefined; use an axis, "
        "row.AXIS.KEY, or a function of docs/families.md\n")
    assert clone.build(SWEEP).returncode == 0


def test_of_a_mistake_in_a_sweep_no_folder_stays_but_a_build_that_was_there(clone):
    wrong = SWEEP.replace("<{ v }>", "<{ w }>")
    assert clone.build(wrong).returncode == 2 and not clone.out.exists()
    assert clone.build(SWEEP).returncode == 0
    good = clone.proof()
    assert clone.build(wrong).returncode == 2 and clone.proof() == good


def test_another_file_of_the_same_name_takes_the_folder_over_with_a_line(clone, tmp_path):
    def build(folder):
        return subprocess.run(
            [PYTHON, "-B", str(clone.root / "generator/build.py"), "--sweep", "same.toml", "--into",
             tmp_path / "builds", "--prove", clone.prove, "-j", "1"],
            capture_output=True, text=True, cwd=folder, check=False, timeout=120)
    one, two, built = tmp_path / "one", tmp_path / "two", f"{tmp_path}/builds/same"
    for folder in (one, two):
        folder.mkdir()
        (folder / "same.toml").write_text(SWEEP)
    for _ in range(2):
        assert (build(one).stdout, build(one).stderr) == (f"{built}\n", "")
    (two / "same.toml").write_text(SWEEP.replace("v }>", "w }>"))
    assert build(two).stderr.count("\n") == 1  # the mistake; nothing was taken over
    (two / "same.toml").write_text(SWEEP)
    done = build(two)
    assert (done.returncode, done.stdout, done.stderr) == (
        0, f"{built}\n", f"build: {built} held {one}/same.toml, and holds same.toml from now on; "
        'another name = "..." in one of them keeps both\n')
    (two / "same.toml").rename(two / "moved.toml")
    assert build(one).stderr == ""  # what was there is gone
    (one / "same.toml").write_text('name = "seed"\n' + SWEEP)
    seed = clone.root / "templates/sweeps/seed.toml"
    shutil.copytree(tmp_path / "builds/same", tmp_path / "builds/seed")
    plan = tmp_path / "builds/seed/sweep.json"
    plan.write_text(plan.read_text().replace(f"{one}/same.toml", ""))
    assert f" held {seed}, and holds same.toml from now on" in build(one).stderr


@pytest.mark.parametrize("odd", [";", "\\;", "[;", "]", "|", "$<x>", "${x}", "#", '"'])
def test_a_sweeps_path_may_hold_what_cmake_cannot(clone, odd):
    clone.sweep = clone.root / f"my {odd} sweeps" / f"a{odd}b.toml"
    clone.sweep.parent.mkdir()
    done = clone.build(SWEEP)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads((clone.out / "sweep.json").read_text())["toml"] == str(clone.sweep)
    clone.sweep.write_text(SWEEP.replace("3]", "4]"))
    assert clone.ninja().returncode == 0 and sorted(clone.times()) == ["x.v1", "x.v2", "x.v4"]


def test_a_sweeps_path_with_a_line_break_or_rubbish_is_one_line(clone):
    for name, said in (("a\nb.toml", r"'\n'"), (os.fsdecode(b"a\xffb.toml"), r"'\udcff'")):
        clone.sweep = clone.root / name
        done = clone.build(SWEEP)
        assert done.returncode == 2 and done.stderr.count("\n") == 1
        assert done.stderr.endswith(f"its path holds {said}; rename the file or its folder\n")


@pytest.mark.parametrize("odd", ";[]$\\#|<")
def test_a_clone_or_build_whose_path_is_too_much_for_cmake_is_one_line(tmp_path, prove, odd):
    clone = Clone(tmp_path / f"a{odd}clone", prove)
    clone.out = tmp_path / "out"
    says = f"CMake and Ninja cannot work in a path with {odd!r}; give the folder another name\n"
    done = clone.build(SWEEP)
    assert (done.returncode, done.stderr) == (2, f"build: {clone.root}: {says}")
    clone = Clone(tmp_path / "clone", prove)
    clone.out = tmp_path / f"an{odd}out"
    done = clone.build(SWEEP)
    assert (done.returncode, done.stderr) == (2, f"build: {clone.out}: {says}")
    assert not clone.out.exists()


def test_a_file_that_a_family_includes_is_watched(clone):
    folder = clone.root / "templates/families/seed"
    template = (folder / "loop.s.j2").read_text()
    (folder / "pop.j2").write_text("        pop     %rcx\n")
    (folder / "loop.s.j2").write_text(template.replace(
        "        pop     %rcx\n", "<% include 'families/seed/pop.j2' %>\n"))
    assert clone.build(sweep="seed").returncode == 0
    before = clone.times()
    (folder / "pop.j2").write_text("        pop     %rdx\n")
    assert clone.ninja().returncode == 0
    changed = [name for name, time in clone.times().items() if time != before[name]]
    assert changed == ["seed.push_pop_pair"]
    assert "claimed pop %rcx, found pop %rdx" in clone.proof()["seed.push_pop_pair"]["detail"]


def test_a_clone_that_was_moved_builds_again(clone):
    assert clone.build(SWEEP).returncode == 0
    moved = clone.root.rename(clone.root.parent / "moved")
    clone.root, clone.out, clone.sweep = moved, moved / "out dir", moved / "my sweep.toml"
    done = clone.build()
    assert (done.returncode, done.stderr) == (0, "")


WAITS = "build: out dir: another build is running here; waiting for its end\n"


def test_a_second_build_in_one_place_says_that_it_waits_and_then_builds(clone):
    clone.build(SWEEP)
    clone.sweep.write_text(SWEEP.replace("3]", "4]"))
    with open(clone.out / "build.lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        second = clone.start()
        assert second.stderr.readline() == WAITS
        assert second.poll() is None and sorted(clone.times()) == ["x.v1", "x.v2", "x.v3"]
    assert second.communicate(timeout=120) == ("", "") and second.returncode == 0
    assert sorted(clone.proof()) == sorted(clone.times()) == ["x.v1", "x.v2", "x.v4"]


def test_a_wait_for_another_build_ends_with_the_signal_and_one_line(clone):
    clone.build(SWEEP)
    before = clone.times()
    with open(clone.out / "build.lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        second = clone.start()
        assert second.stderr.readline() == WAITS
        second.send_signal(signal.SIGINT)
        assert second.communicate(timeout=60) == ("", "build: interrupted\n")
    assert second.returncode == -signal.SIGINT and clone.times() == before


def test_who_waited_for_a_build_whose_folder_is_gone_builds_in_a_new_one(clone):
    clone.out.mkdir()
    clone.sweep.write_text(SWEEP)
    with open(clone.out / "build.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        second = clone.start()
        assert second.stderr.readline() == WAITS
        shutil.rmtree(clone.out)  # as the first does of a mistake in the sweep
    assert second.communicate(timeout=120) == ("", "") and second.returncode == 0
    assert sorted(clone.proof()) == ["x.v1", "x.v2", "x.v3"]


def test_what_an_interruption_leaves_is_no_stumbling_block(clone):
    clone.build(SWEEP)
    (clone.out / "src/x.v1.s.new").write_text("half")
    (clone.out / "proof.csv.new").write_text("half")
    (clone.out / "bin/x.v2").write_bytes(b"half")
    (clone.out / "bin/x.v3").unlink()
    clone.build(SWEEP.replace("nop", "cld"))
    assert {row["status"] for row in clone.proof().values()} == {"ok"}
    assert not (clone.out / "src/x.v1.s.new").exists()


def test_variants_run_and_prove_their_end(clone):
    clone.build(SWEEP)
    program = os.path.join(clone.out, "bin/x.v1")
    assert subprocess.run([program, "1000"], capture_output=True, text=True,
                          check=True).stdout == "end 1000\n"
    assert subprocess.run([program, "0"], capture_output=True, check=False).returncode == 2

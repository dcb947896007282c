# SPDX-License-Identifier: GPL-3.0-or-later
"""asmsweep-results bundle: an archive that checks out and reproduces with nothing else."""

import csv
import hashlib
import json
import os
import re
import resource
import signal
import tarfile

import pytest
from programs import RESULTS, call
from synthetic import columns, homogeneous, write_csv, write_run

# What a variant prints: 32 links of the calibrator in 3200 ticks, the loop at 26 ticks.
PROGRAM = """#!/bin/sh
[ "$1" = --stopwatch ] || exit 0
echo "slices $2 links 32 32 32 n 100 100 100 50"
for slice in 1 2 3; do echo "s 1000 4200 1000 4200 1 2 100 1400"; done
echo "end $2"
"""


@pytest.fixture
def run(tmp_path):
    """A run's directory and the build it was measured from."""
    folder, build = tmp_path / "run", tmp_path / "build"
    loops = [homogeneous("one", "cli", 28, 56.0, host="secret-box", kernel="6.1.0",
                         toml="/home/secret/x.toml"),
             homogeneous("two", "sti", 28, 112.0, host="secret-box", kernel="6.1.0")]
    write_run(folder, loops, [("kernel_command_line", "root=UUID=secret-disk"),
                              ("kernel_version", "Linux secret-builder"), ("governor", "none")])
    for part in ("bin", "src"):
        os.makedirs(build / part)
    proof = []
    for loop in loops:
        name = loop["variant"]
        program = PROGRAM + f"# {name}\n"
        (build / "bin" / name).write_text(program)
        (build / "bin" / name).chmod(0o755)
        (build / "src" / f"{name}.s").write_text(f"# {name}, the source\n")
        proof.append({"variant": name, "status": "ok",
                      "elf_sha256": hashlib.sha256(program.encode()).hexdigest()})
    write_csv(folder / "proof.csv", columns("proof"), proof)
    return folder, build


@pytest.fixture
def bundle(run, results, tmp_path):
    """Make a bundle and unpack it; the folder it makes."""
    def make(*options):
        folder, build = run
        done = results("bundle", folder, "--build", build, "-o", tmp_path / "b.tar", *options)
        assert done.returncode == 0, done.stderr
        with tarfile.open(tmp_path / "b.tar") as archive:
            assert all(member.uid == 0 and member.uname == "" for member in archive)
            archive.extractall(tmp_path / "out")
        return tmp_path / "out" / "asmsweep-synthetic-run-1"
    return make


def test_the_archive_checks_out_with_sha256sum_alone(bundle):
    folder = bundle()
    done = call("sha256sum", "--strict", "-c", "SHA256SUMS", cwd=folder)
    assert done.returncode == 0, done.stdout
    files = {os.path.relpath(os.path.join(place, name), folder)
             for place, _, names in os.walk(folder) for name in names}
    assert set(re.findall(r"^(.*): OK$", done.stdout, re.M)) == files - {"SHA256SUMS"}
    assert {"bin/one", "bin/two", "src/one.s", "src/two.s", "REPRODUCE.txt", "run/summary.csv",
            "run/measurements.csv", "run/environment.csv", "run/proof.csv",
            "run/variants.csv", "run/differences.csv", "run/sweep.json"} <= files


def test_a_changed_byte_is_found(bundle):
    folder = bundle()
    (folder / "bin" / "one").write_text("changed")
    assert call("sha256sum", "-c", "SHA256SUMS", cwd=folder).returncode == 1


def test_the_command_of_the_text_gives_cycles(bundle):
    folder = bundle()
    text = (folder / "REPRODUCE.txt").read_text()
    command = re.search(r"bin/one --stopwatch 200 \|.*?cycles an iteration\"\}'", text, re.S)[0]
    done = call("sh", "-c", command, cwd=folder)
    # (1400-100)/50 ticks an iteration over (4200-1000)/(100*32) ticks a link
    assert done.stdout == "26 cycles an iteration\n"


def test_without_guest_files_the_text_says_so_and_with_them_boots_them(bundle, tmp_path):
    assert "without the guest's kernel" in (bundle() / "REPRODUCE.txt").read_text()
    guest = tmp_path / "guest"
    os.mkdir(guest)
    for name in ("kernel", "pack-cpl0", "pack-cpl3"):
        (guest / name).write_text(name)
    folder = bundle("--guest", guest)
    text = (folder / "REPRODUCE.txt").read_text()
    assert "-kernel guest/kernel -initrd guest/pack-cpl0" in text
    assert "-initrd guest/pack-cpl3" in text
    assert (folder / "guest" / "pack-cpl3").read_text() == "pack-cpl3"


def test_anonymous_names_neither_host_nor_kernel_build(bundle):
    folder = bundle("--anonymous")
    for place, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(place, name), "rb") as stream:
                assert b"secret" not in stream.read(), name
    with open(folder / "run" / "summary.csv", newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["host"], row["value"], row["kernel"]) for row in rows] == \
        [("anonymous", "56.000000", "6.1.0"), ("anonymous", "112.000000", "6.1.0")]
    assert b"none" in (folder / "run" / "environment.csv").read_bytes()
    assert json.loads((folder / "run" / "sweep.json").read_bytes())["toml"] == "anonymous"
    assert call("sha256sum", "-c", "SHA256SUMS", cwd=folder).returncode == 0


def test_without_anonymous_the_files_are_as_they_were(bundle, run):
    folder = bundle()
    for name in ("summary.csv", "measurements.csv", "environment.csv", "sweep.json"):
        assert (folder / "run" / name).read_bytes() == (run[0] / name).read_bytes()


def _with_listing(run, text):
    """The run's second loop was made by the kernel: its listing, and the sum in proof.csv."""
    folder, build = run
    os.mkdir(folder / "code")
    (folder / "code" / "two.txt").write_text("The loop\n\nsti\n\nFurther: the rest\n")
    with open(folder / "proof.csv", newline="", encoding="utf-8") as stream:
        proof = list(csv.DictReader(stream))
    proof[1].update(native="proved", calls="f: 1*sti", restores="sti",
                    listing_sha256=hashlib.sha256(text.encode()).hexdigest())
    write_csv(folder / "proof.csv", columns("proof"), proof)
    for name in ("summary.csv", "measurements.csv"):
        rows = (folder / name).read_text().splitlines(keepends=True)
        (folder / name).write_text("".join(
            row.replace(",perf,", ",bpf,") if ",two," in row else row for row in rows))
    return folder, build


def test_the_code_that_the_kernel_made_travels_along(run, bundle, results):
    folder, _ = _with_listing(run, "The loop\n\nsti\n\nFurther: the rest\n")
    unpacked = bundle()
    assert (unpacked / "run/code/two.txt").read_bytes() == (folder / "code/two.txt").read_bytes()
    text = (unpacked / "REPRODUCE.txt").read_text()
    assert "less run/code/two.txt src/two.s" in text
    assert "bin/one --stopwatch 200" in text
    shown = results("explain", unpacked / "run", "two").stdout
    assert "  restores           sti\n" in shown
    assert "The loop\n\nsti\n  (the whole of it: code/two.txt)\n" in shown
    assert "the rest" not in shown


def test_code_that_is_not_that_of_the_proof_is_refused(run, results, tmp_path):
    folder, build = _with_listing(run, "something else")
    for done in (results("bundle", folder, "--build", build, "-o", tmp_path / "b.tar"),
                 results("explain", folder, "two")):
        assert done.returncode == 2
        assert done.stderr.endswith(
            "code/two.txt: is not the listing that proof.csv has the SHA-256 of; take a whole copy "
            "of the run\n"), done.stderr
        assert done.stderr.count("\n") == 1


def test_the_same_run_makes_the_same_bytes(bundle, tmp_path):
    bundle()
    first = (tmp_path / "b.tar").read_bytes()
    bundle()
    assert (tmp_path / "b.tar").read_bytes() == first


def test_a_build_that_is_not_the_measured_one_is_refused(run, results, tmp_path):
    folder, build = run
    (build / "bin" / "two").write_text("built again")
    done = results("bundle", folder, "--build", build, "-o", tmp_path / "b.tar")
    assert done.returncode == 2
    assert "bin/two: is not the program that this run measured" in done.stderr
    assert not os.path.exists(tmp_path / "b.tar")


def test_a_build_that_is_not_there_is_named_with_the_remedy(run, results, tmp_path):
    done = results("bundle", run[0], "--build", tmp_path / "no", "-o", tmp_path / "b.tar")
    assert done.returncode == 2 and "no/bin/one: is not there; name the build" in done.stderr


def test_a_source_outside_the_build_is_not_taken(run, results, tmp_path):
    folder, build = run
    (tmp_path / "outside").write_text("private")
    write_csv(folder / "variants.csv", columns("variants"),
              [{"variant": "one", "source": "../outside"}])
    done = results("bundle", folder, "--build", build, "-o", tmp_path / "b.tar")
    assert done.returncode == 0
    assert b"private" not in (tmp_path / "b.tar").read_bytes()


def cut(text):
    return text[:-5]


def emptied(text):
    return b""


def only_the_header(text):
    return text.split(b"\n")[0] + b"\n"


def rubbish(text):
    return bytes((7 * at * at + 3) % 251 for at in range(300))


def a_nul(text):
    return text[:-5] + b"\0" + text[-4:]


def without_a_column(text):
    return b"\n".join(line.split(b",", 1)[-1] for line in text.split(b"\n"))


def other_words(text):
    return text.replace(b",ok,", b",ko,")


def no_numbers(text):
    return text.replace(b"56.0", b"5x.0")


MEASURE = "; the run is damaged: take a whole copy of it, or measure again\n"
SOLVE = "; remove it; ./asmsweep table makes it again\n"
SOLVE_BOTH = "; remove it and costs.csv; ./asmsweep table makes both again\n"
DAMAGED = [
    *((file, cut, ": the last line is cut off; the file is incomplete" + MEASURE)
      for file in ("summary", "measurements", "samples", "environment", "variants", "proof")),
    *((file, emptied, ":1: empty; a header line is expected" + MEASURE)
      for file in ("summary", "measurements", "environment", "proof")),
    *((file, only_the_header, ": has no rows" + MEASURE)
      for file in ("summary", "measurements", "environment", "variants", "proof")),
    *((file, rubbish, MEASURE) for file in ("summary", "samples", "environment")),
    ("summary", a_nul, ": a NUL byte in the file; it is damaged" + MEASURE),
    ("measurements", without_a_column, ":1: no column 'run_id'" + MEASURE),
    ("measurements", other_words, ":2: status is 'ko', no word of this version" + MEASURE),
    ("measurements", no_numbers, ":2: value is '5x.000000', no number" + MEASURE),
    ("costs", cut, SOLVE), ("costs", emptied, SOLVE), ("notes", rubbish, SOLVE_BOTH),
]


@pytest.fixture
def whole(run, results):
    """The run with all files that it may have; the bundle of it succeeds."""
    folder, build = run
    assert results("solve", folder).returncode == 0
    write_csv(folder / "samples.csv", columns("samples"),
              [{"run_id": "run-1", "block": 1, "variant": "one", "engine": "perf", "slice": 1}])
    assert results("bundle", folder, "--build", build, "--check").stdout == f"{build}\n"
    return run


@pytest.mark.parametrize("file, damage, says", DAMAGED)
def test_a_damaged_run_is_named_with_the_remedy_and_not_sealed(whole, results, tmp_path, file,
                                                               damage, says):
    folder, build = whole
    path = folder / f"{file}.csv"
    assert damage(path.read_bytes()) != path.read_bytes()
    path.write_bytes(damage(path.read_bytes()))
    done = results("bundle", folder, "--build", build, "-o", tmp_path / "b.tar")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"asmsweep-results: {path}") and done.stderr.endswith(says)
    assert not os.path.exists(tmp_path / "b.tar")


def no_room():
    """What follows may write no longer file, and is told so instead of being killed."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))


@pytest.mark.parametrize("place, why, before", [
    ("b.tar", "File too large", no_room), ("none/b.tar", "No such file or directory", None)])
def test_a_place_without_room_is_named_with_the_remedy(run, tmp_path, place, why, before):
    folder, build = run
    (tmp_path / "out").mkdir()
    archive = tmp_path / "out" / place
    done = call(RESULTS, "bundle", folder, "--build", build, "--out", archive, preexec_fn=before)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"asmsweep-results: {archive}: cannot be written; name another place " \
        f"with --out: {why}\n"
    assert os.listdir(tmp_path / "out") == []


def test_what_is_no_run_gets_one_line_with_the_remedy(results, tmp_path):
    for folder, what in ((tmp_path, "has no summary.csv"), (tmp_path / "none", "is not there")):
        done = results("bundle", folder)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            f"asmsweep-results: {folder}: {what}; give the folder that ./asmsweep run printed, or "
            "run it again\n")


def test_the_build_is_the_one_that_the_journal_names_or_that_of_the_sweeps_name(whole, results,
                                                                              tmp_path):
    folder, build = whole
    (tmp_path / "builds/synthetic").mkdir(parents=True)
    (tmp_path / "builds/synthetic/variants.csv").write_text("variant\n")
    check = ("bundle", folder, "--check", "--builds", tmp_path / "builds")
    assert results(*check).stdout == f"{tmp_path}/builds/synthetic\n"
    (build / "variants.csv").write_text("variant\n")
    (folder / "journal").write_text(f"asmsweep-journal 1\nbuild {build}\nbegin\n")
    assert results(*check).stdout == f"{build}\n"
    (build / "variants.csv").unlink()
    assert results(*check).stdout == f"{tmp_path}/builds/synthetic\n"
    (tmp_path / "builds/synthetic/variants.csv").unlink()
    done = results(*check)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"asmsweep-results: {tmp_path}/builds/synthetic: the build that this run was measured "
        "from is not there; make it again with ./asmsweep build, or name it with --build\n")

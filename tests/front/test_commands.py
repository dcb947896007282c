# SPDX-License-Identifier: GPL-3.0-or-later
"""The front's commands, in a fresh clone whose path has spaces."""

import contextlib
import csv
import os
import pathlib
import re
import shlex
import signal
import subprocess
import time

import pytest
from clone import ROOT, Clone, tree

README = open(f"{ROOT}/README.md", encoding="utf-8").read()
STUDY, EMPTY_LOOP = re.findall(r"^```toml\n(.*?)^```$", README, re.M | re.S)
# On a busy machine the calibrators may disagree: then some values are missing, or all.
MEASURED = (0, 1, 3)
NOP = '[[loop]]\nname = "x"\nbody = "nop"\n'

# (what the user's own file holds, what the one line must say)
MISTAKES = {
    "wrong_key": ('summary = "s"\nlimits = 3\n' + NOP, [":2:", "unknown key 'limits'"]),
    "undefined_name": ('summary = "s"\n[[loop]]\nname = "x"\nbody = "mov $<{ q }>, %ecx"\n',
                       [":4:", "'q' is undefined"]),
    "assembly_error": ('summary = "s"\n[[loop]]\nname = "x"\n'
                       'body = """\nnop\nfrobnicate %ecx\n"""\n',
                       [":6:", "the assembler says", "no such instruction"]),
    "empty_axis": ('summary = "s"\n' + NOP + "axes = { a = [] }\n", [":5:", "axis 'a' is empty"]),
    "duplicate_names": ('summary = "s"\n' + NOP + NOP, [":5:", "'x' comes twice"]),
    "a_million_variants": ('summary = "s"\n' + NOP + "axes = { a = { from = 1, to = 1000000 } }\n",
                           [":5:", "1000000 variants", "limit"]),
    "a_name_that_leaves": ('summary = "s"\nname = "../x"\n' + NOP,
                           [":2:", "'../x' is not a plain"]),
    "a_name_that_is_taken": ('summary = "s"\nname = "programs"\n' + NOP,
                             ["'programs'", "another name"]),
}
USAGE = {
    ("frob",): "asmsweep: no command 'frob'; asmsweep help lists them\n",
    (".*",): "asmsweep: no command '.*'; asmsweep help lists them\n",
    ("build",): "asmsweep: usage: asmsweep build SWEEP\n",
    ("build", "a", "b"): "asmsweep: usage: asmsweep build SWEEP\n",
    ("prove",): "asmsweep: usage: asmsweep prove SWEEP\n",
    ("run",): "asmsweep: usage: asmsweep run SWEEP [OPTION...]\n",
    **{("list", *words): "asmsweep: usage: asmsweep list [SWEEP [--names]]\n"
       for words in (["a", "b"], ["--names"], ["a", "--nam"])},
    ("test", "--al"): "asmsweep: usage: asmsweep test [--all]\n",
    ("setup", "--al"): "setup: unknown option '--al'; usage: setup [--tests] [--yes]\n",
}


@pytest.fixture(scope="module")
def asmsweep(tmp_path_factory):
    return Clone(tmp_path_factory.mktemp("front"))


@pytest.fixture(scope="module")
def study(asmsweep):
    """The README's own study, run from the user's place with a relative path."""
    (asmsweep.cwd / "my chains.toml").write_text(STUDY)
    done = asmsweep("run", "my chains.toml", "--blocks", "2", "-o", "the run")
    assert done.returncode in MEASURED, done.stderr
    return done


def rows(path):
    with open(path, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.parametrize("words", USAGE)
def test_a_wrong_call_is_one_line_and_status_2(asmsweep, words):
    done = asmsweep(*words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", USAGE[words])


def test_help_lists_every_command_once_within_80_columns(asmsweep):
    done = asmsweep("help")
    names = re.findall(r"^  (\w+) ", done.stdout, re.M)
    source = open(f"{ROOT}/asmsweep", encoding="utf-8").read()
    assert done.returncode == 0 and len(names) == len(set(names))
    assert {"all", "test", "setup", "doctor", "list", "build", "run", "table", "help"} <= set(names)
    for name in names:
        assert f"command_{name}()" in source or re.search(rf"\b{name}\b.*command_results", source)
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert asmsweep("--help").stdout == done.stdout


def test_every_command_tells_its_usage_after_help(asmsweep, study):
    for name in re.findall(r"^  (\w+) ", asmsweep("help").stdout, re.M):
        done = asmsweep(name, "--help")
        assert (done.returncode, done.stderr) == (0, ""), name
        assert re.match(rf"usage: asmsweep {name}\b", done.stdout), name
        assert asmsweep(name, "-h").stdout == done.stdout
    for words in (["list", "seed"], ["run", "none"], ["fleet", "none", "--nodes", "2"],
                  ["bundle", "none"], ["nightly", "seed"], ["compare", "a", "b"]):
        done = asmsweep(*words, "--help")
        assert (done.returncode, done.stdout) == (0, asmsweep(words[0], "--help").stdout), words


@pytest.mark.parametrize("redirect", [">/dev/full", ">&-"])
def test_a_stdout_that_takes_nothing_is_one_line_and_status_2(asmsweep, study, redirect):
    for words in (["help"], ["build", "--help"], ["run", "--help"], ["build", "my chains.toml"]):
        done = asmsweep(*words, redirect=redirect)
        assert (done.returncode, done.stderr) == \
            (2, "asmsweep: stdout: not all could be printed; give it a place with room\n"), words


def test_a_run_prints_its_folder_and_puts_it_where_the_user_stands(asmsweep, study):
    assert study.stdout == "the run\n"
    summary = rows(asmsweep.cwd / "the run/summary.csv")
    cycles = {row["variant"] for row in summary if row["quantity"] == "cycles"}
    assert cycles == {f"imul.chains{n}" for n in range(1, 5)}
    assert {row["mix"] for row in summary} == {f"{8 * n}*imul+1*dec+1*jnz" for n in range(1, 5)}


def test_a_run_names_the_revision_it_was_made_with(asmsweep, study):
    head = subprocess.run(["git", "-C", asmsweep.root, "rev-parse", "--short=12", "HEAD"],
                          capture_output=True, text=True, check=True).stdout.strip()
    environment = {row["key"]: row["value"]
                   for row in rows(asmsweep.cwd / "the run/environment.csv")}
    assert environment["project_revision"] == head


def test_a_run_without_git_names_no_revision(asmsweep, study):
    git, elsewhere = asmsweep.root / ".git", asmsweep.root.parent / "git"
    git.rename(elsewhere)
    try:
        done = asmsweep("run", "my chains.toml", "--blocks", "1", "--only", "imul.chains1",
                        "-o", "without git")
    finally:
        elsewhere.rename(git)
    assert done.returncode in MEASURED, done.stderr
    environment = {row["key"]: row["value"]
                   for row in rows(asmsweep.cwd / "without git/environment.csv")}
    assert environment.get("project_revision", "") in ("", "unknown")


def test_a_table_of_the_run_has_a_row_for_each_parameter(asmsweep, study):
    done = asmsweep("table", "the run")
    assert done.returncode == 0, done.stderr
    found = re.findall(r"^imul \(chains (\d)\)", done.stdout, re.M)
    assert found == ["1", "2", "3", "4"]
    summary = re.search(r'^summary = "(.*)"$', STUDY, re.M)[1]
    assert done.stdout.splitlines()[0] == summary and "POPF" not in done.stdout
    toml = shlex.quote(str(asmsweep.cwd / "my chains.toml"))
    assert f"./asmsweep run {toml} --only VARIANT\n" in done.stdout
    wrong = asmsweep("table", "the run", "--formt")
    assert (wrong.returncode, wrong.stdout, wrong.stderr) == \
        (2, "", "asmsweep table: unrecognized arguments: --formt; --help lists the options\n")
    again = asmsweep("table", "the run", "--format", "csv")
    assert again.returncode == 0 and len(again.stdout.splitlines()) > 4


def test_a_bundle_lands_where_the_user_stands_and_no_run_is_one_line(asmsweep, study):
    done = asmsweep("bundle", "the run")
    assert done.returncode == 0, done.stderr
    name = re.match(r"(asmsweep-my_chains-\S+\.tar): 4 programs; check with: ", done.stdout)[1]
    assert subprocess.run(["tar", "tf", asmsweep.cwd / name], capture_output=True, text=True,
                          check=True).stdout.count("/guest/") == 3
    ignored = subprocess.run(["git", "-C", asmsweep.root, "check-ignore", name], check=False,
                             capture_output=True, text=True)
    assert ignored.stdout == f"{name}\n"
    (asmsweep.cwd / name).unlink()
    for folder, what in ((".", "has no summary.csv"), ("nowhere", "is not there")):
        done = asmsweep("bundle", folder)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert done.stderr.startswith(f"asmsweep-results: {folder}: {what}; give the folder that")


def test_a_second_run_into_the_same_folder_is_refused_and_harms_nothing(asmsweep, study):
    before = (asmsweep.cwd / "the run/summary.csv").read_bytes()
    done = asmsweep("run", "my chains.toml", "-o", "the run")
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1
    assert (asmsweep.cwd / "the run/summary.csv").read_bytes() == before


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_line_and_the_mended_file_builds(asmsweep, study, mistake):
    text, says = MISTAKES[mistake]
    path = asmsweep.cwd / f"{mistake}.toml"
    path.write_text(text)
    done = asmsweep("build", path.name)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.count("\n") == 1
    for part in (path.name, *says):
        assert part in done.stderr
    path.write_text('summary = "s"\n' + NOP)
    done = asmsweep("build", path.name)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{asmsweep.root}/build/{mistake}\n"
    proof = rows(asmsweep.root / "build" / mistake / "proof.csv")
    assert [(row["variant"], row["mix_found"], row["status"]) for row in proof] == \
        [("x", "1*nop+1*dec+1*jnz", "ok")]


def test_a_build_takes_back_what_a_proof_held_against_a_loop_a_run_does_not(asmsweep, study):
    built = asmsweep("build", "my chains.toml").stdout.rstrip("\n")
    proof = pathlib.Path(built) / "proof.csv"
    good = proof.read_bytes()
    first = rows(proof)[0]["variant"]
    lines = good.split(b"\r\n")
    lines[1] = lines[1].replace(b",ok,", b',mismatch,"guest: CPL0 retires 9 an iteration, 8"')
    proof.write_bytes(b"\r\n".join(lines))
    asmsweep("run", "my chains.toml", "--dry-run")
    assert [row["variant"] for row in rows(proof) if row["status"] != "ok"] == [first]
    done = asmsweep("build", "my chains.toml")
    assert (done.returncode, done.stderr) == (0, "")
    assert proof.read_bytes() == good


def test_a_loop_that_is_not_what_it_claims_ends_each_build_with_1_and_is_not_run(asmsweep, study):
    path = asmsweep.cwd / "claims.toml"
    path.write_text('summary = "s"\n' + "".join(
        f'[[loop]]\nname = "{name}"\nbody = "nop"\nclaims = {{ mix = "{mix}" }}\n'
        for name, mix in (("right", "1*nop"), ("wrong", "2*nop"))))
    built = f"{asmsweep.root}/build/claims"
    for _ in range(2):
        done = asmsweep("build", path.name)
        assert (done.returncode, done.stdout) == (1, f"{built}\n")
        assert done.stderr == ("wrong: mismatch: mix: claimed 2*nop, found 1*nop\n"
                               f"asmsweep-prove: {built}/proof.csv: 1 of 2 are not proved\n")
    done = asmsweep("run", path.name, "--blocks", "1", "-o", "claims run")
    assert done.returncode in (1, 3)  # 3: the other has no value either, on a busy machine
    status = {row["variant"]: row["status"] for row in rows(asmsweep.cwd / "claims run/summary.csv")
              if row["quantity"] == "cycles"}
    assert status["wrong"] == "unproved" and status["right"] != "unproved"


def test_a_sweep_with_a_semicolon_builds_a_clone_with_one_does_not(asmsweep, study, tmp_path):
    path = asmsweep.cwd / "semi;colon.toml"
    path.write_text('summary = "s"\n' + NOP)
    done = asmsweep("build", path.name)
    path.unlink()
    assert (done.returncode, done.stdout, done.stderr) == \
        (0, f"{asmsweep.root}/build/semi_colon\n", "")
    front = tmp_path / "a;clone/asmsweep"
    for name in ("asmsweep", "common/shell.sh"):
        (front.parent / name).parent.mkdir()
        (front.parent / name).write_bytes((asmsweep.root / name).read_bytes())
    done = subprocess.run(["sh", front, "build", "seed"], capture_output=True, text=True,
                          check=False)
    assert (done.returncode, done.stderr) == (
        2, f"asmsweep: {front.parent}: CMake and Ninja cannot work in a path with ';'; give the "
        "folder another name\n")


def test_an_unknown_sweep_names_the_nearest(asmsweep, study):
    done = asmsweep("run", "sed")
    assert done.returncode == 2
    assert "no sweep 'sed'; did you mean seed?" in done.stderr


def test_list_names_a_sweeps_variants_even_where_a_duplicate_matches_none(asmsweep, study):
    done = asmsweep("list", "my chains.toml", "--names")
    names = "".join(f"imul.chains{n}\n" for n in range(1, 5))
    assert (done.returncode, done.stdout, done.stderr) == (0, names, "")
    path = asmsweep.cwd / "a copy.toml"
    path.write_text('duplicates = ["imul.chain4"]\n' + STUDY)
    done = asmsweep("list", "--names", path.name)
    assert (done.returncode, done.stdout) == (2, names)
    assert done.stderr == (f"generator: {path.name}:1: 'imul.chain4' matches no variant; "
                           f"./asmsweep list '{path.name}' --names shows their names\n")
    path.write_text('duplicates = ["imul.chains4"]\n' + STUDY)
    assert asmsweep("list", path.name, "--names").stdout == names + "imul.chains4.duplicate\n"
    path.write_text('duplicates = ["imul.*"]\n' + STUDY + EMPTY_LOOP)
    assert asmsweep("list", path.name, "--names").stdout == \
        "overhead.nothing.unroll0\n" + names + names.replace("\n", ".duplicate\n")


def test_doctor_predicts_what_the_run_refuses(asmsweep, study):
    doctor = asmsweep("doctor", "seed")
    assert doctor.returncode == 0
    can, count, refused = map(int, re.search(
        r"^seed with engine perf: (\d+) of (\d+) variants can run, (\d+) are refused",
        doctor.stdout, re.M).groups())
    assert (count, can + refused) == (8, 8)
    run = asmsweep("run", "seed", "--blocks", "1", "-o", "seed run")
    assert run.returncode in MEASURED
    cycles = [row for row in rows(asmsweep.cwd / "seed run/summary.csv")
              if row["quantity"] == "cycles"]
    none = [row for row in cycles if row["status"] == "refused"]
    assert (len(cycles), len(none)) == (count, refused)
    assert all(row["value"] == "" and row["detail"] for row in none)


@pytest.mark.parametrize("words, name", [(("list",), "generator"), (("build", "seed"), "build"),
                                         (("table", "the run"), "asmsweep table")])
def test_an_interruption_while_python_starts_is_one_line(asmsweep, study, words, name):
    early = asmsweep.root.parent / "early"  # the first of a user's files that Python reads
    early.mkdir(exist_ok=True)
    (early / "sitecustomize.py").write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    done = asmsweep(*words, PYTHONPATH=str(early))
    # A shell that waited for it says 128 + the signal.
    assert (done.returncode, done.stdout) in ((-signal.SIGINT, ""), (128 + signal.SIGINT, ""))
    assert done.stderr == f"{name}: interrupted\n"


@pytest.mark.parametrize("words", [("list",), ("build", "seed")])
def test_an_interruption_at_any_moment_is_at_most_one_line(asmsweep, study, words):
    said = set()
    for delay in [step / 400 for step in range(100)] + [1, 2, 4, 8, 16]:
        if delay >= 1 and "" in said:
            break  # the long ones are for a host so busy that it never came to its end
        process = asmsweep.start(*words)
        time.sleep(delay)
        with contextlib.suppress(ProcessLookupError):  # it has ended
            os.killpg(process.pid, signal.SIGINT)
        said.add(process.communicate(timeout=60)[1])
    assert said <= {"", "generator: interrupted\n", "build: interrupted\n"} and len(said) == 2


# Last: after all of the above.
def test_nothing_is_written_outside_build_and_data(asmsweep, study):
    new = {path for path in tree(asmsweep.root) - asmsweep.files if not path.startswith(".git/")}
    assert {path.split("/")[0] for path in new} == {"build"}
    assert tree(asmsweep.home) == set()
    assert {path.split("/")[0] for path in tree(asmsweep.cwd)} == \
        {"my chains.toml", "a copy.toml", "claims.toml", "claims run", "the run", "without git",
         "seed run", *(f"{name}.toml" for name in MISTAKES)}

# SPDX-License-Identifier: GPL-3.0-or-later
"""Every mistake gets one line with file, place and remedy, status 2, and no output."""

import os
import shutil
import signal
import subprocess

import pytest
from conftest import PYTHON, ROOT, TEMPLATES

LOOP = '[[loop]]\nname = "x"\nbody = "nop"\n'

# (what the file holds, what the one line must contain)
CASES = {
    "unknown_key": ('summary = "s"\nlimits = 3\n' + LOOP,
                    ["sweep.toml:2:", "unknown key 'limits'", "did you mean limit?"]),
    "unknown_key_of_a_loop": ('summary = "s"\n' + LOOP + 'bodyy = "nop"\n',
                              ["sweep.toml:5:", "'bodyy'", "did you mean body?"]),
    "wrong_type": ('summary = "s"\nlimit = "many"\n' + LOOP,
                   ["sweep.toml:2:", "'limit' is 'many'", "whole number"]),
    "unknown_system_call": ('summary = "s"\n' + LOOP + 'syscalls = ["forc"]\n',
                            ["sweep.toml:5:", "no system call 'forc'", "did you mean fork?"]),
    "call_out_of_the_group": ('summary = "s"\nsyscalls = ["fork", "setsid"]\n' + LOOP,
                              ["sweep.toml:2:", "'setsid' cannot be allowed", "one process group"]),
    "call_that_is_no_text": ('summary = "s"\nsyscalls = [57]\n' + LOOP,
                             ["sweep.toml:2:", "'syscalls' holds 57", "in quotes"]),
    "unknown_target": ('summary = "s"\n' + LOOP + 'target = "bfp"\n',
                       ["sweep.toml:5:", "no target 'bfp'", "did you mean bpf?"]),
    "key_of_a_process": ('summary = "s"\n' + LOOP + 'target = "bpf"\npages = "huge"\n',
                         ["sweep.toml:6:", "'pages' is for loops in a process", "leave it out"]),
    "place_in_the_kernel": ('summary = "s"\n' + LOOP + 'target = "bpf"\n'
                            'axes = { align_offset = [0, 8] }\n',
                            ["sweep.toml:6:", "the kernel chooses where a program lies"]),
    "type_of_a_process": ('summary = "s"\n' + LOOP + 'program = "tc"\n',
                          ["sweep.toml:5:", "'program' is for programs of the kernel"]),
    "unknown_type": ('summary = "s"\n' + LOOP + 'target = "bpf"\nprogram = "xdp"\n',
                     ["sweep.toml:6:", "'xdp' is not known", "known: syscall, tc"]),
    "missing_summary": (LOOP, ["sweep.toml", "no 'summary'", "add summary"]),
    "not_toml": ('summary = s\n', ["sweep.toml:1:", "is not TOML", "quotes"]),
    "nothing_in_it": ('summary = "s"\n', ["the sweep is empty", "[[family]]"]),
    "unknown_family": ('summary = "s"\n[[family]]\nname = "seeed"\n',
                       ["sweep.toml:3:", "no family 'seeed'", "did you mean seed?"]),
    "family_outside": ('summary = "s"\n[[family]]\nname = "../x"\n',
                       ["sweep.toml:3:", "'../x' is not a plain name", "a-z"]),
    "loop_outside": ('summary = "s"\n[[loop]]\nname = "../x"\nbody = "nop"\n',
                     ["sweep.toml:3:", "'../x' is not a plain name"]),
    "sweep_outside": ('summary = "s"\nname = "../x"\n' + LOOP,
                      ["sweep.toml:2:", "'../x' is not a plain name"]),
    "value_outside": ('summary = "s"\n' + LOOP + 'axes = { a = ["../x"] }\n',
                      ["sweep.toml:5:", "cannot hold '../x'", "words of"]),
    "negative_value": ('summary = "s"\n' + LOOP + 'axes = { a = [-1] }\n',
                       ["sweep.toml:5:", "cannot hold -1", "whole numbers from 0 to 2147483647, ",
                        "values = {...} "]),
    "value_over_31_bits": ('summary = "s"\n' + LOOP + 'axes = { a = 4000000000 }\n',
                           ["sweep.toml:5:", "cannot hold 4000000000", "from 0 to 2147483647, or"]),
    "range_over_31_bits": ('summary = "s"\n' + LOOP + 'axes = { a = {from=0, to=2147483648} }\n',
                           ["sweep.toml:5:", "cannot be counted up", "to at most 2147483647,"]),
    "long_summary": ('summary = "' + 101 * "s" + '"\n' + LOOP,
                     ["sweep.toml:1:", "more than a line of 100 characters", "shorten it"]),
    "summary_of_two_lines": ('summary = "s\\ns"\n' + LOOP,
                             ["sweep.toml:1:", "more than a line of 100 characters"]),
    "value_with_a_point": ('summary = "s"\n' + LOOP + 'axes = { a = 0.5 }\n',
                           ["sweep.toml:5:", "cannot hold 0.5", "values = {...} "]),
    "long_name": ('summary = "s"\n[[loop]]\nname = "' + 90 * "x" + '"\nbody = "nop"\n',
                  ["sweep.toml:2:", f"variant '{40 * 'x'}...' has a name of 90 characters",
                   "shorten it to 84"]),
    "unknown_axis": ('summary = "s"\n[[family]]\nname = "flag_bits"\n[family.axes]\npair = 2\n',
                     ["sweep.toml:5:", "no axis 'pair'", "did you mean pairs?"]),
    "unknown_word": ('summary = "s"\n[[family]]\nname = "flag_bits"\n[family.axes]\n'
                     'bits = ["cff"]\n', ["sweep.toml:5:", "no value 'cff'", "did you mean cf?"]),
    "empty_axis": ('summary = "s"\n' + LOOP + 'axes = { a = [] }\n',
                   ["sweep.toml:5:", "axis 'a' is empty", "at least one"]),
    "empty_range": ('summary = "s"\n' + LOOP + 'axes = { a = { from = 3, to = 2 } }\n',
                    ["sweep.toml:5:", "axis 'a' is empty"]),
    "range_of_step_0": ('summary = "s"\n' + LOOP + 'axes = { a = {from=0, to=2, step=0} }\n',
                        ["sweep.toml:5:", "cannot be counted up", "step 1 or more"]),
    "same_value_twice": ('summary = "s"\n' + LOOP + 'axes = { a = [1, 1] }\n',
                         ["sweep.toml:5:", "holds 1 twice"]),
    "same_loop_twice": ('summary = "s"\n' + LOOP + LOOP,
                        ["sweep.toml:5:", "variant 'x' comes twice", "another name"]),
    "conditions_leave_nothing": ('summary = "s"\n' + LOOP + 'axes = { a = [1] }\n'
                                 'conditions = ["a > 1"]\n',
                                 ["sweep.toml:6:", "no combination of x", "loosen"]),
    "undefined_name": ('summary = "s"\n[[loop]]\nname = "x"\nbody = """\nnop\n'
                       'mov $<{ q }>, %ecx\n"""\n',
                       ["sweep.toml:6:", "the name 'q' is undefined", "use an axis"]),
    "undefined_in_condition": ('summary = "s"\n' + LOOP + 'conditions = ["q > 1"]\n',
                               ["sweep.toml:5:", "'q' is undefined"]),
    "broken_template": ('summary = "s"\n[[loop]]\nname = "x"\nbody = """\nnop\n'
                        '<% for %>\n"""\n', ["sweep.toml:6:", "templates use <% %>"]),
    "a_million": ('summary = "s"\n' + LOOP + 'axes = { a = { from = 1, to = 1000000 } }\n',
                  ["sweep.toml:5:", "multiply to 1000000 variants", "limit of sweep", "20000",
                   "set limit ="]),
    "too_many": ('summary = "s"\nlimit = 9\n' + LOOP + 'axes = { a = { from = 1, to = 10 } }\n',
                 ["sweep.toml:2:", "over 9 variants", "raise limit"]),
    "endless_range": ('summary = "s"\n' + LOOP + 'axes = { a = {from=0, to=2147483647} }\n',
                      ["multiply to 2147483648"]),
    "wrong_mix": ('summary = "s"\n' + LOOP + 'claims = { mix = "nop" }\n',
                  ["sweep.toml:5:", "'nop' in a mix is not COUNT*MNEMONIC"]),
    "wrong_counter": ('summary = "s"\n' + LOOP + 'counter = "%rcx"\n',
                      ["sweep.toml:5: counter of x: '%rcx' is not known; "
                       "known: %eax, %r15, memory\n"]),
    "wrong_needs": ('summary = "s"\n' + LOOP + 'needs = "root"\n',
                    ["sweep.toml:5:", "'root' is not known", "iopl"]),
    "count_over_32_bits": ('summary = "s"\n' + LOOP + 'iterations = 4294967296\n',
                           ["sweep.toml:5:", "32-bit counter"]),
    "count_of_0": ('summary = "s"\n' + LOOP + 'iterations = 0\n',
                   ["sweep.toml:5:", "'0', not a whole number from 1"]),
    "duplicate_of_nothing": ('summary = "s"\nduplicates = ["y*"]\n' + LOOP,
                        ["sweep.toml:2:", "'y*' matches no variant",
                                          "./asmsweep list sweep.toml --names shows"]),
    "file_from_elsewhere": ('summary = "s"\n[[loop]]\nname = "x"\n'
                            'body = "<% include \'../../../../etc/passwd\' %>"\n',
                            ["sweep.toml:4:", "no template"]),
    "python_internals": ('summary = "s"\n[[loop]]\nname = "x"\n'
                         'body = "<{ \'\'.__class__.__mro__ }>"\n',
                         ["sweep.toml:4:", "cannot reach files or Python"]),
    "all_memory": ('summary = "s"\n[[loop]]\nname = "x"\n'
                   'body = "<{ \'nop;\' * 10000000000 }>"\n',
                   ["sweep.toml:4:", "1000000 items"]),
    "memory_by_a_filter": ('summary = "s"\n[[loop]]\nname = "x"\n'
                           'body = "<{ \'nop\' | center(100000000000) }>"\n',
                           ["sweep.toml:4:", "MemoryError"]),
    "axis_hides_a_function": ('summary = "s"\n' + LOOP + 'axes = { lines = [1] }\n',
                              ["sweep.toml:5:", "'lines' cannot be the name"]),
    "value_hides_an_axis": ('summary = "s"\n' + LOOP + 'axes = { a = [1] }\n'
                            'values = { a = "2" }\n',
                            ["sweep.toml:6:", "'a' cannot be the name"]),
    "unknown_key_of_a_question": (
        'summary = "s"\n[[question]]\ntitle = "t"\ntakes = []\n' + LOOP,
        ["sweep.toml:4:", "unknown key 'takes' in question", "did you mean take?"]),
    "unknown_key_of_a_matcher": (
        'summary = "s"\n[[question]]\ntitle = "t"\ntake = [{ items = ["a"] }]\n' + LOOP,
        ["sweep.toml:4:", "unknown key 'items'", "did you mean item?"]),
    "matcher_that_takes_everything": (
        'summary = "s"\n[[question]]\ntitle = "t"\ntake = [{}]\n' + LOOP,
        ["sweep.toml:4:", "'take' takes every cost or none", "write take ="]),
    "matcher_of_a_text": (
        'summary = "s"\n[[question]]\ntitle = "t"\ntake = [{ item = "a" }]\n' + LOOP,
        ["sweep.toml:4:", "'item' is 'a'", "must be a list"]),
    "matcher_of_numbers": (
        'summary = "s"\n[[question]]\ntitle = "t"\ntake = [{ item = [1] }]\n' + LOOP,
        ["sweep.toml:4:", "'item' holds 1", "texts in quotes"]),
    "unknown_method": (
        'summary = "s"\n[[question]]\ntitle = "t"\ntake = [{ method = ["solve"] }]\n' + LOOP,
        ["sweep.toml:4:", "'method' cannot hold 'solve'", "did you mean solved?"]),
    "unknown_rule": (
        'summary = "s"\n[[question]]\ntitle = "t"\ntake = [{ item = ["a"] }]\n'
        'short = ["brief"]\n' + LOOP, ["sweep.toml:5:", "'short' cannot hold 'brief'",
                                       "known: one_row_a_label, "]),
    "titled_by_a_text": (
        'summary = "s"\n[[question]]\ntitle = "t"\ntake = [{ item = ["a"] }]\n'
        'titled = "yes"\n' + LOOP, ["sweep.toml:5:", "'titled' is 'yes'", "true or false"]),
    "long_title": ('summary = "s"\ntitle = "' + 101 * "t" + '"\n' + LOOP,
                   ["sweep.toml:2:", "the title is more than a line of 100 characters"]),
    "beside_of_numbers": ('summary = "s"\nbeside = { mail = 2016 }\n' + LOOP,
                          ["sweep.toml:2:", "'beside' holds 2016"]),
    "difference_of_nothing": (
        'summary = "s"\n[[difference]]\nitem = "a"\nminuend = ["k"]\nmissing = "m"\n'
        'subtrahend = { k = "0" }\n' + LOOP,
        ["sweep.toml:2:", "no variant is the minuend of 'a'", "its context must have"]),
    "difference_from_nothing": (
        'summary = "s"\n[[difference]]\nitem = "a"\nminuend = ["k"]\nmissing = "m"\n'
        'subtrahend = {}\n' + LOOP, ["sweep.toml:6:", "'subtrahend' is empty", "KEY"]),
    "difference_named_by_another_key": (
        'summary = "s"\n[[difference]]\nitem = "by {l}"\nminuend = ["k"]\nmissing = "m"\n'
        'subtrahend = { k = "0" }\n' + LOOP,
        ["sweep.toml:3:", "'item' cannot hold 'l'", "known: k"]),
    "phrase_with_a_name": ('summary = "s"\n[phrases.k]\n"" = "{k}"\n' + LOOP,
                           ["sweep.toml:2:", "'{k}' is no phrase", "write {} where"]),
    "phrase_that_is_no_table": ('summary = "s"\nphrases = { k = "a {}" }\n' + LOOP,
                                ["sweep.toml:2:", "'k' is 'a {}'", "VALUE"]),
    "generation_without_an_item": (
        'summary = "s"\n[[generation]]\nheading = "imul"\n' + LOOP,
        ["sweep.toml:2:", "no 'general' in generation", "add general"]),
    "map_that_takes_nothing": ('summary = "s"\n[plots.map]\ntitle = "t"\ntake = []\n' + LOOP,
                               ["sweep.toml:4:", "'take' takes every cost or none"]),
    "like_no_sweep": ('summary = "s"\nlike = "popfif"\n' + LOOP,
                      ["sweep.toml:2:", "no sweep 'popfif'", "did you mean popf_if?"]),
    "like_one_that_is_like_another": ('summary = "s"\nlike = "seed"\n' + LOOP,
                                      ["sweep.toml:2:", "seed is like another sweep itself",
                                       'write like = "popf_if"']),
    "event_with_a_space": ('summary = "s"\nevents = ["page faults"]\n' + LOOP,
                           ["sweep.toml:2:", "'page faults' is no name of an event", "perf list"]),
    "two_events_in_one_text": ('summary = "s"\nevents = ["cs,faults"]\n' + LOOP,
                               ["sweep.toml:2:", "'cs,faults' is no name of an event"]),
    "event_twice": ('summary = "s"\nevents = ["cs", "cs"]\n' + LOOP,
                    ["sweep.toml:2:", "'cs' is there twice", "leave one out"]),
    "too_many_events": ('summary = "s"\nevents = [' + ", ".join(f'"e{n}"' for n in range(13)) +
                        ']\n' + LOOP, ["sweep.toml:2:", "13 events are too many", "at most 12"]),
    "align_offset_of_64": ('summary = "s"\n' + LOOP + 'axes = { align_offset = [64] }\n',
                           ["sweep.toml:5:", "0 to 63"]),
}


@pytest.mark.parametrize("case", CASES)
def test_one_line_status_2_and_nothing_written(case, generate, tmp_path):
    text, expected = CASES[case]
    done = generate(text)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1 and "Traceback" not in done.stderr
    for part in expected:
        assert part in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_mistake_leaves_the_last_good_output_alone(generate, tmp_path):
    good = 'summary = "s"\n' + LOOP
    assert generate(good).returncode == 0

    def output():  # the link is to the sweep itself
        return {p: (p.read_bytes(), p.stat().st_mtime_ns)
                for p in (tmp_path / "out").rglob("*.*") if not p.is_symlink()}
    before = output()
    assert generate(good + 'axes = { a = [] }\n').returncode == 2
    assert len(before) == 7 and output() == before


def test_a_link_out_of_the_templates_is_no_template(generate, tmp_path):
    shutil.copytree(TEMPLATES, tmp_path / "templates")
    (tmp_path / "secret").write_text("secret words\n")
    (tmp_path / "templates/link.j2").symlink_to(tmp_path / "secret")
    done = generate('summary = "s"\n[[loop]]\nname = "x"\n'
                    'body = "<% include \'link.j2\' %>"\n', templates=tmp_path / "templates")
    assert done.returncode == 2 and "no template 'link.j2'" in done.stderr


def test_unknown_sweep_names_the_nearest(tmp_path):
    done = subprocess.run([PYTHON, "-B", f"{ROOT}/generator/main.py", "--sweep", "sed",
                           "--out", str(tmp_path / "out")],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "no sweep 'sed'; did you mean seed?" in done.stderr


def test_a_list_with_a_mistake_has_no_heading(tmp_path):
    (tmp_path / "x.toml").write_text("summary = 's'\n")
    for what in ("--list", "--families", "--names"):
        done = subprocess.run([PYTHON, "-B", f"{ROOT}/generator/main.py", what, "--sweep",
                               "x.toml"], capture_output=True, text=True, check=False,
                              cwd=tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == \
            (2, "", "generator: x.toml: the sweep is empty; add a [[family]], [[loop]] or "
             "[[instruction]]\n")


def test_unreadable_and_binary_files_are_named(generate, tmp_path):
    (tmp_path / "d.toml").mkdir()
    (tmp_path / "b.toml").write_bytes(b"\xff\xfe")
    for name, says in (("d.toml", "Is a directory"), ("b.toml", "not UTF-8"),
                       ("none.toml", "No such file")):
        done = subprocess.run([PYTHON, "-B", f"{ROOT}/generator/main.py", "--sweep",
                               str(tmp_path / name), "--out", str(tmp_path / "out")],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 2 and says in done.stderr and name in done.stderr


@pytest.mark.parametrize("program,words,said", [
    ("generator/main.py", ["--lis"], "generator: unrecognized arguments: --lis"),
    ("generator/main.py", [],
     "generator: give --sweep and --out or --names, or --list, --families or --render"),
    ("generator/build.py", ["--sweep", "x", "--out", "y", "-j", "two"],
     "build: -j/--jobs: invalid int value: 'two'"),
    ("generator/build.py", ["--sweep", "x"],
     "build: one of the arguments --out --into is required"),
    ("campaign/night/report.py", [], "night: the following arguments are required: NIGHT"),
])
def test_a_wrong_option_of_each_program_is_one_line(program, words, said):
    done = subprocess.run([PYTHON, "-B", f"{ROOT}/{program}", *words],
                          capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == \
        (2, "", f"{said}; --help lists the options\n")


def test_a_closed_pipe_ends_the_lists_silently():
    for what in ("--families", "--list"):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([PYTHON, "-B", f"{ROOT}/generator/main.py", what], stdout=writer,
                              stderr=subprocess.PIPE, text=True, check=False)
        os.close(writer)
        assert (done.returncode, done.stderr) == (-signal.SIGPIPE, "")


@pytest.mark.parametrize("program, name", [
    ("generator/main.py", "generator"), ("generator/build.py", "build"),
    ("campaign/night/report.py", "night"), ("results/tables/main.py", "asmsweep table")])
def test_stdout_that_is_full_or_closed_is_one_line_and_status_2(program, name):
    closed = "leave it open: Bad file descriptor"
    for words, said in ((">/dev/full", "give it a place with room: No space left on device"),
                        (">&-", closed), ("<&- >&-", closed)):
        done = subprocess.run(["sh", "-c", f'"$@" {words}', "sh", PYTHON, "-B",
                               f"{ROOT}/{program}", "--help"],
                              stderr=subprocess.PIPE, text=True, check=False)
        assert (done.returncode, done.stderr) == \
            (2, f"{name}: stdout: not all could be printed (files are complete); {said}\n"), words


@pytest.mark.parametrize("limits, soft, hard", [
    ("", 4 << 30, -1), ("ulimit -Sv 2000000", 2000000 << 10, -1),
    ("ulimit -v 3000000", 3000000 << 10, 3000000 << 10),
    ("ulimit -v 9000000", 4 << 30, 9000000 << 10)])
def test_a_limit_of_memory_is_kept_where_it_is_smaller_than_ours(limits, soft, hard):
    def limited(*words):
        return subprocess.run(["sh", "-c", f'{limits or ":"}; exec "$@"', "sh", PYTHON, "-B",
                               *words], capture_output=True, text=True, cwd=ROOT, check=False)
    done = limited("generator/main.py", "--names", "--sweep", "seed")
    assert (done.returncode, done.stdout.count("\n"), done.stderr) == (0, 8, "")
    done = limited("-c", "import resource; from generator import main\n"
                   "print(main._limit_memory(), *resource.getrlimit(resource.RLIMIT_AS))")
    assert done.stdout == f"{soft} {soft} {hard}\n"


INTERRUPTED = (-signal.SIGINT, "")  # died of the signal: a shell's loop ends, too


@pytest.mark.parametrize("program, name", [
    ("generator/main.py", "generator"), ("generator/build.py", "build")])
def test_an_interruption_of_the_first_moment_is_one_line(tmp_path, program, name):
    (tmp_path / "difflib.py").write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nraise SystemExit('alive')\n")
    done = subprocess.run([PYTHON, "-B", f"{ROOT}/{program}", "--list"],
                          capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert (done.returncode, done.stdout) == INTERRUPTED
    assert done.stderr == f"{name}: interrupted\n"


def test_an_interruption_of_a_build_is_one_line(tmp_path):
    (tmp_path / "cmake").write_text('#!/bin/sh\nkill -INT "$PPID"\nsleep 9\n')
    (tmp_path / "cmake").chmod(0o755)
    done = subprocess.run([PYTHON, "-B", f"{ROOT}/generator/build.py", "--sweep", "seed",
                           "--out", tmp_path / "out"], capture_output=True, text=True, check=False,
                          env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert (done.returncode, done.stdout) == INTERRUPTED
    assert done.stderr == "build: interrupted\n"

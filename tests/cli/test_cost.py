# SPDX-License-Identifier: GPL-3.0-or-later
"""`./asmsweep cost` as a user types it: what is wrong is one line, what is measured a run."""

import json
import os
import re
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def cost(*words, folder=None):
    return subprocess.run([os.path.join(ROOT, "asmsweep"), "cost", *map(str, words)],
                          capture_output=True, text=True, check=False, cwd=folder)


@pytest.mark.parametrize("words, line", [
    (["foo %rax"], "'foo %rax': no such instruction: `foo %rax'; write it as GNU as takes it; "
                   "--intel for Intel's syntax"),
    (["wrmsr"], "'wrmsr' is refused: wrmsr is privileged; nothing was measured"),
    (["cli"], "'cli' is refused: cli: privileged: it needs I/O privilege or CPL0 "
              "(./asmsweep run popf_if --engine guest); nothing was measured"),
    (["syscall"], "'syscall' is refused: syscall: it enters the kernel; nothing was measured"),
    (["nop", "bar"], "'bar': no such instruction: `bar'; write it as GNU as takes it; --intel for "
                     "Intel's syntax")])
def test_a_wrong_text_is_one_line(words, line):
    done = cost(*words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"cost: {line}\n")


def test_a_wrong_operand_is_told_by_the_assembler():
    done = cost("imul %rax, %xmm1")
    assert done.returncode == 2 and done.stderr.startswith("cost: 'imul %rax, %xmm1': operand ")
    assert done.stderr.count("\n") == 1


def test_a_line_of_a_list_is_named(tmp_path):
    (tmp_path / "list").write_text("nop # one\n\nfoo\n")
    done = cost("--file", "list", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("cost: list:3: 'foo': no such instruction")
    done = cost("--file", "none", folder=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith("cost: none: No such file or directory")


def test_without_words_it_says_what_it_takes():
    done = cost()
    assert done.returncode == 2
    assert done.stderr == ("asmsweep cost: give an instruction, or --file LIST; "
                           "--help lists the options\n")
    assert "--throughput" in cost("--help").stdout


def test_the_run_is_an_ordinary_one(tmp_path):
    run = tmp_path / "a run"
    done = cost("--throughput", "--json", "-o", run, "bswap %rax")
    assert done.returncode in (0, 1, 3), done.stderr  # 3: the core was shared throughout
    answer, = json.loads(done.stdout)["answers"]
    assert answer["question"] == "throughput" and answer["form"] == "BSWAP r64"
    variant = answer["loops"][0]["variant"]
    assert variant == "bswap_rax-throughput"
    told = subprocess.run([os.path.join(ROOT, "asmsweep"), "explain", run, variant],
                          capture_output=True, text=True, check=False)
    assert told.returncode == 0 and "bswap" in told.stdout
    # A core that is shared gives about the same, which is no value.
    assert answer["cycles"] is not None or answer["status"] != "ok"


def _sample(language, tmp_path):
    """The sample of docs/cost.md, beside an ./asmsweep that prints a document."""
    answers = [{"question": "latency", "from": "rax", "to": "rbx", "cycles": 3.0, "status": "ok"},
               {"question": "throughput", "from": None, "to": None, "cycles": None,
                "status": "contended"}]
    (tmp_path / "document.json").write_text(json.dumps({"answers": answers}))
    fake = tmp_path / "asmsweep"
    fake.write_text('#!/bin/sh\n[ "$*" = "cost --json imul %rax, %rbx" ] && cat document.json\n')
    fake.chmod(0o755)
    with open(os.path.join(ROOT, "docs", "cost.md"), encoding="utf-8") as stream:
        return re.search(rf"```{language}\n(.*?)```", stream.read(), re.S)[1]


def test_the_python_sample_prints_what_has_a_value(tmp_path):
    done = subprocess.run([sys.executable, "-c", _sample("python", tmp_path)], cwd=tmp_path,
                          capture_output=True, text=True, check=True)
    assert done.stdout == "latency rax rbx 3.0\n"


def test_the_c_sample_prints_what_has_a_value(tmp_path):
    (tmp_path / "sample.c").write_text(_sample("c", tmp_path))
    subprocess.run(["cc", "-Wall", "-Werror", "sample.c", "-lcjson", "-o", "sample"], cwd=tmp_path,
                   check=True)
    done = subprocess.run(["./sample"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "latency 3.000\n"


def test_an_init_without_end_is_refused():
    done = cost("--init", '.include "/dev/zero"', "nop")
    assert (done.returncode, done.stderr) == (
        2, "asmsweep cost: --init: .include is a directive, no instruction; --help lists the "
        "options\n")


def test_no_copies_are_refused():
    done = cost("--unroll", 0, "nop")
    assert (done.returncode, done.stderr) == (
        2, "asmsweep cost: --unroll takes 1 to 10000; --help lists the options\n")

# SPDX-License-Identifier: GPL-3.0-or-later
"""`./asmsweep cost` as a user types it: what is wrong is one line, what is measured a run."""

import json
import os
import subprocess

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

# SPDX-License-Identifier: GPL-3.0-or-later
"""Each format of a table, byte for byte, on runs that hold every kind of cell."""

import os
import re

import pytest
from programs import HERE, ROOT
from synthetic import homogeneous, loop, write_run

# A format is a template; a new one is tested here without being named.
FORMATS = sorted(name[:-3] for name in os.listdir(os.path.join(ROOT, "templates", "tables"))
                 if name.endswith(".j2"))
UPDATE = "ASMSWEEP_UPDATE_GOLDEN=1 ctest --test-dir build/programs -R results_formats"


def sequence(restore, cost, **more):
    """A whole sequence that the petition asks of."""
    branch = ";branch=predicted" if restore != "none" else ""
    return homogeneous(f"seq.{restore}", "pushfq; pop %rbx; cli", 1, cost, family="irqsave",
                       context=f"sequence=irqsave;restore={restore};was=1{branch}", **more)


def every_kind():
    """A run like popf_if's: each status that has a cell of its own, each method, each sign."""
    refused = {"status": "refused", "privilege": "unavailable", "detail": "iopl: ENOSYS"}
    return [
        loop("overhead", "", 1.0, family="overhead"),
        homogeneous("bits.none", "push %rbx; popfq", 14, 14 * 20.5, family="flag_bits",
                    context="if=1->1;bits=none"),
        homogeneous("bits.df", "push %rbx; popfq", 14, 14 * 116.3, family="flag_bits",
                    context="if=1->1;bits=df", status="unstable", half=14),
        homogeneous("pf", "pushfq; popfq", 16, 16 * 20.6, family="known"),
        dict(homogeneous("pf.duplicate", "pushfq; popfq", 16, 16 * 20.62, family="known"),
             duplicate_of="pf"),
        homogeneous("pp", "push %rbx; pop %rcx", 16, 16 * 1.5, family="known"),  # not as published
        homogeneous("cli", "cli", 28, None, family="ratio", **refused),
        homogeneous("late", "bswap %rbx", 16, None, family="late", status="timed_out",
                    detail="still running after 10 s"),
        *(homogeneous(f"nops.{n}", "nop", n, value, family="nops")  # no line through 0: no sum
          for n, value in ((4, 9.0), (16, 10.0))),
        *(loop(f"mix.{a}.{b}", f"{a}*imul" + (f"+{b}*add" if b else ""), 3.0 * a + b, half=0.01,
               family="mix") for a, b in ((8, 0), (8, 8), (16, 8), (8, 16), (16, 16))),
        loop("order.spread", "4*clc+4*cmc", 100.0, family="order", order="spread"),
        loop("order.clustered", "4*clc+4*cmc", 130.0, family="order", order="clustered"),
        loop("lone", "2*mov+1*movsb", 11.0, half=0.01, family="lone", context="at=a_b|<c>&$~"),
        *(loop("lone", "2*mov+1*movsb", value, half=0.01, family="lone", quantity="event",
               event=event, **more) for event, value, more in (
                   ("page-faults", 0.25, {"source": "kernel"}),
                   ("branch-misses", None, {"status": "not_supported", "detail": "no PMU"}))),
        sequence("none", 26.0), sequence("test_sti", 34.0), sequence("popfq", None, **refused),
    ]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The folder of two runs of two CPUs."""
    folder = tmp_path_factory.mktemp("formats")
    other = [dict(row, run_id="run-2", cpu_name="Other <x> & $y_z", cpu_model="33",
                  hypervisor="KVMKVMKVM") for row in every_kind()[1:4]]
    for name, loops in (("one", every_kind()), ("two", other)):
        write_run(folder / name, [dict(row, sweep="popf_if") for row in loops],
                  [("governor", "performance"), ("smt", "off")])
    return folder


def as_golden(text):
    """Without what other programs draw and what has its own file: plots, style and script."""
    for tag in ("svg", "style", "script"):
        text = re.sub(rf"<{tag}\b.*?</{tag}>", f"<{tag}/>", text, flags=re.S)
    return text


@pytest.mark.parametrize("kind", FORMATS)
def test_a_format_writes_its_golden_file(written, solve, table, monkeypatch, kind):
    monkeypatch.chdir(written)
    for name in ("one", "two"):
        solve(name)
    done = table("one", "two", "--labels", "quiet,busy", "--format", kind, "--out", "made")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    made = as_golden((written / "made").read_bytes().decode())
    golden = os.path.join(HERE, "golden", f"every_kind.{kind}")
    if os.environ.get("ASMSWEEP_UPDATE_GOLDEN"):
        with open(golden, "w", encoding="utf-8", newline="") as stream:
            stream.write(made)
    assert os.path.exists(golden), f"{golden} is not there: every format has a golden file; " \
        f"make it with {UPDATE}, and read it"
    with open(golden, encoding="utf-8", newline="") as stream:
        assert made == stream.read(), f"if it changed on purpose: {UPDATE}, and read the difference"


def test_the_golden_files_hold_every_kind_of_cell():
    with open(os.path.join(HERE, "golden", "every_kind.csv"), encoding="utf-8") as stream:
        text = stream.read()
    for method in ("direct", "solved", "difference", "iteration"):
        assert f",{method},perf," in text
    for words in (",unstable,", ",refused,", ",timed_out,", ",no,", ",yes,", ",published,",
                  ",not_supported,", "page-faults: lone,page-faults,", "order of 4*clc+4*cmc",
                  "POPF_IF break-even"):
        assert words in text, words

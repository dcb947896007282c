# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples of docs/families.md do what the page says."""

import csv
import os
import re
import shutil

import pytest
from conftest import ROOT, TEMPLATES

from generator import environment, expand, spec, weave

PAGE = open(os.path.join(ROOT, "docs/families.md")).read()
BLOCKS = re.findall(r"^```\w*\n(.*?)^```$", PAGE, re.M | re.S)


@pytest.fixture
def templates(tmp_path):
    """A copy of templates/ with the page's family in it."""
    shutil.copytree(TEMPLATES, tmp_path / "templates")
    folder = tmp_path / "templates/families/spaced"
    folder.mkdir()
    (folder / "family.toml").write_text(BLOCKS[0])
    (folder / "loop.s.j2").write_text(BLOCKS[1])
    return str(tmp_path / "templates")


def test_a_family_is_a_folder_and_nothing_else(templates):
    env = environment.make(templates)
    variants = {v.name: v for v in expand.expand(env, spec.family_alone(env, "spaced", templates))}
    # 4 pairs with 0, 8, 16 and 8 pairs with 0 to 32 nops: what the condition leaves.
    assert list(variants) == [f"spaced.pairs{p}.nops{n}" for p, most in ((4, 16), (8, 32))
                              for n in range(0, most + 1, 8)]
    row = variants["spaced.pairs4.nops8"].row
    assert row["mix"] == "4*push+4*popfq+8*nop+1*dec+1*jnz"
    lines = [line.strip() for line in variants["spaced.pairs4.nops8"].text.splitlines()]
    assert lines.count("nop") == 8


def test_the_sweep_of_the_page_has_what_it_asks_for(expand_text):
    names = [v.name for v in expand_text(BLOCKS[2])]
    assert names == [f"flag_bits.{bits}.pairs{p}" for bits in ("df", "ac") for p in (2, 4, 6, 8)
                     ] + ["mine.n8", "mine.n16", "mine.n8.duplicate", "mine.n16.duplicate"]


def test_the_questions_of_the_page_are_a_sweeps(generate, tmp_path):
    loops = "".join(f'[[loop]]\nname = "{name}"\nbody = "nop"\ncontext = {context}\n'
                    for name, context in (
                        ("with", '{ sequence = "s", restore = "x", branch = "predicted" }'),
                        ("without", '{ sequence = "s", restore = "none" }')))
    assert generate('summary = "s"\n' + BLOCKS[3] + loops).stderr == ""
    with open(tmp_path / "out/differences.csv", newline="") as stream:
        assert list(csv.DictReader(stream)) == [
            {"item": "restore by x", "minuend": "with", "subtrahend": "without",
             "missing": "the sweep has no loop without the restore"}]


def test_the_page_names_every_key_and_function():
    keys = set(spec.FAMILY) | set(spec.CLAIMS) | set(spec.SWEEP) | {"setup", "body", "teardown"}
    for word in keys | set(weave.GLOBALS) | set(weave.ORDERS):
        assert re.search(rf"`\[?{word}\b|\[{word}\b|\b{word} =|\[\[{word}\]\]", PAGE), word

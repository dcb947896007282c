# SPDX-License-Identifier: GPL-3.0-or-later
"""Each study of the cookbook is in the document, is short, and its loops are what they claim."""

import re
import subprocess

import pytest
from studies import FOLDER, ROOT, STUDIES, build, rows

# Variants of each: a study that loses some would still build.
VARIANTS = {"accumulators": 7, "alias_4k": 8, "call_ret": 11, "cold_memory": 10, "denormals": 4,
            "div_values": 15, "gather": 4, "huge_pages": 8, "idioms": 5, "lea": 8,
            "load_latency": 6, "lock_add": 6, "loop_alignment": 16, "mispredict": 2,
            "partial_registers": 5, "rep_string": 20, "store_forward": 12, "timestamps": 6,
            "unaligned_loads": 9, "upper_half": 6}


def text(path):
    with open(f"{ROOT}/{path}", encoding="utf-8") as stream:
        return stream.read()


def test_the_document_has_each_study_with_its_command_and_its_table_and_no_other():
    page = text("docs/cookbook.md")
    for found in (re.findall(r"^<!-- begin: tail .* docs/cookbook/(\w+)\.toml -->$", page, re.M),
                  re.findall(r"^    \./asmsweep run docs/cookbook/(\w+)\.toml ", page, re.M),
                  re.findall(r"^<!-- begin: \./asmsweep table RUNS/(\w+) .*-->\n```\n(?:.+\n)+?===",
                             page, re.M)):
        assert sorted(found) == STUDIES
    assert sorted(VARIANTS) == STUDIES


def test_the_studies_are_short():
    assert {name: text(f"docs/cookbook/{name}.toml").count("\n") for name in STUDIES
            if text(f"docs/cookbook/{name}.toml").count("\n") >= 15} == {}


@pytest.fixture(scope="module", name="together")
def all_in_one_sweep(tmp_path_factory):
    """The rows of the proof of all studies, built as one sweep: CMake is asked once."""
    folder = tmp_path_factory.mktemp("together")
    loops = [re.sub(r'^name = ".*"', f'name = "{name}"', part, count=1, flags=re.M)
             for name in STUDIES
             for part in ["[[loop]]" + text(f"docs/cookbook/{name}.toml").split("[[loop]]")[1]]]
    (folder / "all.toml").write_text('summary = "All"\n' + "\n".join(loops))
    return rows(f"{build(folder / 'build', str(folder / 'all.toml'))}/proof.csv")


@pytest.mark.parametrize("name", STUDIES)
def test_each_loop_of_a_study_is_built_and_proved(name, together, tmp_path):
    subprocess.run(["/usr/bin/python3", "-B", f"{ROOT}/generator/main.py", "--sweep",
                    f"{FOLDER}/{name}.toml", "--out", str(tmp_path)], check=True)
    assert len(rows(tmp_path / "variants.csv")) == VARIANTS[name]
    mine = [row for row in together if row["variant"].split(".")[0] == name]
    assert [row["status"] for row in mine] == ["ok"] * VARIANTS[name]


def test_the_examples_of_the_keys_are_loops(tmp_path):
    section = text("docs/families.md").split("## The keys by example")[1].split("\n## ")[0]
    examples = re.findall(r"```toml\n(.*?)```", section, re.S)
    assert len(examples) >= 6
    (tmp_path / "all.toml").write_text('summary = "All"\n' + "\n".join(examples))
    built = build(tmp_path / "build", str(tmp_path / "all.toml"))
    assert {row["status"] for row in rows(f"{built}/proof.csv")} == {"ok"}

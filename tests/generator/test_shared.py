# SPDX-License-Identifier: GPL-3.0-or-later
"""What a sweep says beside its loops reaches sweep.json and differences.csv."""

import csv
import json

from conftest import TEMPLATES
from generator import environment, expand, shared, spec

DIFFERENCE = """[[difference]]
item = "{work} by {way}"
minuend = ["way"]
subtrahend = { way = "none" }
but = ["extra"]
missing = "no loop without a way"
"""


def loop(name, *context):
    return f'[[loop]]\nname = "{name}"\nbody = "nop"\ncontext = {{ {", ".join(context)} }}\n'


def told(generate, tmp_path, text):
    """sweep.json and the rows of differences.csv."""
    assert generate(text).stderr == ""
    with open(tmp_path / "out/differences.csv", newline="") as stream:
        rows = [tuple(row.values()) for row in csv.DictReader(stream)]
    return json.loads((tmp_path / "out/sweep.json").read_text()), rows


def load(name):
    env = environment.make(TEMPLATES)
    sweep = spec.load_sweep(env, spec.sweep_path(name, TEMPLATES), TEMPLATES)
    return sweep, expand.expand(env, sweep)


def test_a_subtrahend_has_the_same_family_and_surroundings(expand_text):
    rows = [{"variant": name, "family": family, "context": context} for name, family, context in (
        ("a", "f", "work=1;way=x;extra=e"), ("b", "f", "work=1;way=none"),
        ("c", "f", "work=2;way=x"), ("d", "f", "work=3;way=none"), ("e", "g", "work=1;way=none"),
        ("f", "f", "work=4"), ("g", "g", "work=1;way=y"))]

    class Sweep:
        shared = {"difference": [{
            "item": "{work} by {way}", "minuend": ["way"], "subtrahend": {"way": "none"},
            "but": ["extra"], "missing": "m"}]}
    variants = [type("Variant", (), {"row": row}) for row in rows]
    assert [(row["item"], row["minuend"], row["subtrahend"])
            for row in shared.differences(Sweep, variants)] == [
        ("1 by x", "a", "b"), ("2 by x", "c", ""), ("1 by y", "g", "e")]


def test_a_difference_without_words_for_a_missing_loop_has_some(generate, tmp_path):
    text = 'summary = "s"\n' + DIFFERENCE.replace('missing = "no loop without a way"\n', "") + \
        loop("a", 'way = "x"')
    _, rows = told(generate, tmp_path, text.replace("{work} by ", "by "))
    assert rows == [("by x", "a", "", "the sweep has no loop to subtract")]


def test_duplicates_have_differences_of_their_own(generate, tmp_path):
    text = 'summary = "s"\nduplicates = ["a"]\n' + DIFFERENCE.replace("{work} by ", "by ") + \
        loop("a", 'way = "x"') + loop("b", 'way = "none"')
    _, rows = told(generate, tmp_path, text)
    assert rows == [("by x", "a", "b", "no loop without a way"),
                    ("by x", "a.duplicate", "b", "no loop without a way")]


def test_popf_ifs_differences_are_those_of_its_sequences():
    sweep, variants = load("popf_if")
    rows = shared.differences(sweep, variants)
    evens = [row["minuend"] for row in rows if row["item"] == "POPF_IF break-even"]
    assert len(rows) == 69 and all(row["subtrahend"] for row in rows)
    assert evens == [v.name for v in variants if "restore=test_sti" in v.row["context"]]
    assert {"item": "restore by shr_sti", "minuend": "restore.shr.random",
            "subtrahend": "restore.none.random"}.items() <= next(
        row for row in rows if row["minuend"] == "restore.shr.random").items()


def test_what_is_like_popf_if_asks_the_same_and_keeps_its_own_words(generate, tmp_path):
    found, rows = told(generate, tmp_path, 'summary = "s"\nlike = "popf_if"\ntitle = "mine"\n'
                       '[phrases.was]\n0 = "never"\n' + loop("x", 'a = "1"'))
    base = json.loads(shared.sweep_json(load("popf_if")[0]))
    assert (found["title"], rows) == ("mine", [])
    assert found["questions"] == base["questions"] and found["plots"] == base["plots"]
    assert found["phrases"] == {**base["phrases"], "was": {"0": "never"}}


def test_phrases_of_a_loop_stand_before_the_common_ones(generate, tmp_path):
    found, _ = told(generate, tmp_path, 'summary = "s"\n' + loop("x", 'work = "1"') +
                    'phrases = { work = { "" = "{} turns" } }\n')
    assert found["phrases"]["work"] == {"": "{} turns"}
    assert found["phrases"]["if"] == {"": "IF {}"}


def test_what_a_sweep_is_like_is_watched(generate, tmp_path):
    told(generate, tmp_path, 'summary = "s"\nlike = "popf_if"\n[[family]]\nname = '
         '"restore_nop"\n')
    watched = (tmp_path / "out/inputs.txt").read_text().split("\n")
    for name in ("sweeps/popf_if.toml", "phrases.toml", "families/restore/family.toml",
                 "families/restore_nop/family.toml"):
        assert f"{TEMPLATES}/{name}" in watched


def test_every_rule_is_a_function_of_the_tables():
    from common.questions import RULES
    from results.tables import brief
    assert all(callable(getattr(brief, rule)) for rule in RULES)

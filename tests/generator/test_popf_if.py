# SPDX-License-Identifier: GPL-3.0-or-later
"""The petition's sweep: what it holds, and that its loops do to IF what they say."""

import os
from collections import Counter

import pytest
from conftest import PYTHON, ROOT, TEMPLATES
from emulate import IF, Machine, pattern_seed

from generator import environment, expand, spec

HERE = os.path.dirname(os.path.abspath(__file__))
WITH_IF = ("ratio", "flag_if", "save", "restore", "restore_nop", "pattern", "irqsave",
           "irqsave_nop")
# The last iterations of the proof's shorter and its longer run (runner/prove/judge.h).
WINDOW = (1000, 2000)


def _load():
    env = environment.make(TEMPLATES)
    path = spec.sweep_path("popf_if", TEMPLATES)
    return expand.expand(env, spec.load_sweep(env, path, TEMPLATES))


VARIANTS = _load()
EMULATED = {v.name: v for v in VARIANTS if v.row["family"] in WITH_IF}
with open(os.path.join(TEMPLATES, "variant", "run.c"), encoding="ascii") as _stream:
    SEED = pattern_seed(_stream.read())


def context_of(variant):
    return dict(part.split("=") for part in variant.row["context"].split(";") if part)


def test_it_has_300_to_450_variants_most_without_privilege():
    needs = Counter(v.row["needs"] for v in VARIANTS)
    assert 300 <= len(VARIANTS) <= 450
    assert needs["none"] > len(VARIANTS) / 2 and needs["iopl"] and needs["cpl0"]


def test_names_are_those_that_results_were_stored_under():
    # A change of names cuts the history of a cost in two. If it is meant:
    # generator/main.py --sweep popf_if --out DIR; cp DIR/names.txt tests/generator/popf_if.names
    with open(os.path.join(HERE, "popf_if.names"), encoding="ascii") as stream:
        assert [v.name for v in VARIANTS] == stream.read().split()


def test_ratio_holds_each_number_of_sti_among_28():
    found = {(v.row["order"], v.text.count("        sti\n"), v.text.count("        cli\n"))
             for v in VARIANTS if v.row["family"] == "ratio"}
    assert found == {("clustered", k, 28 - k) for k in range(29)} | {
        (order, k, 28 - k) for order in ("alternating", "spread") for k in range(2, 27)}


@pytest.mark.parametrize("name", EMULATED)
def test_needs_cpl0_exactly_where_if_is_0_at_an_iterations_end(name):
    machine = Machine(EMULATED[name].text, SEED)
    machine.iterate(100)
    privileged = machine.ends[-1] != IF or 0 in machine.ends
    assert (EMULATED[name].row["needs"] == "cpl0") == privileged


@pytest.mark.parametrize("name", EMULATED)
def test_retired_is_exact_over_the_proofs_iterations(name):
    machine = Machine(EMULATED[name].text, SEED)
    machine.iterate(WINDOW[0])
    retired = machine.iterate(WINDOW[1] - WINDOW[0])
    assert retired / 1000 == float(EMULATED[name].row["retired_expected"])


@pytest.mark.parametrize("name", [n for n in EMULATED if n.startswith("flag_if.")])
def test_every_popf_makes_the_transition_it_claims(name):
    machine = Machine(EMULATED[name].text, SEED)
    machine.iterate(50)
    claimed = context_of(EMULATED[name])["if"].split("->")
    steps = {(IF * int(a), IF * int(b)) for a, b in zip(claimed, claimed[1:])}
    counts = Counter(machine.restores[1:])  # the first is setup's
    assert counts.keys() == steps and len(set(counts.values())) == 1


@pytest.mark.parametrize("seed", [SEED, SEED ^ 0x5555])
def test_the_callers_if_does_not_matter(seed):
    for name, variant in EMULATED.items():
        if variant.row["family"] in ("flag_if", "restore", "irqsave"):
            ends = []
            for flags in (0, IF):
                machine = Machine(variant.text, seed, flags)
                machine.iterate(20)
                ends.append(machine.ends)
            assert ends[0] == ends[1], name


def test_restored_if_is_as_often_1_as_the_context_says():
    seen = set()
    for variant in EMULATED.values():
        context = context_of(variant)
        if variant.row["family"] == "restore" and context["restore"] != "none":
            machine = Machine(variant.text, SEED)
            machine.iterate(WINDOW[1])
            share = sum(end == IF for end in machine.ends[WINDOW[0]:]) / 1000
            assert share == float(context["was"]), variant.name
            seen.add((context["was"], context.get("branch")))
    assert {("0", "predicted"), ("1", "predicted"), ("0.5", "predicted"),
            ("0.5", "unpredictable")} <= seen


def test_a_random_pattern_does_not_begin_again_in_the_next_slice():
    random = [v.text for v in EMULATED.values() if ".random" in v.name]
    assert len(random) == 12
    for text in random:
        teardown = text.split("loop_end:\n")[1].split("loop_teardown_end:")[0]
        assert teardown.split() == ["stamp", "end_ticks", "mov", "%r8,", "pattern_state"]
        machine = Machine(text, SEED)
        machine.iterate(64)
        assert Machine(text, machine.values["r8"]).values["r8"] == machine.values["r8"] != SEED


def test_patterns_differ_in_setup_only():
    for family in ("restore", "restore_nop", "pattern"):
        bodies = {}
        for variant in EMULATED.values():
            if variant.row["family"] == family:
                restore = context_of(variant).get("restore")
                body = variant.text.split("loop_begin:\n")[1].split("        .globl")[0]
                bodies.setdefault(restore, set()).add(body)
        assert all(len(same) == 1 for same in bodies.values()), family


def test_each_restore_has_its_surroundings_to_be_subtracted():
    # As asmsweep-results looks them up: restore=none, all other keys but branch equal.
    keyed = {}
    for variant in VARIANTS:
        context = context_of(variant)
        if "sequence" in context:
            restore = context.pop("restore")
            context.pop("branch", None)
            keyed.setdefault((variant.row["family"], tuple(context.items())), set()).add(restore)
    assert len(keyed) == 14
    for place, restores in keyed.items():
        assert "none" in restores and len(restores) >= 5, place


def test_the_documented_questions_are_those_of_the_families():
    import subprocess
    done = subprocess.run([PYTHON, "-B", f"{ROOT}/generator/main.py", "--families", "--sweep",
                           "popf_if"], capture_output=True, text=True, check=True)
    page = open(os.path.join(ROOT, "docs", "popf_if.md"), encoding="ascii").read()
    assert f"```\n{done.stdout}```\n" in page
    families = {line.split()[0] for line in done.stdout.splitlines()[1:]}
    assert families == {v.row["family"] for v in VARIANTS}

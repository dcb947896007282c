# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds for every family folder, so that adding one is adding a folder."""

import os
import re

import pytest
from conftest import TEMPLATES

from generator import check, environment, expand, spec

FAMILIES = spec.families(TEMPLATES)


def variants_of(name):
    env = environment.make(TEMPLATES)
    return {v.name: v for v in expand.expand(env, spec.family_alone(env, name, TEMPLATES))}


@pytest.mark.parametrize("family", FAMILIES)
def test_the_golden_render_is_what_the_template_gives(family):
    golden = open(os.path.join(TEMPLATES, "families", family, "golden.s")).read()
    name = re.search(r'variant_note:   .asciz "(.*)"', golden)[1]
    assert variants_of(family)[name].text == golden


@pytest.mark.parametrize("family", FAMILIES)
def test_every_variant_claims_mix_and_bytes(family):
    # How long the code of a program of the kernel is, and so what retires, its JIT decides.
    for variant in variants_of(family).values():
        own = variant.row["target"] == "x86"
        assert variant.row["mix"] and bool(variant.row["bytes_claimed"]) == own, variant.name
        assert bool(variant.row["retired_expected"]) == own, variant.name


@pytest.mark.parametrize("family", FAMILIES)
def test_summaries_are_one_sentence(family):
    summary = spec.load_family(family, TEMPLATES).data["summary"]
    assert "\n" not in summary and summary[-1] in ".?" and len(summary) <= check.LONGEST_LINE


def test_no_template_sets_the_trap_flag():
    # A POPFQ of a value with TF ends in SIGTRAP; bit 8 is in no mask of a row.
    for family in FAMILIES:
        for rows in spec.load_family(family, TEMPLATES).data.get("rows", {}).values():
            for row in rows.values():
                assert not row.get("mask", 0) & 0x100


def test_popf_if_has_60_variants_without_privilege():
    env = environment.make(TEMPLATES)
    path = spec.sweep_path("popf_if", TEMPLATES)
    variants = expand.expand(env, spec.load_sweep(env, path, TEMPLATES))
    assert sum(v.row["needs"] == "none" for v in variants) >= 60

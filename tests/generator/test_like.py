# SPDX-License-Identifier: GPL-3.0-or-later
"""A family that is like another, and claims that follow from others."""

import shutil

import pytest
from conftest import TEMPLATES

from common.errors import BadInput
from generator import environment, expand, spec

SEQUENCE = 'summary = "s"\n[[loop]]\nname = "x"\nbody = "nop"\nclaims = { sequence = "%s" }\n'


@pytest.fixture
def templates(tmp_path):
    """A copy of the templates to which a test adds its families: {name: family.toml}."""
    shutil.copytree(TEMPLATES, tmp_path / "templates")

    def with_families(**files):
        for name, text in files.items():
            folder = tmp_path / "templates" / "families" / name
            folder.mkdir()
            (folder / "family.toml").write_text(text)
            (folder / "loop.s.j2").write_text('<% extends "families/save/loop.s.j2" %>\n')
        return str(tmp_path / "templates")
    return with_families


def variants_of(name, templates):
    env = environment.make(templates)
    return {v.name: v.row for v in expand.expand(env, spec.family_alone(env, name, templates))}


def test_a_family_has_all_of_the_one_it_is_like_but_what_it_says_itself(templates):
    made = variants_of("more", templates(more='summary = "More."\nlike = "save"\n'
                                              '[axes]\nop = ["push_pop"]\ngroups = [7]\n'
                                              '[context]\nwhy = "more"\n'))
    assert list(made) == ["more.push_pop.groups7"]
    row = made["more.push_pop.groups7"]
    assert row["mix"] == "7*push+7*pop+1*dec+1*jnz"
    assert (row["group"], row["groups"]) == ("push %rbx; pop %rcx", 7)
    assert row["context"] == "why=more;if=1->1"


@pytest.mark.parametrize("files, said", [
    ({"a": 'summary = "A."\nlike = "nobody"\n'}, "family a cannot be like 'nobody'"),
    ({"a": 'summary = "A."\nlike = "b"\n', "b": 'summary = "B."\nlike = "a"\n'},
     "family b cannot be like 'a'"),
    ({"a": 'summary = "A."\nlike = 3\n'}, "'like' is 3"),
])
def test_a_family_is_like_one_that_is_there(templates, files, said):
    with pytest.raises(BadInput) as refused:
        spec.load_family("a", templates(**files))
    assert said in str(refused.value) and "family.toml:2" in str(refused.value)


def test_a_mix_that_is_not_claimed_is_counted_from_the_sequence(expand_text):
    row = expand_text(SEQUENCE % "2*(lock incq (%rbx); nop); rep stosb; incq (%rbx); jz")[0].row
    assert row["mix"] == "2*lock incq+2*nop+1*rep stosb+1*incq+1*jz+1*dec+1*jnz"
    assert row["retired_expected"] == "9"

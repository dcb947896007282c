# SPDX-License-Identifier: GPL-3.0-or-later
"""What CONTRIBUTING.md promises of each recipe: these files and no others, and it shows."""

import re

from conftest import PYTHON

FAMILY = """\
# SPDX-License-Identifier: GPL-3.0-or-later
summary = "What does a link of a chain of ADC cost?"
group = "adc %rdx,%rbx"
groups = "<{ links }>"

[axes]
links = [8, 16]

[claims]
mix = "<{ links }>*adc"
bytes = "<{ 3 * links }>"
"""
LOOP = """\
<# SPDX-License-Identifier: GPL-3.0-or-later #>
<% extends "variant/variant.s.j2" %>
<% block body %>
        <{ repeat("adc     %rdx, %rbx", links) }>
<% endblock %>
"""


def test_a_family_is_one_new_folder(scratch, tmp_path):
    folder = "templates/families/carries"
    scratch.write(f"{folder}/family.toml", FAMILY)
    scratch.write(f"{folder}/loop.s.j2", LOOP)
    scratch.write(f"{folder}/golden.s", scratch.call(*PYTHON, "generator/main.py", "--render",
                                                     "carries"))
    assert scratch.touched() == [f"{folder}/{name}"
                                 for name in ("family.toml", "golden.s", "loop.s.j2")]
    scratch.passes("tests/generator/test_families.py")

    sweep = tmp_path / "mine.toml"
    sweep.write_text('summary = "Chains of ADC"\n[[family]]\nname = "carries"\n')
    run = scratch.measure(sweep, "carries.links8 0 loop=16", "carries.links16 0 loop=32")
    assert re.search(r"^Chains of ADC\n", table := scratch.table(run))
    assert re.search(r"^carries\n-+\n(at CPL3:\n)?adc %rdx,%rbx +2\.00 \[", table, re.M), table

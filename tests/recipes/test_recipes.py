# SPDX-License-Identifier: GPL-3.0-or-later
"""What CONTRIBUTING.md promises of each recipe: these files and no others, and it shows."""

import re

import pytest
from conftest import PYTHON, homogeneous, rows, write_run

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


FORMAT = """\
<# SPDX-License-Identifier: GPL-3.0-or-later #>
<% extends "page/document.j2" %>
<% macro begin() %>
#+TITLE: <{ title }>
<% endmacro %>
<% macro heading(text) %>
* <{ text }>
<% endmacro %>
<% macro sentence(text) %>
<{ text }>
<% endmacro %>
<% macro table(head, rows) %>
<% for row in [head] + rows %>
| <{ row | join(" | ") }> |
<% endfor %>
<% endmacro %>
<% macro numbered(texts) %>
<% for text in texts %>
<{ loop.index }>. <{ text }>
<% endfor %>
<% endmacro %>
<% macro listed(title, lines) %>
- <{ title }>
<% for text, code in lines %>
  - <{ text }> <{ code }>
<% endfor %>
<% endmacro %>
<% macro literal(lines) %>
: <{ lines | join("\\n: ") }>
<% endmacro %>
"""


def test_a_table_format_is_one_template_and_its_golden_file(scratch, tmp_path):
    scratch.write("templates/tables/org.j2", FORMAT)
    formats = "tests/results/test_formats.py"
    scratch.passes(formats, ASMSWEEP_UPDATE_GOLDEN="1")
    assert scratch.touched() == ["templates/tables/org.j2", "tests/results/golden/every_kind.org"]
    scratch.passes(formats)

    run = write_run(tmp_path / "run", [homogeneous("adds", "add %rdx,%rbx", 16, 16)])
    table = scratch.table(run, "--format", "org")
    assert table.startswith("#+TITLE: Costs of the sweep synthetic\n")
    assert "\n* made\n" in table and re.search(r"^\| add %rdx,%rbx \| 3 \| 1\.00 \[", table, re.M)


STATUS = 'STATUS(throttled, true, false, "t", "the core was too hot to keep its clock")\n'


def test_a_status_is_one_line(scratch, tmp_path):
    scratch.insert("common/statuses.def", STATUS, before="STATUS(ok,")
    assert scratch.touched() == ["common/statuses.def"]
    scratch.rebuild("asmsweep-run", "asmsweep-results")
    assert "| throttled | the core was too hot to keep its clock |\n| ok | a value |\n" in \
        scratch.call(f"{scratch.programs}/asmsweep-run", "lists")

    run = write_run(tmp_path / "run", [
        homogeneous("adcs", "adc %rdx,%rbx", 16, 32, status="throttled"),
        homogeneous("adds", "add %rdx,%rbx", 16, 16)])
    table = scratch.table(run)
    costs = {row["item"]: row for row in rows(tmp_path / "run" / "costs.csv")}
    assert [costs["adc %rdx,%rbx"][name] for name in ("status", "cycles")] == ["throttled", "2"]
    assert re.search(r"^adc %rdx,%rbx +2\.00t\[", table, re.M), table
    assert "t (throttled: the core was too hot to keep its clock)." in " ".join(table.split())


SWEEP = """\
summary = "Multiplication beside addition"
title = "What does a multiplication take beside an addition?"

[[loop]]
name = "chain"
axes = { op = ["add", "imul"] }
body = "<{ repeat(op ~ ' %rdx, %rbx', 8) }>"
group = "<{ op }> %rdx,%rbx"
groups = 8
context = { op = "<{ op }>" }

[[difference]]
item = "{op} instead of add"
minuend = ["op"]
subtrahend = { op = "add" }
missing = "the sweep has no loop with add"

[[question]]
title = "How much more?"
take = [{ method = ["difference"] }]
titled = true

[[question]]
title = "Each by itself"
take = [{ item = ["add *", "imul *"] }]
hide = ["op"]

[phrases.op]
"" = "eight {}"
"""


def test_a_sweep_with_its_own_questions_and_differences_is_one_toml(scratch, tmp_path):
    sweep = tmp_path / "mine.toml"
    sweep.write_text(SWEEP)
    run = scratch.measure(sweep, "chain.add 0 loop=8", "chain.imul 0 loop=24")
    table = scratch.table(run)
    assert scratch.touched() == []
    assert table.startswith("What does a multiplication take beside an addition?\n=")
    sections = re.search(r"\nHow much more\?\n-+\n(.*?)\nEach by itself\n-+\n(.*?)\nHow to read",
                         table, re.S)
    more = re.fullmatch(r"at CPL3:\neight imul +(1\d\.\d\d) \[\S+\]xp\n", sections[1])
    assert float(more[1]) == pytest.approx(16, rel=0.01)
    assert re.fullmatch(r"at CPL3:\nadd %rdx,%rbx +1\.00 .*\nimul %rdx,%rbx +3\.00 .*\n",
                        sections[2]), table
    (cost,) = [row for row in rows(run / "costs.csv") if row["method"] == "difference"]
    assert (cost["item"], cost["variants"]) == ("imul instead of add", "chain.imul chain.add")
    assert float(cost["minuend"]) - float(cost["subtrahend"]) == pytest.approx(16, rel=0.01)


def assert_counted(run, table, event, variants):
    """None of them has the event, which is a value, in the run and in its table."""
    (told,) = [row["value"] for row in rows(run / "environment.csv") if row["key"] == "perf"]
    if told != "perf stat works":
        pytest.skip(told)
    found = [row for row in rows(run / "summary.csv") if row["event"] == event]
    assert [(row["variant"], row["status"]) for row in found] == [(name, "ok") for name in variants]
    assert all(abs(float(row["value"])) < 0.001 for row in found)
    section = table.split("\nEvents, counted in one iteration\n")[1].split("\n\n")[0]
    for name in variants:
        assert re.search(rf"^{event}: {name}\s+0\.00 \[0\.00,0\.00\]", section, re.M), table


def test_an_event_is_no_file_for_a_user(scratch, tmp_path):
    sweep = tmp_path / "mine.toml"
    sweep.write_text(SWEEP.replace("\n", '\nevents = ["cpu-migrations"]\n', 1))
    run = scratch.measure(sweep, "* 0 loop=8", options=["--events", "page-faults"])
    table = scratch.table(run)
    assert scratch.touched() == []
    for event in ("cpu-migrations", "page-faults"):
        assert_counted(run, table, event, ["chain.add", "chain.imul"])


def test_an_event_that_a_sweep_always_counts_is_one_line(scratch):
    sweep = "templates/sweeps/known_answers.toml"
    scratch.insert(sweep, 'events = ["cpu-migrations"]\n', before="[[family]]")
    assert scratch.touched() == [sweep]
    run = scratch.measure(sweep, "* 0 loop=16", options=["--only", "known_answers.add.*"])
    assert_counted(run, scratch.table(run), "cpu-migrations",
                   ["known_answers.add.groups16", "known_answers.add.groups64"])

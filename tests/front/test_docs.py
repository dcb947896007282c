# SPDX-License-Identifier: GPL-3.0-or-later
"""What the documents quote is what the programs print."""

import os
import re
import subprocess

from clone import ROOT


def text(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as stream:
        return stream.read()


def test_quoted_output_is_what_the_programs_print():
    done = subprocess.run([f"{ROOT}/docs/update.py", "--check"], capture_output=True, text=True,
                          check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_every_command_that_the_readme_types_is_in_its_list():
    readme = text("README.md")
    listed = set(re.findall(r"^  (\w+) ", readme, re.M))
    typed = set(re.findall(r"\./asmsweep ([a-z]+)", readme))
    assert typed - listed == set() and len(typed) > 5


def test_every_page_is_named_in_the_readme_and_every_name_is_a_file():
    readme = text("README.md")
    pages = {f"docs/{name}" for name in os.listdir(f"{ROOT}/docs") if name.endswith(".md")}
    named = set(re.findall(r"`(docs/[\w./-]+\.md)`", readme))
    assert named == pages


def test_the_table_in_the_readme_names_its_machine_and_fits_72_columns():
    for name in ("README.md", "docs/example.md"):
        section = re.search(r"<!-- begin: \./asmsweep table.*?-->\n```\n(.*?)```", text(name), re.S)
        lines = section[1].splitlines()
        assert max(map(len, lines)) <= 72
        assert re.search(r"^cycles \[95 %\] +A: \S", section[1], re.M)
        assert len(lines) > 20

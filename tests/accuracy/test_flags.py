# SPDX-License-Identifier: GPL-3.0-or-later
"""A flag that a loop leaves set costs neither its own value nor another's."""

import pytest
from core import ROOT, built, measure


def test_loops_that_leave_a_flag_set_have_values_and_the_chains_theirs(tmp_path):
    build = built(tmp_path / "build", f"{ROOT}/tests/accuracy/flags.toml")
    rows = {row["variant"]: row for row in measure(build, tmp_path / "run", "chain*,leaves*")}
    assert sorted(rows) == ["chain.links16", "chain.links8", "leaves.ac", "leaves.df", "leaves.id",
                            "leaves.nt"]
    for name, row in rows.items():
        print(f"{name}: {row['value']} {row['detail']}")
    for links in (8, 16):
        assert float(rows[f"chain.links{links}"]["value"]) == pytest.approx(links, rel=0.05)
    for flag in ("df", "ac", "nt", "id"):
        assert float(rows[f"leaves.{flag}"]["value"]) > 1
        assert f"leaves {flag.upper()} changed" in rows[f"leaves.{flag}"]["detail"]

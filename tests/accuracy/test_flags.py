# SPDX-License-Identifier: GPL-3.0-or-later
"""A flag that a loop leaves set costs neither its own value nor another's."""

from core import ROOT, built, is_right, measured


def test_loops_that_leave_a_flag_set_have_values_and_the_chains_theirs(tmp_path):
    build = built(tmp_path / "build", f"{ROOT}/tests/accuracy/flags.toml")
    with measured(build, tmp_path / "run", "chain*,leaves*") as rows:
        for row in rows:
            print(f"{row['variant']}: {row['value']} {row['detail']}")
            family, which = row["variant"].split(".")
            if family == "chain":
                assert is_right(row, int(which.removeprefix("links")), 0.0015)
            else:
                assert float(row["value"]) > 1
                assert f"leaves {which.upper()} changed" in row["detail"]

# SPDX-License-Identifier: GPL-3.0-or-later
"""common/lists.py reads the row lists that C includes, and names the line of a wrong row."""

import glob
import os
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)

from common import lists  # noqa: E402
from common.errors import BadInput  # noqa: E402

DEFS = [path for part in ("common", "runner", "results", "campaign")
        for path in sorted(glob.glob(f"{ROOT}/{part}/**/*.def", recursive=True))
        if not path.endswith("/columns.def")]


def test_statuses_are_the_rows_of_the_list():
    statuses = {status.name: status for status in lists.statuses()}
    assert list(statuses)[0] == "unproved" and list(statuses)[-1] == "ok"
    assert [name for name in statuses if statuses[name].keeps_value] == ["unstable", "ok"]
    assert [name for name in statuses if statuses[name].retry] == \
        ["contended", "invalid_reference", "unstable"]
    assert statuses["ok"].mark == "" and statuses["unstable"].mark == "~"
    assert statuses["refused"].meaning == "privileged, and not real in this engine: not executed"


def test_shared_columns_stand_in_their_place_with_type_and_unit():
    assert lists.names("summary")[:3] == ("run_id", "time_utc", "host")
    columns = {column.name: column for column in lists.columns("costs")}
    assert columns["cpu_family"].type == "text"
    assert columns["cycles"] == ("cycles", "number", "cycles", False)
    assert columns["minuend"].later
    assert lists.names("differences")[:3] == ("item", "minuend", "subtrahend")


def test_other_lists():
    assert lists.rows("quantities")[0] == ("QUANTITY", ("cycles", "core cycles",
                                                        "core clock cycles"))
    assert {method.name: method.letter for method in lists.methods()} == {
        "direct": "d", "solved": "s", "difference": "x", "iteration": "i",
        "event": "e"}
    assert [fields[0] for _, fields in lists.rows("additives")] == ["untested", "yes", "no"]


@pytest.mark.parametrize("path", DEFS, ids=[os.path.relpath(path, ROOT) for path in DEFS])
def test_every_list_can_be_read(path):
    assert lists.rows(path)


@pytest.mark.parametrize("text, told", [
    ('STATUS(good, true, true, "", "fine")\nSTATUS(bad, true, "", "fine")\n', ":2: 4 fields"),
    ('STATUS(good, true, true, "", "fine"\n', ":1: no row of a list"),
    ('// a list\n\nhello\n', ":3: no row of a list"),
    ('STATUS(good, , true, "", "fine")\n', ":1: no row of a list"),
    ('STATUS(good, true, true, "", "open)\n', ":1: no row of a list"),
])
def test_a_wrong_row_is_told_with_file_and_line(tmp_path, text, told):
    path = tmp_path / "statuses.def"
    path.write_text(text)
    with pytest.raises(BadInput, match="statuses.def") as caught:
        lists.rows(str(path), lists.Status)
    assert f"{path}{told}" in str(caught.value)


def test_an_unknown_file_and_a_wrong_column_are_told(tmp_path):
    with pytest.raises(BadInput, match="no file nothing"):
        lists.columns("nothing")
    path = tmp_path / "columns.def"
    path.write_text("#define COLUMNS_x(COLUMN, LATER, KEYS) COLUMN(x, a, text)\n")
    with pytest.raises(BadInput, match=r"x: COLUMN\(x, a, text\)"):
        lists.columns("x", str(path))


def test_a_row_may_go_over_lines_and_have_a_comment(tmp_path):
    path = tmp_path / "some.def"
    path.write_text('A(one, "a" // first\n  "b", 2) // "last"\n')
    assert lists.rows(str(path)) == (("A", ("one", "ab", "2")),)

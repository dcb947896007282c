# SPDX-License-Identifier: GPL-3.0-or-later
"""tests/allowed_skips.py against made-up results of CTest."""

import subprocess

import pytest
from clone import ROOT

RAN = '<testcase name="a" status="run"><system-out>fine</system-out></testcase>'
SKIPPED = ('<testcase name="b" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>'
           "<system-out>skipped: no qemu</system-out></testcase>")
PART = ('<testcase name="c" status="run"><system-out>'
        "SKIPPED [1] x.py:3: no browser\n1 passed, 1 skipped</system-out></testcase>")


@pytest.fixture
def judge(tmp_path):
    def run(cases, allowed=""):
        (tmp_path / "tests.xml").write_text(f"<testsuite>{cases}</testsuite>")
        (tmp_path / "allowed").write_text(allowed)
        done = subprocess.run(["/usr/bin/python3", "-B", f"{ROOT}/tests/allowed_skips.py",
                               tmp_path / "tests.xml", tmp_path / "allowed"],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout or done.stderr
    return run


def test_nothing_skipped_says_nothing(judge):
    assert judge(RAN) == (0, "")


def test_a_skip_that_is_not_listed_fails_with_its_reason(judge):
    assert judge(RAN + SKIPPED) == (
        1, "allowed_skips: b: skipped, and not allowed here: skipped: no qemu\n")


def test_a_skipped_part_of_a_file_counts(judge):
    assert judge(RAN + PART) == (
        1, "allowed_skips: c: skipped, and not allowed here: x.py:3: no browser\n")


def test_a_listed_skip_passes_only_where_its_condition_holds(judge):
    assert judge(RAN + SKIPPED, "b\tno:no-such-program\twhy\n") == (0, "")
    assert judge(RAN + SKIPPED, "b\tno:no/such/path\twhy\n") == (0, "")
    assert judge(RAN + SKIPPED, "b\talways\twhy\n") == (0, "")
    assert judge(RAN + SKIPPED, "b\tno:sh\twhy\n")[0] == 1
    assert judge(RAN + SKIPPED, "b\tno:tests/front\twhy\n")[0] == 1
    assert judge(RAN + SKIPPED, "other\talways\twhy\n")[0] == 1


def test_a_private_folder_is_one_that_keeps_others_out(judge, tmp_path):
    (tmp_path / "own" / "bin").mkdir(parents=True)
    for mode, status in ((0o700, 0), (0o701, 1)):
        for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
            folder.chmod(0o701)
        (tmp_path / "own").chmod(mode)
        assert judge(RAN + SKIPPED, f"b\tprivate:{tmp_path}/own/bin\twhy\n")[0] == status


def test_nothing_but_skips_is_a_failure(judge):
    assert judge(SKIPPED, "b\talways\twhy\n") == (
        1, "allowed_skips: no test ran: nothing but skips is no pass\n")


def test_a_broken_list_is_named(judge):
    status, line = judge(RAN + SKIPPED, "b always why\n")
    assert status == 2 and "with tabs between" in line
    status, line = judge(RAN + SKIPPED, "b\tnever\twhy\n")
    assert status == 2 and "'never' is not" in line

# SPDX-License-Identifier: GPL-3.0-or-later
"""What the accuracy tests judge, and what they leave alone: on a simulated host (tests/host), so
that a core is shared, and quiet again, when the test says."""

import csv
import math
import os
import sys

import pytest

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "host"))

from core import ALONE, NOPS, ROOT, RUN, Attempts, built, generation, measure  # noqa: E402
from host import SHARED, Host  # noqa: E402

CRC = "known_answers.crc32.groups16"
ONLY = "known_answers.crc32.*"
COSTS = [f"{NOPS} 0 loop=11", f"{CRC} 0 loop=48", "known_answers.crc32.groups64 0 loop=192"]


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    return built(tmp_path_factory.mktemp("known_answers"), "known_answers")


@pytest.fixture
def host(build, tmp_path):
    made = Host(tmp_path / "host", RUN)
    made.move_in(build)
    return made


def judged(build, folder, strict=False):
    """What is judged of at most three runs, however long they take."""
    return measure(build, folder, ONLY,
                   Attempts(tries=3, pause=0, patience=math.inf, strict=strict))


def test_a_quiet_core_is_judged_at_once(build, host, tmp_path):
    host.says(*COSTS)
    rows = judged(build, tmp_path / "run")
    assert [(row["variant"], row["groups"]) for row in rows] == \
        [(CRC, "16"), ("known_answers.crc32.groups64", "64")]
    assert [float(row["value"]) for row in rows] == [pytest.approx(48, rel=0.001),
                                                     pytest.approx(192, rel=0.001)]
    assert host.executions(CRC) == 5


@pytest.mark.parametrize("what, why", [
    (f"{NOPS} 0 loop=22", "64 nops take 2.*, alone 1"),  # half of the core is another's
    (f"* 0 {SHARED}", "64 nops are invalid_reference: reference chains: add / rol"),
    (f"{NOPS} 0 between=0.2", "64 nops are unstable: ")])  # a neighbour that comes and goes
def test_a_core_that_is_shared_throughout_is_a_skip_that_says_so(build, host, tmp_path, what, why):
    host.says(*COSTS, what)
    with pytest.raises(pytest.skip.Exception,
                       match=f"nothing could be had, the core is shared: in 3 of 3 runs, the last: "
                             f"{why}"):
        judged(build, tmp_path / "run")
    assert host.executions(CRC) == 0  # nothing but looks


def test_a_neighbour_that_leaves_costs_one_more_look(build, host, tmp_path):
    host.says(*COSTS, f"{NOPS} 0 loop=22", f"{NOPS} 5 loop=11")
    rows = judged(build, tmp_path / "run")
    assert float(rows[0]["value"]) == pytest.approx(48, rel=0.001)
    assert (host.executions(NOPS), host.executions(CRC)) == (15, 5)


def test_a_neighbour_that_comes_behind_the_look_costs_one_more_run(build, host, tmp_path):
    host.says(*COSTS, f"{NOPS} 5 loop=22", f"{CRC} 0 loop=49", f"{NOPS} 10 loop=11",
              f"{CRC} 5 loop=48")
    rows = judged(build, tmp_path / "run")
    assert float(rows[0]["value"]) == pytest.approx(48, rel=0.001)
    assert host.executions(CRC) == 10


@pytest.mark.parametrize("who", [CRC, NOPS, "*"])
def test_what_no_neighbour_does_is_never_a_skip(build, host, tmp_path, who):
    host.says(*COSTS, f"{who} 0 dies=11")
    with pytest.raises(pytest.fail.Exception,
                       match="no value, and no neighbour's doing: .*faulted"):
        judged(build, tmp_path / "run")


def test_a_value_that_does_not_come_on_a_core_of_ones_own_is_no_skip(build, host, tmp_path):
    host.says(*COSTS, f"{CRC} 0 between=0.05", f"{NOPS} 5 loop=22", f"{NOPS} 10 loop=11")
    with pytest.raises(pytest.fail.Exception, match="values did not come in 3 runs, 1 of them on a "
                                                    r"shared core: \['known_answers.crc32.groups16"
                                                    ": unstable"):
        judged(build, tmp_path / "run")


def test_where_it_is_strict_a_value_that_scatters_is_judged_as_it_is(build, host, tmp_path):
    host.says(*COSTS, f"{CRC} 0 between=0.05")
    rows = judged(build, tmp_path / "run", strict=True)
    assert [row["status"] for row in rows] == ["unstable", "ok"]


def test_every_published_cpu_and_every_core_alone_has_its_generation():
    assert generation("AuthenticAMD", "26", "68", "") == "Zen 5"
    assert generation("AuthenticAMD", "25", "17", "") == "Zen 4"
    with open(f"{ROOT}/common/generations.def") as stream:
        text = stream.read()
    assert all(f'"{name}")' in text for name in ALONE)
    with open(f"{ROOT}/results/published/instlatx64.csv", newline="") as stream:
        for row in csv.DictReader(stream):
            assert generation(row["vendor"], row["family"], row["model"], row["core_type"]), row

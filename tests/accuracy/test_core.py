# SPDX-License-Identifier: GPL-3.0-or-later
"""What the accuracy tests judge, and what they leave alone: on a simulated host (tests/host), so
that a core is shared, and quiet again, when the test says."""

import contextlib
import csv
import math
import os
import sys

import pytest

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "host"))

from core import (ALONE, NOPS, ROOT, RUN, Attempts, alone, built,  # noqa: E402
                  generation, measured, run)
from host import SHARED, Host  # noqa: E402

CRC = "known_answers.crc32.groups16"
LONG_CRC = "known_answers.crc32.groups64"
BLOCKS = ("--blocks", "5")
ONLY = "known_answers.crc32.*"
COSTS = [f"{NOPS} 0 loop=11", f"{CRC} 0 loop=48", f"{LONG_CRC} 0 loop=192"]


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    return built(tmp_path_factory.mktemp("known_answers"), "known_answers")


@pytest.fixture
def host(build, tmp_path):
    made = Host(tmp_path / "host", RUN)
    made.move_in(build)
    return made


@contextlib.contextmanager
def judged(build, folder, strict=False):
    """What is judged of at most three runs, however long they take; none waits for a neighbour."""
    with measured(build, folder, ONLY,
                  Attempts(tries=3, pause=0, patience=math.inf, strict=strict), BLOCKS) as rows:
        yield {row["variant"]: float(row["value"]) for row in rows}


def test_a_quiet_core_is_judged_at_once(build, host, tmp_path):
    host.says(*COSTS)
    with judged(build, tmp_path / "run") as values:
        assert list(values) == [CRC, LONG_CRC]
        assert list(values.values()) == [pytest.approx(48, rel=0.001),
                                         pytest.approx(192, rel=0.001)]
    assert host.executions(CRC) == 5


def test_a_core_that_is_shared_throughout_is_a_skip_that_says_so(build, host, tmp_path):
    host.says(*COSTS, f"* 0 {SHARED}")
    with pytest.raises(pytest.skip.Exception,
                       match="all could not be had, the core is shared in 3 of 3 runs: "
                             f"{CRC}: contended: .*{LONG_CRC}: contended: "):
        with judged(build, tmp_path / "run") as values:
            assert values == {}


def test_what_one_loop_lacks_is_a_skip_behind_the_judgement_of_the_other(build, host, tmp_path):
    host.says(*COSTS, f"{CRC} 0 {SHARED}")
    with pytest.raises(pytest.skip.Exception,
                       match="the rest could not be had, the core is shared in 3 of 3 runs: "
                             f"{CRC}: contended: "):
        with judged(build, tmp_path / "run") as values:
            assert values == {LONG_CRC: pytest.approx(192, rel=0.001)}
    with pytest.raises(AssertionError):
        with judged(build, tmp_path / "again") as values:
            assert values == {LONG_CRC: pytest.approx(191, rel=0.001)}


def test_a_neighbour_that_leaves_costs_the_loop_one_more_run(build, host, tmp_path):
    host.says(*COSTS, f"{CRC} 0 {SHARED}")
    attempts = Attempts(tries=3, pause=0, patience=math.inf)
    for number in attempts:
        if number:
            host.says(*COSTS)
        attempts.take(run(build, str(tmp_path / str(number)),
                          ",".join(attempts.lacking or [ONLY]), *BLOCKS))
    attempts.settle()
    assert [float(row["value"]) for row in attempts.values()] == [
        pytest.approx(192, rel=0.001), pytest.approx(48, rel=0.001)]
    assert host.executions(LONG_CRC) < host.executions(CRC)


@pytest.mark.parametrize("cycles", [22, 9])
def test_nops_that_are_ok_and_wrong_are_a_failure(build, host, tmp_path, cycles):
    host.says(*COSTS, f"{NOPS} 0 loop={cycles}")
    with pytest.raises(pytest.fail.Exception, match="64 nops are ok with .* takes 1"):
        with judged(build, tmp_path / "run"):
            pass


@pytest.mark.parametrize("who", [CRC, NOPS, "*"])
def test_what_no_neighbour_does_is_never_a_skip(build, host, tmp_path, who):
    host.says(*COSTS, f"{who} 0 dies=11")
    with pytest.raises(pytest.fail.Exception,
                       match="no value, and no neighbour's doing: .*faulted"):
        with judged(build, tmp_path / "run"):
            pass


def test_a_value_that_does_not_come_on_a_core_of_ones_own_is_no_skip(build, host, tmp_path):
    host.says(*COSTS, f"{CRC} 0 between=0.05")
    with pytest.raises(pytest.fail.Exception, match="values did not come in 3 runs, 0 of them on a "
                                                    f"shared core: {CRC}: unstable"):
        with judged(build, tmp_path / "run"):
            pass


def test_where_it_is_strict_a_value_that_scatters_is_judged_as_it_is(build, host, tmp_path):
    host.says(*COSTS, f"{CRC} 0 between=0.05")
    with judged(build, tmp_path / "run", strict=True) as values:
        assert list(values) == [CRC, LONG_CRC] and values[CRC] == pytest.approx(48, rel=0.2)


def test_what_nops_take_alone_is_possible_for_the_core(monkeypatch):
    for name in tuple(ALONE):
        least, most = alone(name)
        monkeypatch.delitem(ALONE, name)
        assert alone(name)[0] < least < most < alone(name)[1]
    assert alone("Zen 2") == (pytest.approx(12.87), pytest.approx(16.9))
    assert alone("Z80") is None


def test_every_published_cpu_and_every_core_alone_has_its_generation():
    assert generation("AuthenticAMD", "26", "68", "") == "Zen 5"
    assert generation("AuthenticAMD", "25", "17", "") == "Zen 4"
    with open(f"{ROOT}/common/generations.def") as stream:
        text = stream.read()
    assert all(f'"{name}")' in text for name in ALONE)
    with open(f"{ROOT}/results/published/instlatx64.csv", newline="") as stream:
        for row in csv.DictReader(stream):
            assert generation(row["vendor"], row["family"], row["model"], row["core_type"]), row

# SPDX-License-Identifier: GPL-3.0-or-later
"""What an ordinary user gets from perf at each perf_event_paranoid (inside/users.sh)."""

import pytest

from harness.perf_table import counts, values


def test_debians_kernel_starts_at_paranoid_3(linux):
    assert linux.step("default_paranoid").stdout == "3\n"


def test_root_sees_everything_at_paranoid_3(linux):
    assert counts(linux.step("root_plain_3").files["perf"])["cycles"] > 0
    health = values(linux.step("root_health_3").files["perf"])
    assert int(health["msr/tsc/"]) > 0


def test_at_paranoid_1_a_user_counts_the_kernel_too(linux):
    assert set(counts(linux.step("user_plain_1").files["perf"])) == {"cycles", "instructions"}


def test_at_paranoid_2_perf_adds_the_modifier_to_a_users_events(linux):
    found = counts(linux.step("user_plain_2").files["perf"])
    assert set(found) == {"cycles:u", "instructions:u"}
    assert found["instructions:u"] > 30 * 1000


def test_at_paranoid_2_the_health_events_change_their_names_and_meaning(linux):
    user = values(linux.step("user_health_2").files["perf"])
    assert user["msr/tsc/u"] == "<not supported>"
    assert float(user["task-clock:u"]) > 0
    # A child that sleeps was switched away from at least once: this 0 is blindness.
    assert user["context-switches:u"] == "0"
    root = values(linux.step("root_health_3").files["perf"])
    assert int(root["context-switches"]) >= 1


@pytest.mark.parametrize("events", ["plain", "user_mode", "health"])
def test_at_paranoid_3_a_user_gets_nothing_and_perf_names_the_setting(linux, events):
    refused = linux.step(f"user_{events}_3")
    assert refused.status == 255
    assert "perf_event_paranoid setting is 3" in refused.stderr
    assert "end" not in refused.stdout

# SPDX-License-Identifier: GPL-3.0-or-later
"""What a night comes to, from stores whose truth is known."""

import os
import re
import shutil

import pytest
from nights import (add_run, call, loop, loops, night, of_kind, report, run_id,
                    NIGHT, ROOT)

NEW_KEYS = [("microcode", "0x9", "0xa101148"), ("kernel", "6.2.0-new", "6.1.0-test")]


def test_the_first_run_is_a_baseline_and_no_alarm(tmp_path):
    status, rows = night(tmp_path / "night", made=add_run(tmp_path / "store", 1, loops(1)))
    assert status == 0
    assert [row["detail"] for row in of_kind(rows, "baseline")] == ["the first run on this CPU"]
    assert of_kind(rows, "sweep")[0]["compared"] == "0"


def test_a_confirmed_change_is_reported_with_the_size_of_the_fresh_executions(tmp_path):
    add_run(tmp_path, 1, loops(1))
    now = add_run(tmp_path, 2, loops(2, slower=(7,), part=0.05))
    done = night(tmp_path / "night", command="candidates", made=now)
    assert (done.returncode, done.stdout) == (0, "made\tv7\n")
    fresh = add_run(tmp_path, 3, loops(3, slower=(7,))[7:8])
    status, rows = night(tmp_path / "night", made=now, again={"made": fresh})
    (row,) = of_kind(rows, "changed")
    assert status == 4 and row["variant"] == "v7"
    assert 0.025 < float(row["part"]) < 0.035 and 0.045 < float(row["first_part"]) < 0.055
    assert float(row["part_low"]) < 0.03 < float(row["part_high"])
    assert (row["base_run"], row["run_id"]) == (run_id(1), run_id(2))
    text, html = report(tmp_path / "night")
    assert "Changed: 1; lost: 0" in text and "v7 (made, perf, CPL3)\n   +" in text
    assert "<code>v7</code>" in html and "//" not in html
    assert max(len(line) for line in text.split("\n") if str(tmp_path) not in line) <= 72


@pytest.mark.parametrize("fresh", [dict(slower=()), dict(slower=(7,), part=-0.03)])
def test_a_candidate_that_fresh_executions_contradict_is_no_change(tmp_path, fresh):
    add_run(tmp_path, 1, loops(1))
    now = add_run(tmp_path, 2, loops(2, slower=(7,)))
    again = add_run(tmp_path, 3, loops(3, **fresh)[7:8])
    status, rows = night(tmp_path / "night", made=now, again={"made": again})
    assert status == 0 and not of_kind(rows, "changed")
    assert [row["variant"] for row in of_kind(rows, "unconfirmed")] == ["v7"]


def test_a_candidate_without_fresh_executions_is_no_change(tmp_path):
    add_run(tmp_path, 1, loops(1))
    status, rows = night(tmp_path / "night", made=add_run(tmp_path, 2, loops(2, slower=(7,))))
    assert status == 0 and of_kind(rows, "unconfirmed")[0]["detail"] == \
        "gave no value when measured again"


def test_what_is_measured_again_in_the_same_second_is_no_base(tmp_path):
    """A run's name tells the second and four random digits: the second run may seem the older."""
    add_run(tmp_path, 1, loops(1))
    now = add_run(tmp_path, 2, loops(2, slower=(7,)), name=f"{run_id(2)[:-4]}ffff")
    fresh = add_run(tmp_path, 2, loops(3, slower=(7,))[7:8], name=f"{run_id(2)[:-4]}0001")
    status, rows = night(tmp_path / "night", made=now, again={"made": fresh})
    (row,) = of_kind(rows, "changed")
    assert (status, row["variant"], row["base_run"]) == (4, "v7", run_id(1))


def test_a_fluke_is_no_base_for_the_next_night(tmp_path):
    """v7 seemed slower on day 2, its fresh executions were not: day 4 stands against those."""
    add_run(tmp_path, 1, loops(1))
    add_run(tmp_path, 2, loops(2, slower=(7,)))
    add_run(tmp_path, 3, loops(3)[7:8])
    done = night(tmp_path / "night", command="candidates", made=add_run(tmp_path, 4, loops(4)))
    assert (done.returncode, done.stdout) == (0, "")


def test_a_change_is_reported_on_the_first_night_only(tmp_path):
    add_run(tmp_path, 1, loops(1))
    add_run(tmp_path, 2, loops(2, slower=(7,)))
    status, rows = night(tmp_path / "night", made=add_run(tmp_path, 4, loops(4, slower=(7,))))
    assert status == 0 and not of_kind(rows, "changed")


@pytest.mark.parametrize("key, new, old", NEW_KEYS)
def test_another_key_begins_a_new_baseline_and_says_why(tmp_path, key, new, old):
    add_run(tmp_path, 1, loops(1))
    now = add_run(tmp_path, 2, loops(2, slower=(7,), **{key: new}))
    status, rows = night(tmp_path / "night", made=now)
    (row,) = of_kind(rows, "baseline")
    assert status == 0 and row["detail"] == f"{key}: {old}, now {new}"
    assert of_kind(rows, "sweep")[0]["compared"] == "0"
    # And back: the old baseline is the one to compare with.
    now = add_run(tmp_path, 3, loops(3, slower=(7,)))
    done = night(tmp_path / "back", command="candidates", made=now)
    assert done.stdout == "made\tv7\n"


def test_other_mitigations_begin_a_new_baseline(tmp_path):
    add_run(tmp_path, 1, loops(1))
    now = add_run(tmp_path, 2, loops(2), environment=(("mitigation_spectre_v2", "Vulnerable"),))
    _, rows = night(tmp_path / "night", made=now)
    assert of_kind(rows, "baseline")[0]["detail"] == \
        "mitigations: spectre_v2=Mitigation: Retpolines, now spectre_v2=Vulnerable"


def test_other_bytes_begin_a_new_baseline_for_that_loop_only(tmp_path):
    add_run(tmp_path, 1, loops(1))
    rows = loops(2, slower=(7, 8))
    rows[7]["loop_sha256"] = "1" * 64
    now = add_run(tmp_path, 2, rows)
    assert night(tmp_path / "night", command="candidates", made=now).stdout == "made\tv8\n"
    _, found = night(tmp_path / "night", made=now)
    assert [(row["variant"], row["detail"]) for row in of_kind(found, "baseline")] == \
        [("v7", "the loop's bytes changed")]


def test_bytes_that_come_back_find_their_old_baseline(tmp_path):
    add_run(tmp_path, 1, loops(1))
    add_run(tmp_path, 2, loops(2, slower=(7,), loop_sha256="1" * 64))
    now = add_run(tmp_path, 3, loops(3, slower=(7,)))
    assert night(tmp_path / "night", command="candidates", made=now).stdout == "made\tv7\n"


def test_a_night_without_a_value_does_not_hide_a_change(tmp_path):
    """v7 is missing on day 2 and slower on day 3: day 1 is what it stands against."""
    add_run(tmp_path, 1, loops(1))
    gone = loops(2)
    gone[7] = loop("v7", "1*cli", None, status="invalid_reference", detail="noisy")
    add_run(tmp_path, 2, gone)
    now = add_run(tmp_path, 3, loops(3, slower=(7,)))
    assert night(tmp_path / "night", command="candidates", made=now).stdout == "made\tv7\n"


@pytest.mark.parametrize("status", ("invalid_reference", "contended"))
def test_a_bad_moment_is_missing_and_not_lost(tmp_path, status):
    add_run(tmp_path, 1, loops(1))
    gone = loops(2)
    gone[7] = loop("v7", "1*cli", None, status=status, detail="a neighbour")
    now = add_run(tmp_path, 2, gone)
    assert night(tmp_path / "night", command="candidates", made=now).stdout == ""
    _, rows = night(tmp_path / "night", made=now)
    assert [(row["variant"], row["status"], row["detail"]) for row in of_kind(rows, "missing")] == \
        [("v7", status, "a neighbour")]
    assert not of_kind(rows, "lost")


def test_what_is_missing_is_listed_with_the_night_it_began(tmp_path):
    gone = loop("v1", "1*cli", None, status="refused", detail="needs CPL0")
    add_run(tmp_path, 1, loops(1, 2))
    add_run(tmp_path, 2, [loops(2, 1)[0], gone])
    add_run(tmp_path, 3, [loops(3, 1)[0], dict(gone)], environment=())
    now = add_run(tmp_path, 4, [loops(4, 1)[0], dict(gone)])
    _, rows = night(tmp_path / "night", made=now)
    (row,) = of_kind(rows, "missing")
    assert (row["variant"], row["since"], row["status"]) == ("v1", run_id(2), "refused")
    assert "made: 1 since 2026-01-03 03:00, refused: needs CPL0" in report(tmp_path / "night")[0]


def test_a_value_lost_twice_is_a_change(tmp_path):
    gone = loop("v1", "1*cli", None, status="faulted", detail="SIGILL")
    add_run(tmp_path, 1, loops(1, 2))
    now = add_run(tmp_path, 2, [loops(2, 1)[0], gone])
    status, rows = night(tmp_path / "night", made=now)
    assert status == 0 and of_kind(rows, "missing")[0]["status"] == "faulted"
    again = add_run(tmp_path, 3, [dict(gone)])
    status, rows = night(tmp_path / "night", made=now, again={"made": again})
    assert status == 4 and of_kind(rows, "lost")[0]["variant"] == "v1"


def test_a_run_that_was_killed_is_neither_believed_nor_compared_with(tmp_path):
    for day, end in ((1, "end complete\n"), (2, "done 0 0 0 v0 1 1\n"), (3, "end compl")):
        folder = add_run(tmp_path, day, loops(day, slower=(7,) if day > 1 else ()))
        with open(os.path.join(folder, "journal"), "w", encoding="utf-8") as stream:
            stream.write("asmsweep-journal 1\nbegin\n" + end)
    now = add_run(tmp_path, 4, loops(4, slower=(7,)))
    assert night(tmp_path / "night", command="candidates", made=now).stdout == "made\tv7\n"
    done = call(NIGHT, "verdict", tmp_path / "night")
    assert done.returncode == 0
    unfinished = tmp_path / "made" / "cpu" / run_id(2)
    done = night(tmp_path / "other", command="candidates", made=unfinished)
    assert done.returncode == 3 and "no run of this night came to its end" in done.stderr


def test_a_damaged_old_run_is_passed_over_and_named(tmp_path):
    add_run(tmp_path, 1, loops(1))
    folder = add_run(tmp_path, 2, loops(2))
    with open(os.path.join(folder, "summary.csv"), "a", encoding="utf-8") as stream:
        stream.write("cut,off")
    status, rows = night(tmp_path / "night", made=add_run(tmp_path, 3, loops(3)))
    row = of_kind(rows, "sweep")[0]
    assert status == 0 and row["base_run"] == run_id(1) and row["compared"] == "20"
    assert f"{run_id(2)}/summary.csv" in row["detail"]


def test_the_level_is_held_over_all_sweeps_of_a_night(tmp_path):
    """A difference that one sweep of 20 loops would call is none among those of ten sweeps."""
    base, now = [], []
    for name in (f"s{n}" for n in range(10)):
        base += [add_run(tmp_path, 1, loops(1), sweep=name)]
        rows = loops(1)
        if name == "s3":  # 3.4 standard errors of a difference: p 0.0011 with 8 degrees of freedom
            value = float(rows[0]["value"])
            rows[0] = loop("v0", "1*cli", value * (1 + 4.9 * 0.001 * 1.414), half=1.96 * 0.01)
        now += [add_run(tmp_path, 2, rows, sweep=name)]
    options = ("--minimum", "0.01%")
    alone = night(tmp_path / "alone", command="candidates", options=options, s3=now[3])
    assert alone.stdout == "s3\tv0\n"
    runs = {f"s{n}": run for n, run in enumerate(now)}
    together = night(tmp_path / "all", command="candidates", options=options, **runs)
    assert (together.returncode, together.stdout) == (0, "")


def test_more_candidates_than_fit_are_the_whole_sweep(tmp_path):
    name = "a" * 90
    many = [dict(row, variant=f"{name}{n}") for n, row in enumerate(loops(1, 60))]
    slow = [dict(row, variant=f"{name}{n}") for n, row in enumerate(loops(2, 60, range(60)))]
    add_run(tmp_path, 1, many)
    done = night(tmp_path / "night", command="candidates", made=add_run(tmp_path, 2, slow))
    assert done.stdout == "made\t*\n"


def test_the_units_of_systemd_are_right_and_name_sweeps_that_exist(tmp_path):
    place = tmp_path / "clone"
    place.symlink_to(ROOT)  # a unit's path has no spaces, the project's may
    units = [tmp_path / f"asmsweep-nightly.{kind}" for kind in ("service", "timer")]
    for unit in units:
        with open(os.path.join(ROOT, "setup", "systemd", unit.name), encoding="utf-8") as stream:
            unit.write_text(stream.read().replace("/opt/asmsweep", str(place)), encoding="utf-8")
    sweeps = re.search(r'^Environment="SWEEPS=(.*)"$', units[0].read_text(encoding="utf-8"), re.M)
    sweeps = sweeps[1].split()
    assert sweeps
    for sweep in sweeps:
        assert os.path.exists(os.path.join(ROOT, "templates", "sweeps", f"{sweep}.toml"))
    if shutil.which("systemd-analyze"):
        done = call("systemd-analyze", "verify", *units)
        assert "asmsweep" not in done.stderr


def test_bad_input_gets_one_line_that_names_it(tmp_path):
    done = call(NIGHT, "verdict", tmp_path / "none")
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "none" in done.stderr
    done = call(os.path.join(ROOT, "campaign", "night", "nightly"))
    assert done.returncode == 2 and "usage: asmsweep nightly SWEEP..." in done.stderr
    done = call(os.path.join(ROOT, "campaign", "night", "nightly"), "seed", "--", "--store=/x")
    assert done.returncode == 2 and "--store=/x is not for nightly" in done.stderr

# SPDX-License-Identifier: GPL-3.0-or-later
"""asmsweep-results compare and explain."""

import random
import re

import pytest
from synthetic import homogeneous, loop, write_run


def runs(tmp_path, base, now):
    return write_run(tmp_path / "base", base), write_run(tmp_path / "new", now)


def night(seed, count=100, shift=()):
    """A run of loops whose values scatter by their intervals; `shift` scales some by 3 %."""
    rng = random.Random(seed)
    made = []
    for n in range(count):
        truth, sigma = 10.0 + n, (10.0 + n) * 0.001
        value = rng.gauss(truth * (1.03 if n in shift else 1), sigma)
        made.append(loop(f"v{n}", "1*cli", value, half=1.96 * sigma))
    return made


def test_a_run_is_the_same_as_itself(tmp_path, results):
    done = results("compare", *runs(tmp_path, night(1), night(1)))
    assert done.returncode == 0 and "same: 100 " in done.stdout


def test_a_change_of_three_percent_is_found_with_its_size(tmp_path, results):
    done = results("compare", *runs(tmp_path, night(1), night(2, shift=(7,))))
    assert done.returncode == 4
    found = re.search(r"changed: 1 .*\n  v7 \(perf, CPL3\): .* \+(\d\.\d\d) % \[", done.stdout)
    assert 2.5 < float(found[1]) < 3.5
    assert done.stderr == "asmsweep-results: 1 of the loops changed\n"


def test_thirty_nights_without_a_change_report_none(tmp_path, results):
    alarms = 0
    for n in range(30):
        done = results("compare", "--minimum", "0.01%", *runs(
            tmp_path / str(n), night(2 * n + 1000), night(2 * n + 1001)))
        alarms += done.returncode == 4
    assert alarms <= 4  # 5 % of 30 is 1.5; more than 4 has a chance of 1.6 %


def test_a_significant_change_below_the_minimum_is_listed_but_no_alarm(tmp_path, results):
    base = [loop("a", "1*cli", 100, half=0.01)]
    now = [loop("a", "1*cli", 100.5, half=0.01)]
    done = results("compare", *runs(tmp_path, base, now))
    assert done.returncode == 0 and "small: 1 " in done.stdout and "+0.50 %" in done.stdout


def test_the_noise_floor_raises_the_minimum(tmp_path, results):
    base = [loop("a", "1*cli", 100, half=0.1), loop("t", "1*cli", 105, half=0.1, duplicate_of="a")]
    now = [loop("a", "1*cli", 103, half=0.1), loop("t", "1*cli", 104, half=0.1, duplicate_of="a")]
    done = results("compare", *runs(tmp_path, base, now))
    assert done.returncode == 0 and "smallest change reported 4.88 %" in done.stdout


def test_the_method_is_named(tmp_path, results):
    done = results("compare", *runs(tmp_path, night(1), night(1)))
    assert "method: Holm (1979), false alarms of the whole comparison at most 5 %" in done.stdout


@pytest.mark.parametrize("status", ("faulted", "not_constant"))
def test_a_lost_value_is_a_change_with_its_reason(tmp_path, results, status):
    base = [loop("a", "1*cli", 100), loop("b", "1*cli", 50)]
    now = [loop("a", "1*cli", None, status=status, detail="SIGSEGV"), loop("b", "1*cli", 50)]
    done = results("compare", *runs(tmp_path, base, now))
    assert done.returncode == 4
    assert "lost: 1 " in done.stdout and f"now {status}: SIGSEGV" in done.stdout


@pytest.mark.parametrize("status", ("invalid_reference", "contended"))
def test_a_bad_moment_is_noise_and_no_change(tmp_path, results, status):
    base = [loop("a", "1*cli", 100), loop("b", "1*cli", 50)]
    now = [loop("a", "1*cli", None, status=status), loop("b", "1*cli", 50)]
    done = results("compare", *runs(tmp_path, base, now))
    assert done.returncode == 0 and "unit: 1 " in done.stdout


def test_loops_with_other_bytes_are_not_compared(tmp_path, results):
    base = [loop("a", "1*cli", 100), loop("b", "1*cli", 50)]
    now = [loop("a", "1*cli", 200, loop_sha256="f" * 64), loop("b", "1*cli", 50)]
    done = results("compare", *runs(tmp_path, base, now))
    assert done.returncode == 0 and "other_loop: 1 " in done.stdout


def test_what_differs_between_the_machines_is_said(tmp_path, results):
    base, now = [loop("a", "1*cli", 100)], [loop("a", "1*cli", 100, microcode="0x2")]
    done = results("compare", *runs(tmp_path, base, now))
    assert "differs: microcode: 0xa101148, now 0x2" in done.stdout


def test_nothing_in_common_is_an_error_of_its_own(tmp_path, results):
    done = results("compare", *runs(tmp_path, [loop("a", "1*cli", 1)], [loop("b", "1*cli", 1)]))
    assert done.returncode == 3 and "no loop stands in both" in done.stderr


def test_explain_tells_claim_proof_result_reason_and_commands(tmp_path, results, solve):
    loops = [homogeneous("p14", "push %rbx; popfq", 14, 14 * 20.0, detail="leaves DF changed",
                         sequence="14*(push %rbx; popfq)")]
    folder = write_run(tmp_path, loops)
    solve(folder)
    done = results("explain", folder, "p14")
    assert done.returncode == 0
    text = " ".join(done.stdout.split())
    for words in ("What was proved status ok", "What was measured engine perf", "value 280.000000",
                  "detail leaves DF changed", "Executions block slot",
                  "Costs that use it item push %rbx; popfq",
                  "./asmsweep run synthetic --only p14",
                  "perf stat build/synthetic/bin/p14"):
        assert words in text, words


def test_explain_does_not_mix_up_names_that_begin_alike(tmp_path, results, solve):
    folder = write_run(tmp_path, [homogeneous("p1", "cli", 14, 28.0),
                                  homogeneous("p14", "sti", 14, 56.0)])
    solve(folder)
    text = results("explain", folder, "p1").stdout
    assert "cli" in text and "sti" not in text


def test_explain_names_a_variant_that_is_not_there(tmp_path, results):
    folder = write_run(tmp_path, [homogeneous("p1", "cli", 14, 28.0)])
    done = results("explain", folder, "p2")
    assert done.returncode == 2 and "has no variant p2" in done.stderr


def test_a_run_that_is_missing_is_asked_for_by_the_commands_name(results):
    done = results("compare", "base")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "asmsweep-results: compare takes BASE NEW [--minimum PART]\n"


GO_ON = "; ./asmsweep run --resume -o {} resumes it\n"
AGAIN = "; give the folder that ./asmsweep run printed, or run it again\n"


@pytest.mark.parametrize("command, kept, journal, code, said", [
    ("explain", (), True, 2, "{}: has no summary.csv" + GO_ON),
    ("compare", (), True, 2, "{}: has no summary.csv" + GO_ON),
    ("explain", (), False, 2, "{}: has no summary.csv" + AGAIN),
    ("compare", (), False, 2, "{}: has no summary.csv" + AGAIN),
    ("explain", ("summary.csv",), True, 2, "{}/summary.csv: has no row yet" + GO_ON),
    ("compare", ("summary.csv",), True, 3, "{}/summary.csv: has no cycles to compare" + GO_ON)])
def test_a_run_that_is_not_whole_is_one_line_with_the_remedy(tmp_path, results, command, kept,
                                                             journal, code, said):
    folder = write_run(tmp_path / "run", [])
    if journal:
        (tmp_path / "run" / "journal").write_text("begin\n")
    if not kept:
        (tmp_path / "run" / "summary.csv").unlink()
    done = results(command, folder, "x" if command == "explain" else folder)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr == "asmsweep-results: " + said.replace("{}", folder)


def test_explain_says_why_a_loop_has_no_cost_of_its_own(tmp_path, results, solve):
    folder = write_run(tmp_path, [loop("reps", "2*mov+1*lea", 15.0, group="lea", groups=1)])
    assert "not solved yet: ./asmsweep table DIR does it" in results("explain", folder,
                                                                     "reps").stdout
    solve(folder)
    text = " ".join(results("explain", folder, "reps").stdout.split())
    assert "Costs that use it item reps: one iteration" in text
    assert ("cycles 15 ci_low 14.97 ci_high 15.03 method iteration additive untested status ok "
            "detail no cost of its own: 1 of its group is 1*lea, its body is 2*mov+1*lea") in text
    assert "not solved" not in text


MEASURE = "the run is damaged: take a whole copy of it, or measure again"
SOLVE = "remove it; ./asmsweep table makes it again"


@pytest.mark.parametrize("file, good, bad, says", [
    ("summary", "28.000000", "abc", f":2: value is 'abc', no number; {MEASURE}"),
    ("summary", "27.944000", "29.5", f":2: ci_low 29.5 is above ci_high 28.056000; {MEASURE}"),
    ("summary", "28.000000,27.944000,28.056000", ",,",
     ":2: status ok, but value \"\" [\"\", \"\"]; the file was changed, measure again"),
    ("summary", ",ok,", ",fine,", f":2: status is 'fine', no word of this version; {MEASURE}"),
    ("measurements", "28.000000", "abc", f":2: value is 'abc', no number; {MEASURE}"),
    ("measurements", "28.056000", "27", f":2: ci_low 27.944000 is above ci_high 27; {MEASURE}"),
    ("costs", ",direct,", ",direct,", None),
    ("costs", "2.00565685", "1.5", f":2: ci_low 1.92291457 is above ci_high 1.5; {SOLVE}")])
def test_explain_shows_no_damaged_cell(tmp_path, results, solve, file, good, bad, says):
    folder = write_run(tmp_path, [homogeneous("p1", "cli", 14, 28.0)])
    solve(folder)
    path = tmp_path / f"{file}.csv"
    text = path.read_text()
    assert good in text
    path.write_text(text.replace(good, bad, 1))
    done = results("explain", folder, "p1")
    if says is None:
        assert (done.returncode, done.stderr) == (0, "")
        return
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"asmsweep-results: {path}{says}\n"


def test_a_change_is_never_less_than_all_of_it(tmp_path, results):
    base, now = [loop("a", "1*cli", 20, half=1)], [loop("a", "1*cli", 5, half=6)]
    assert ", -75.00 % [-100.00, -44.97]" in results("compare", *runs(tmp_path, base, now)).stdout

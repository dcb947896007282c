# SPDX-License-Identifier: GPL-3.0-or-later
"""From a run's loops to what `cost` prints, on runs made by hand."""

import csv
import json
import os
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import ROOT  # noqa: E402
sys.path.insert(0, ROOT)
from common import lists  # noqa: E402
from results.tables import answer_rows, answers, expected  # noqa: E402

ZEN3 = {"cpu_vendor": "AuthenticAMD", "cpu_family": "25", "cpu_model": "1", "cpu_stepping": "1"}


@pytest.fixture
def run(tmp_path):
    """A run's folder: {variant: (cycles an iteration, half-width) or a status}, and answers."""
    def make(loops, answers):
        (tmp_path / "sweep.json").write_text(json.dumps({"sweep": "s", "answers": answers}))
        with open(tmp_path / "summary.csv", "w", newline="", encoding="utf-8") as stream:
            table = csv.DictWriter(stream, lists.names("summary"), lineterminator="\r\n")
            table.writeheader()
            for variant, told in loops.items():
                row = {**ZEN3, "variant": variant, "quantity": "cycles", "source": "stopwatch",
                       "status": told if isinstance(told, str) else "ok"}
                if not isinstance(told, str):
                    row.update(value=told[0], ci_low=told[0] - told[1], ci_high=told[0] + told[1])
                table.writerow(row)
        with open(tmp_path / "samples.csv", "w", newline="", encoding="utf-8") as stream:
            table = csv.DictWriter(stream, lists.names("samples"), lineterminator="\r\n")
            table.writeheader()
            for loop in range(310, 330):  # 1 cycle is 1 tick
                table.writerow({"variant": "t", "n_add": 10, "add_n": 400, "add_2n": 720,
                                "n_loop": 1, "loop_n": 50, "loop_2n": 50 + loop})
        return str(tmp_path)
    return make


def told(question, **parts):
    return {"text": "vaddps %xmm0, %xmm1, %xmm2", "form": "VADDPS xmm, xmm, xmm",
            "question": question, "how": "chain", **parts}


def loop(name, copies=100):
    return {"variant": name, "copies": copies}


def answers_of(folder):
    return answer_rows.read(folder)["answers"]


def test_a_throughput_is_the_quickest_of_its_loops(run):
    row, = answers_of(run({"a": (100, 1), "b": (50, 1)}, [
        told("throughput", loops=[loop("a"), loop("b")])]))
    assert row["cycles"] == 0.5 and row["status"] == "ok"
    # The loop's own dec and jnz may be in it: a cycle an iteration.
    assert row["ci_low"] == pytest.approx(0.48) and row["ci_high"] == pytest.approx(0.51)


def test_without_one_of_its_loops_a_throughput_is_no_value(run):
    row, = answers_of(run({"a": (100, 1), "t": "contended"}, [
        told("throughput", loops=[loop("a"), loop("t")])]))
    assert row["cycles"] is None and row["status"] == "contended"
    assert row["provisional"] == pytest.approx(3.12)  # a low one of 3.10 to 3.29


def test_the_way_back_is_subtracted_with_the_interval_of_the_difference(run):
    row, = answers_of(run({"c": (400, 3), "w": (100, 4), "l": (600, 1)}, [
        told("latency", **{"from": "rax", "to": "cf"}, loops=[loop("c")], back=loop("w"),
             linked=loop("l"))]))
    assert row["cycles"] == 3 and row["ci_high"] == pytest.approx(3.05)
    assert row["ci_low"] == pytest.approx(2.95) and row["part_at_most"] is None


def test_a_round_trip_bounds_a_part(run):
    row, = answers_of(run({"c": (600, 1)}, [
        told("latency", **{"from": "rax", "to": "xmm0"}, loops=[loop("c")], round_trip=True)]))
    assert row["cycles"] == 6 and row["part_at_most"] == 5


def test_what_does_not_react_to_links_is_no_chain(run):
    row, = answers_of(run({"c": (100, 1), "l": (200, 1)}, [
        told("latency", **{"from": "rax", "to": "rax"}, loops=[loop("c")], linked=loop("l"))]))
    assert row["cycles"] is None and row["status"] == "no_chain"
    assert "rax does not wait for rax" in row["detail"]


def test_a_chain_whose_trial_has_no_value_is_provisional(run):
    row, = answers_of(run({"c": (50, 1), "l": "contended"}, [
        told("latency", **{"from": "cf", "to": "cf"}, loops=[loop("c")], linked=loop("l"),
             round_trip=True)]))
    assert [row[key] for key in ("cycles", "ci_low", "ci_high", "part_at_most")] == [None] * 4
    assert (row["provisional"], row["status"], row["remarks"]) == (0.5, "contended", [])
    assert row["detail"].startswith("whether it is a chain was not seen")


def test_what_a_program_died_of_is_told_and_not_its_exit_status():
    assert answers._short({"detail": "exit status 4; died of SIGSEGV; explain it"}) == \
        "died of SIGSEGV"
    assert answers._short({"detail": "exit status 4"}) == "exit status 4"
    assert answers._short({"detail": "the core was shared; all together"}) == \
        "the core was shared"


def test_a_refusal_is_told(run):
    row, = answers_of(run({"a": (1, 1)}, [told("throughput", refused="cli: privileged")]))
    assert row["status"] == "refused" and row["detail"] == "cli: privileged"


def test_published_figures_stand_beside_what_they_are_of(run):
    document = answer_rows.read(run({"t": (50, 1), "c": (300, 1), "f": (330, 1)}, [
        told("throughput", loops=[loop("t")]),
        told("latency", **{"from": "xmm1", "to": "xmm2"}, loops=[loop("c")]),
        told("latency", **{"from": "rax", "to": "cf"}, loops=[loop("f")])]))
    expected.add(document, os.path.join(ROOT, "results", "published"))
    assert [(row["published"], row["agrees"]) for row in document["answers"]] == \
        [(0.5, True), (3, True), (None, None)]
    assert document["answers"][0]["published_source"] == "Zen3 Vermeer"


@pytest.mark.parametrize("form, normal", [
    ("ADD r1_64, r2_64", "ADD r64, r64"), ("VPSUBQ xmm1, xmm1, xmm2", "VPSUBQ xmm, xmm, xmm"),
    ("PSHUFW mm, mm, im8", "PSHUFW mm, mm, imm8"), ("BLENDVPS xmm, xmm, <xmm0>",
                                                    "BLENDVPS xmm, xmm")])
def test_published_spellings_become_one(form, normal):
    assert expected.normal(form) == normal


def test_the_margin_is_that_of_comparisons():
    assert expected.margin(0.5) == pytest.approx(0.04)
    assert expected.margin(1) == pytest.approx(0.105)
    assert expected.margin(20) == pytest.approx(0.605)


def test_what_is_printed_is_a_line_a_question(run):
    folder = run({"t": (50, 1), "c": (300, 1)}, [
        told("throughput", loops=[loop("t")]),
        told("latency", **{"from": "xmm1", "to": "xmm2"}, loops=[loop("c")])])
    program = os.path.join(ROOT, "results", "tables", "answers.py")
    done = subprocess.run(["/usr/bin/python3", "-B", program, folder], capture_output=True,
                          text=True, check=True)
    assert done.stdout.splitlines() == [
        "vaddps %xmm0, %xmm1, %xmm2    [cycles, 95 %]",
        "  throughput    0.500 [0.480,0.510]  chain  agrees: 0.5 (Zen3 Vermeer)",
        "  xmm1 -> xmm2  3.000 [2.990,3.010]  chain  agrees: 3 (Zen3 Vermeer)",
        f"The run: {folder}"]
    done = subprocess.run(["/usr/bin/python3", "-B", program, folder, "--json"],
                          capture_output=True, text=True, check=True)
    document = json.loads(done.stdout)
    assert document["schema"] == 1 and document["answers"][1]["cycles"] == 3
    assert document["answers"][1]["to"] == "xmm2"

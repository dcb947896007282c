# SPDX-License-Identifier: GPL-3.0-or-later
"""Three generations on a real Slurm: from submit to the table."""

import subprocess

import pytest

from conftest import rows


def claims(generation, **other):
    """Every feature claims what this CPU is, except those named."""
    named = {"box1": generation, "box2": generation, "box3": generation, **other}
    return " ".join(f"{feature}={name}" for feature, name in named.items())


def other_generation(generation):
    return "zen-2" if generation != "zen-2" else "haswell"


MEASURED = {"box1": "measured", "box2": "measured", "box3": "measured"}


@pytest.mark.parametrize("shared", ["yes", "no"])
def test_a_false_claim_is_refused_and_the_true_ones_are_measured(fleet, generation, shared):
    other = other_generation(generation)
    fleet.submit("--shared", shared, claims=claims(generation, box2=other))
    fleet.wait({**MEASURED, "box2": "refused"})
    runs, told = fleet.collect("--no-table")
    assert f"box2 claims {other}, the CPU is " in told
    collected = fleet.collected()
    assert {name: row["claim_check"] for name, row in collected.items()} == {
        "box1": "confirmed", "box2": "mismatch", "box3": "confirmed"}
    assert collected["box2"]["run"] == ""
    assert collected["box2"]["cpu_family"] == collected["box1"]["cpu_family"] != ""
    [refused] = fleet.attempts("box2")
    assert not (fleet.folder / "results/box2" / refused / "run").exists()
    assert runs.splitlines() == [collected["box1"]["run"], collected["box3"]["run"]]
    for name in ("sweep.json", "differences.csv"):  # what its table will ask
        assert (fleet.folder / collected["box1"]["run"] / name).exists()


def test_a_name_that_is_no_generation_is_measured_and_said_to_be_unchecked(fleet):
    fleet.submit("--generations", "box1", claims="box1=somechip")
    fleet.wait({"box1": "measured"})
    table, told = fleet.collect()
    assert "(claim unlisted)" in told
    assert "box1 (unchecked)" in table
    assert fleet.collected()["box1"]["claim_check"] == "unlisted"


def test_collect_is_incomplete_then_complete_and_nothing_is_taken_twice(fleet, generation, hold):
    fleet.submit(claims=claims(generation))
    fleet.wait({"box1": "running", "box2": "running", "box3": "running"}, 30)
    runs, told = fleet.collect("--no-table")
    assert runs == ""
    assert "3 generations, 3 of them missing" in told
    hold.release()
    fleet.wait(MEASURED)
    runs = fleet.collect("--no-table")[0].splitlines()
    assert len(set(runs)) == len(runs) == 3
    keys = [[(row["run_id"], row["variant"], row["block"], row["quantity"])
             for row in rows(f"{run}/measurements.csv")] for run in runs]
    # seed: 4 of 8 variants can run at CPL3; each row once, no row in two runs.
    together = [key for run in keys for key in run]
    assert len(set(together)) == len(together) > 0
    assert fleet.collect("--no-table")[0].splitlines() == runs


def test_a_table_has_a_column_for_each_generation_even_of_one_cpu(fleet, generation):
    fleet.submit(claims=claims(generation))
    fleet.wait(MEASURED)
    table, _ = fleet.collect("--format", "markdown")
    header = next(line for line in table.splitlines() if line.startswith("|"))
    assert [feature for feature in MEASURED if feature in header] == list(MEASURED)
    assert header.index("box1") < header.index("box2") < header.index("box3")
    for feature in MEASURED:
        assert f"labelled {feature}" in table
        assert f", {feature} " in table  # its row among the generations


def test_the_same_bytes_ran_on_every_node(fleet, generation):
    fleet.submit(claims=claims(generation))
    fleet.wait(MEASURED)
    fleet.collect("--no-table")
    sums = {row["pack_sha256"] for row in fleet.collected().values()}
    told = {row["key"]: row["value"] for row in rows(fleet.folder / "fleet.csv")}
    assert sums == {told["pack_sha256"]}
    subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=fleet.folder / "pack",
                   check=True)


def test_a_node_that_got_another_file_measures_nothing(fleet, generation, hold):
    fleet.submit("--generations", "box1", claims=claims(generation))
    fleet.wait({"box1": "running"}, 30)
    variant = fleet.folder / "pack/sweep/bin/calibrator"
    hold.release()
    fleet.wait({"box1": "measured"})
    variant.write_bytes(variant.read_bytes()[:-1] + b"\1")
    (measured,) = fleet.attempts("box1")
    (fleet.folder / "results/box1" / measured).rename(fleet.folder / "results/box1/.aside")
    fleet.wait({"box1": "lost"})  # Slurm may still have the job for a moment
    again = fleet.call("again", fleet.folder)
    assert again.returncode == 0, again.stderr
    fleet.wait({"box1": "refused"})
    assert "calibrator: is not the file that was shipped" in fleet.call("status",
                                                                        fleet.folder).stdout


def test_a_failed_task_is_listed_and_again_replaces_it(fleet, generation, cluster):
    config = fleet.folder.parent / "fleet.toml"
    config.write_text('# a lab\ngenerations = "box1,box2"\nrun = "--engine nonsense"\n')
    done = fleet.call("submit", fleet.build, "-o", fleet.folder, "-c", config,
                      "--claims", claims(generation))
    assert done.returncode == 0, done.stderr
    fleet.wait({"box1": "failed", "box2": "failed"})
    assert fleet.call("again", fleet.folder).returncode == 0
    fleet.wait({"box1": "failed", "box2": "failed"})
    assert len(fleet.attempts("box1")) == 2
    log = fleet.folder / "results/box1" / fleet.attempts("box1")[-1] / "run.log"
    assert "no engine 'nonsense'" in log.read_text()


def test_a_drained_generation_waits_and_the_others_do_not(fleet, generation, cluster):
    cluster.run("scontrol", "update", "NodeName=n2", "State=DRAIN", "Reason=test")
    try:
        done = fleet.submit("--generations", "box1,box2", claims=claims(generation))
        assert "box2: none of its nodes is up now; the job waits for one, for ever" in done.stderr
        fleet.wait({"box1": "measured", "box2": "waiting"})
        fleet.collect("--no-table")
        assert fleet.collected()["box2"]["stage"] == "waiting"
    finally:
        cluster.run("scontrol", "update", "NodeName=n2", "State=RESUME")
    fleet.wait({"box1": "measured", "box2": "measured"})


def test_a_generation_that_never_comes_back_ends_at_the_deadline(fleet, generation, cluster):
    cluster.run("scontrol", "update", "NodeName=n2", "State=DRAIN", "Reason=test")
    try:
        # Slurm removes a job that could not end in time any more: 70 s less its limit of 60 s.
        done = fleet.submit("--generations", "box2", "--deadline", "now+70seconds", "--time", "1",
                            claims=claims(generation))
        assert "the job waits for one until the deadline" in done.stderr
        fleet.wait({"box2": "lost"}, 60)
    finally:
        cluster.run("scontrol", "update", "NodeName=n2", "State=RESUME")
    assert "was last seen DEADLINE" in fleet.call("status", fleet.folder).stdout


def test_without_an_answer_of_slurm_jobs_are_told_as_seen_last(fleet, generation, hold):
    fleet.submit("--generations", "box1", claims=claims(generation))
    fleet.wait({"box1": "running"}, 30)
    silent = {**fleet.cluster.environment, "PATH": "/nonexistent"}
    done = fleet.call("status", fleet.folder, environment=silent)
    assert "told as it was seen last: squeue: " in done.stderr
    assert "box1" in done.stdout and "RUNNING on n1" in done.stdout
    assert fleet.call("again", fleet.folder, environment=silent).returncode == 3
    hold.release()
    fleet.wait({"box1": "measured"})


def test_a_removed_job_is_lost_by_its_state(fleet, generation, hold):
    fleet.submit("--generations", "box1", claims=claims(generation))
    fleet.wait({"box1": "running"}, 30)
    fleet.cluster.run("scancel", fleet.jobs()["box1"])
    fleet.wait({"box1": "lost"}, 30)
    assert fleet.attempts("box1") == []
    assert "was last seen CANCELLED" in fleet.call("status", fleet.folder).stdout


@pytest.mark.parametrize("options, status, message", [
    (["--generations", "box9"], 3, "sinfo: no node has one of the generations"),
    (["--partition", "nowhere"], 3, "sinfo: no node of partition nowhere has one of"),
    (["--shared", "perhaps"], 2, "shared is yes or no, not 'perhaps'"),
    (["--sbatch", "--nonsense"], 1, "box1: not submitted: sbatch: exit status "),
])
def test_bad_settings_are_one_clear_line(fleet, options, status, message):
    done = fleet.call("submit", fleet.build, "-o", fleet.folder, *options)
    assert (done.returncode, message in done.stderr) == (status, True), done.stderr


@pytest.mark.parametrize("name, says", [
    ("SLURM_CONF", "sinfo: exit status 1: sinfo: s_p_parse_file: "),
    ("PATH", "sinfo: cannot be started: ")])
def test_without_a_slurm_that_answers_one_line_says_where_to_begin(fleet, name, says, tmp_path):
    (tmp_path / "nothing").touch()  # as slurm.conf: one that is not there is waited for
    done = fleet.call("submit", fleet.build, "-o", fleet.folder,
                      environment={**fleet.cluster.environment, name: f"{tmp_path}/nothing"})
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1)
    assert done.stderr.startswith(
        "asmsweep-fleet: Slurm cannot be reached from here; begin a fleet where sinfo lists the "
        f"nodes (docs/fleet.md): {says}")
    assert not fleet.folder.exists()


def test_submit_keeps_an_existing_fleet(fleet, generation):
    fleet.submit("--generations", "box1", claims=claims(generation))
    before = (fleet.folder / "fleet.csv").read_bytes()
    done = fleet.call("submit", fleet.build, "-o", fleet.folder)
    assert done.returncode == 2
    assert f"holds a fleet already; ./asmsweep fleet again {fleet.folder} submits" in done.stderr
    assert (fleet.folder / "fleet.csv").read_bytes() == before
    fleet.wait({"box1": "measured"})
    assert len(fleet.attempts("box1")) == 1

# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes that go away in the middle of a job: nothing is lost, nothing is taken twice."""

from cluster import wait_for
from test_fleet import MEASURED, claims

RUNNING = {"box1": "running", "box2": "running", "box3": "running"}


def state(cluster, node):
    return cluster.run("sinfo", "-h", "-N", "-n", node, "-o", "%T").strip()


def is_idle(cluster, node):
    return state(cluster, node) == "idle"


def test_a_node_killed_in_its_job_begins_again_and_nothing_is_lost(fleet, generation, hold):
    fleet.submit(claims=claims(generation))
    fleet.wait(RUNNING, 30)
    job = fleet.jobs()["box2"]
    fleet.cluster.kill_node("n2", job)
    hold.release()
    wait_for("the other two", lambda: list(fleet.status().values()).count("measured") == 2, 60)
    runs, _ = fleet.collect("--no-table")
    assert len(runs.splitlines()) == 2
    assert fleet.attempts("box2") == []
    wait_for("Slurm to miss the node", lambda: "down" in state(fleet.cluster, "n2"), 60)
    fleet.cluster.start_node("n2")
    fleet.wait(MEASURED, 90)
    table, _ = fleet.collect("--format", "markdown")
    assert all(f"labelled {feature}" in table for feature in MEASURED)
    assert fleet.attempts("box2") == [f"{job}-0-1"]
    assert fleet.attempts("box1") == [f"{fleet.jobs()['box1']}-0-0"]
    assert fleet.collected()["box2"]["restart"] == "1"
    wait_for("n2", lambda: is_idle(fleet.cluster, "n2"), 30)


def test_slurmd_alone_killed_gives_two_results_and_the_restart_counts(fleet, generation, hold):
    fleet.submit("--generations", "box3", claims=claims(generation))
    fleet.wait({"box3": "running"}, 30)
    job = fleet.jobs()["box3"]
    _, node = fleet.cluster.job(job)
    other = {"n3": "n4", "n4": "n3"}[node]
    fleet.cluster.wait_for_runner(job)
    fleet.cluster.kill_slurmd(node)
    # The job lives on, and Slurm begins it again on the other node: both wait for the CPU.
    wait_for("the restart elsewhere", lambda: fleet.cluster.job(job) == ("RUNNING", other), 90)
    hold.release()
    wait_for("both results", lambda: len(fleet.attempts("box3")) == 2, 60)
    assert fleet.attempts("box3") == [f"{job}-0-0", f"{job}-0-1"]
    fleet.wait({"box3": "measured"}, 30)
    runs, told = fleet.collect("--no-table")
    assert f"2 results, that of job {job} restart 1 counts" in told
    assert runs == f"{fleet.folder}/results/box3/{job}-0-1/run\n"
    assert fleet.collected()["box3"]["node"] == other
    fleet.cluster.start_node(node)
    wait_for(node, lambda: is_idle(fleet.cluster, node), 30)


def test_without_a_shared_folder_a_lost_node_is_tried_again(fleet, generation, hold):
    fleet.submit("--generations", "box2", "--shared", "no", claims=claims(generation))
    fleet.wait({"box2": "running"}, 30)
    jobs = fleet.cluster.run("squeue", "-h", "-o", "%i").split()
    assert len(jobs) == 1
    fleet.cluster.kill_node("n2", jobs[0])
    hold.release()
    # Slurm gives the job up when the node has been silent for SlurmdTimeout; the carrier does not.
    wait_for("the end of the job", lambda: fleet.cluster.job(jobs[0])[0] != "RUNNING", 60)
    fleet.cluster.start_node("n2")
    fleet.wait({"box2": "measured"}, 90)
    (name,) = fleet.attempts("box2")
    job, _, restart = name.split("-")
    assert int(job) > int(jobs[0])
    assert restart == "1"
    wait_for("n2", lambda: is_idle(fleet.cluster, "n2"), 30)

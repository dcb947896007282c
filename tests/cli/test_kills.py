# SPDX-License-Identifier: GPL-3.0-or-later
"""SIGKILL at random moments: the resumed run has what an undisturbed one has, once and whole.

ASMSWEEP_KILLS says how many. The dice are seeded, the moments they hit are not.
"""

import os
import random
import subprocess
import time
from collections import Counter

from conftest import assert_ended, journal, keys, rows, run, start

KILLS = int(os.environ.get("ASMSWEEP_KILLS", "10"))
BLOCKS, SLICES = 4, 20
SETTINGS = ["--blocks", str(BLOCKS), "--slices", str(SLICES)]


def begun(folder):
    return os.path.exists(os.path.join(folder, "journal"))


def killed_once(build, folder, dice):
    """Start or resume the run; kill it some executions and some milliseconds later.

    Counted in executions, because it may first wait for the core. False if it ended before.
    """
    arguments = ["--resume", "-o", folder] if begun(folder) else [build, "-o", folder, *SETTINGS]
    wanted = len(journal(folder)) + dice.randrange(7)
    process = start(*arguments)
    while process.poll() is None and len(journal(folder)) < wanted:
        time.sleep(0.002)
    try:
        _, errors = process.communicate(timeout=dice.uniform(0, 0.03))
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return True
    assert_ended(process, errors)
    return False


def check_whole(folder):
    """Rows, slices and journal lines all of the same executions, each once."""
    measured = [(row["block"], row["variant"]) for row in rows(folder, "measurements.csv")]
    assert len(set(measured)) == len(measured) == len(journal(folder))
    slices = Counter((row["block"], row["variant"]) for row in rows(folder, "samples.csv"))
    assert slices == {execution: SLICES for execution in measured}
    numbers = [int(row["slice"]) for row in rows(folder, "samples.csv")]
    assert numbers == list(range(SLICES)) * len(measured)


def test_killed_and_resumed_runs_have_the_rows_of_an_undisturbed_one(builds, out, monkeypatch):
    build, scratch = builds("small"), out + ".tmp"
    os.mkdir(scratch)
    monkeypatch.setenv("TMPDIR", scratch)
    assert_ended(run(build, "-o", out + ".undisturbed", *SETTINGS))
    expected = keys(out + ".undisturbed")
    assert len(expected) == BLOCKS * 6
    dice = random.Random(20161130)
    kills, number, lengths = 0, 0, Counter()
    while kills < KILLS:
        folder = f"{out}.{number}"
        number += 1
        while kills < KILLS:
            if not killed_once(build, folder, dice):
                break
            kills += 1
            lengths[len(journal(folder))] += 1
        done = run("--resume", "-o", folder) if begun(folder) else \
            run(build, "-o", folder, *SETTINGS)
        assert_ended(done)
        assert keys(folder) == expected
        check_whole(folder)
    assert not os.listdir(scratch), "a killed run leaves temporary files behind"
    print(f"{kills} kills in {number} runs; executions on disk at the kill: {dict(lengths)}")
    assert len(lengths) > 2, "all kills hit the same place"

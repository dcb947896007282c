# SPDX-License-Identifier: GPL-3.0-or-later
"""SIGKILL at random moments: the resumed run has what an undisturbed one has, once and whole.

ASMSWEEP_KILLS says how many. The delays are parts of what the whole run takes here; they are
seeded, the moments they hit are not.
"""

import os
import random
import subprocess
import time
from collections import Counter

from conftest import ENDED, journal, keys, rows, run, start

KILLS = int(os.environ.get("ASMSWEEP_KILLS", "10"))
BLOCKS, SLICES = 4, 20
SETTINGS = ["--blocks", str(BLOCKS), "--slices", str(SLICES)]


def begun(folder):
    return os.path.exists(os.path.join(folder, "journal"))


def killed_once(build, folder, delay):
    """Start or resume the run and kill it after `delay`; False if it ended before."""
    arguments = ["--resume", "-o", folder] if begun(folder) else [build, "-o", folder, *SETTINGS]
    process = start(*arguments)
    try:
        process.communicate(timeout=delay)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return True
    assert process.returncode in ENDED
    return False


def check_whole(folder):
    """Rows, slices and journal lines all of the same executions, each once."""
    measured = [(row["block"], row["variant"]) for row in rows(folder, "measurements.csv")]
    assert len(set(measured)) == len(measured) == len(journal(folder))
    slices = Counter((row["block"], row["variant"]) for row in rows(folder, "samples.csv"))
    assert slices == {execution: SLICES for execution in measured}
    numbers = [int(row["slice"]) for row in rows(folder, "samples.csv")]
    assert numbers == list(range(SLICES)) * len(measured)


def test_killed_and_resumed_runs_have_the_rows_of_an_undisturbed_one(builds, out):
    build = builds("small")
    began = time.monotonic()
    assert run(build, "-o", out + ".undisturbed", *SETTINGS).returncode in ENDED
    whole = time.monotonic() - began
    expected = keys(out + ".undisturbed")
    assert len(expected) == BLOCKS * 6
    delays = random.Random(20161130)
    kills, number, lengths = 0, 0, Counter()
    while kills < KILLS:
        folder = f"{out}.{number}"
        number += 1
        while kills < KILLS:
            if not killed_once(build, folder, whole * delays.uniform(0.02, 0.98)):
                break
            kills += 1
            lengths[len(journal(folder))] += 1
        done = run("--resume", "-o", folder) if begun(folder) else \
            run(build, "-o", folder, *SETTINGS)
        assert done.returncode in ENDED, done.stderr
        assert keys(folder) == expected
        check_whole(folder)
    print(f"{kills} kills in {number} runs; executions on disk at the kill: {dict(lengths)}")
    assert len(lengths) > 2, "all kills hit the same place"

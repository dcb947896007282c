# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the programs under test are, and how they are called."""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, ROOT]

RESULTS = os.environ.get("ASMSWEEP_RESULTS",
                         os.path.join(ROOT, "build", "programs", "bin", "asmsweep-results"))
NIGHT = os.path.join(os.path.dirname(RESULTS), "asmsweep-night")
PUBLISHED = os.path.join(ROOT, "results", "published")


def call(*arguments, **more):
    return subprocess.run([str(a) for a in arguments], capture_output=True, text=True,
                          timeout=120, **more)

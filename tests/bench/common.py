# SPDX-License-Identifier: GPL-3.0-or-later
"""What the bench's parts share."""

import os
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.path.join(ROOT, "build", "programs", "bin")
PERCENT = 0.5  # half-width to reach


def run(command):
    """Run quietly; what it printed is shown if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"bench: {command[0]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def timed(work):
    """Seconds that calling `work` takes."""
    began = time.monotonic()
    work()
    return time.monotonic() - began

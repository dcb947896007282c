# SPDX-License-Identifier: GPL-3.0-or-later
"""save_fixtures.py OUT_TAR FOLDER: keep what the real perf printed in a boot.

OUT_TAR is out.tar in the work folder of the test guest_linux. For each step under perf
FOLDER gets guest_STEP.txt: its table, or its stderr where perf ended with an error.
"""

import sys
from pathlib import Path

from harness.machine import Outcome


def main() -> int:
    if len(sys.argv) != 3:
        print("usage: save_fixtures.py OUT_TAR FOLDER", file=sys.stderr)
        return 2
    outcome = Outcome(Path(sys.argv[1]).read_bytes(), "")
    for name in outcome.names():
        step = outcome.step(name)
        if "perf stat" in step.command:
            text = step.stderr if step.status != 0 else step.files["perf"]
            Path(sys.argv[2], f"guest_{name}.txt").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

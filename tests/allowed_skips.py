# SPDX-License-Identifier: GPL-3.0-or-later
"""Fails a run of the tests in which something was skipped that tests/allowed-skips does not name.

    allowed_skips.py TESTS.XML [ALLOWED]

TESTS.XML is what ctest --output-junit wrote. A test counts as skipped if all of it was (status
77), or if pytest says so of one of its parts. Nothing but skips is a failure, too. Prints a line
for each objection only, so that CTest's summary stays the last thing to be read. Exit status 0,
1 for an objection, 2 if a file cannot be read.
"""

import os
import re
import shutil
import stat
import subprocess
import sys
import xml.etree.ElementTree as xml

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_PART = re.compile(r"^SKIPPED \[\d+\] (.*)$", re.M)
_WHOLE = re.compile(r"^.*skip.*$", re.M | re.I)


def is_private(path):
    """Does a folder on the way keep other users out?"""
    while path != "/":
        path = os.path.dirname(path)
        if not os.stat(path).st_mode & stat.S_IXOTH:
            return True
    return False


def holds(where):
    """Is this a machine of which `where` speaks?"""
    kind, _, name = where.partition(":")
    if kind == "no" and "/" in name:
        return not os.path.exists(os.path.join(_ROOT, name))
    if kind == "no" and name:
        return shutil.which(name) is None
    if kind == "private" and name:
        return is_private(os.path.join(_ROOT, name))
    if where == "one-cpu":
        return len(os.sched_getaffinity(0)) == 1
    if where == "no-events":
        return subprocess.run(["perf", "stat", "-e", "page-faults", "true"], capture_output=True,
                              check=False).returncode != 0
    if where == "not:root":
        return os.geteuid() != 0
    if where == "always":
        return True
    raise ValueError(f"tests/allowed-skips: '{where}' is not no:NAME, private:PATH, one-cpu, "
                     "no-events, not:root or always")


def read_allowed(path):
    """(test, where) of each row."""
    with open(path, encoding="utf-8") as stream:
        rows = [line.rstrip("\n").split("\t") for line in stream
                if line.strip() and not line.startswith("#")]
    for row in rows:
        if len(row) != 3:
            raise ValueError(f"{path}: '{' '.join(row)}' is not test, where, why with tabs between")
    return [(test, where) for test, where, _ in rows]


def skips(case):
    """The reasons for which a test case, or parts of it, were skipped."""
    output = case.findtext("system-out") or ""
    parts = _PART.findall(output)
    if case.get("status") == "notrun" or case.find("skipped") is not None:
        return parts or _WHOLE.findall(output)[-1:] or ["no reason was printed"]
    return parts


def objections(cases, allowed):
    """One line for each skip that should not be."""
    lines = [f"{case.get('name')}: skipped, and not allowed here: {reason}"
             for case in cases for reason in skips(case)
             if not any(test == case.get("name") and holds(where) for test, where in allowed)]
    if not any(case.get("status") == "run" for case in cases):
        lines.append("no test ran: nothing but skips is no pass")
    return lines


def main(argv):
    try:
        cases = list(xml.parse(argv[1]).getroot().iter("testcase"))
        allowed = read_allowed(argv[2] if len(argv) > 2 else
                               os.path.join(_ROOT, "tests", "allowed-skips"))
        lines = objections(cases, allowed)
    except (OSError, ValueError, xml.ParseError) as problem:
        print(f"allowed_skips: {problem}", file=sys.stderr)
        return 2
    for line in lines:
        print(f"allowed_skips: {line}")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

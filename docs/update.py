#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Renew what the documents quote from the programs.

    docs/update.py            renew in place
    docs/update.py --check    change nothing; status 1 and a line for each that differs

A document holds `<!-- begin: COMMAND -->` ... `<!-- end -->`; what stands between is what COMMAND
prints, run in the project's folder. What a program prints as Markdown goes in as it is, all else
into a block. A command with DIR in it needs a run and is renewed only with `--run DIR`. After
COMMAND may stand `(first N lines)`.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = ["README.md", "docs/reference.md", "docs/example.md"]
_SECTION = re.compile(r"(<!-- begin: (.*?)(?: \(first (\d+) lines\))? -->\n)(.*?)"
                      r"(<!-- end -->\n)", re.S)


def printed(command, lines, run):
    """The section's new text, or None where it is not available."""
    words = [run if word == "DIR" else word for word in shlex.split(command)]
    if None in words:
        return None
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"docs/update.py: {command}: {done.stderr.strip()}")
    text = "\n".join(done.stdout.strip("\n").split("\n")[:lines])
    return f"{text}\n" if text.startswith("|") else f"```\n{text}\n```\n"


def renew(page, run):
    """(old text, new text) of a page."""
    with open(os.path.join(ROOT, page), encoding="utf-8") as stream:
        old = stream.read()

    def replace(section):
        text = printed(section[2], int(section[3]) if section[3] else None, run)
        return section[0] if text is None else section[1] + text + section[5]
    return old, _SECTION.sub(replace, old)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing")
    parser.add_argument("--run", metavar="DIR", help="the run whose table the README shows")
    args = parser.parse_args()
    status = 0
    for page in PAGES:
        old, new = renew(page, os.path.abspath(args.run) if args.run else None)
        if old == new:
            continue
        if args.check:
            print(f"{page}: differs from what the programs print; run docs/update.py")
            status = 1
            continue
        with open(os.path.join(ROOT, page), "w", encoding="utf-8") as stream:
            stream.write(new)
    return status


if __name__ == "__main__":
    sys.exit(main())

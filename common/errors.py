# SPDX-License-Identifier: GPL-3.0-or-later
"""The one error a user may cause.

Every complaint is one line, `file:line: what is wrong; what to do`, so that a
script can cut it and a person can act on it. Only main prints it.
"""

import difflib
import os


class BadInput(Exception):
    """A mistake in a file or on the command line; str() is the line to print."""

    def __init__(self, place, message, remedy=None):
        self.place, self.message, self.remedy = place, message, remedy
        text = f"{place}: {message}" + (f"; {remedy}" if remedy else "")
        super().__init__(" ".join(text.split()))


def place(path, line=None):
    """`path:line`, the path relative to where the user stands if it lies below."""
    path = os.path.abspath(path)
    relative = os.path.relpath(path)
    shown = path if relative.startswith("..") else relative
    return f"{shown}:{line}" if line else shown


def known(name, names):
    """The remedy for an unknown name: the nearest one, then all."""
    names = list(names)
    near = difflib.get_close_matches(str(name), names, n=1)
    listed = ", ".join(names) if names else "none"
    return (f"did you mean {near[0]}? " if near else "") + f"known: {listed}"

# SPDX-License-Identifier: GPL-3.0-or-later
"""The one reason for which a guest test is skipped: a part that is not there."""

import shutil


class MissingPart(Exception):
    """Something the guest needs is not on this machine; the text names the remedy."""


def program(name: str, remedy: str) -> str:
    """The path of a host program, or MissingPart with the remedy."""
    path = shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin")
    if path is None:
        raise MissingPart(f"{name} is missing: {remedy}")
    return path

# SPDX-License-Identifier: GPL-3.0-or-later
"""The system calls that loops may make beside the run-time's own (templates/variant/limits.c)."""

import difflib

from common import lists
from generator.check import check_texts

# What leaves the process group would not be ended with it.
_NEVER = ("setsid", "setpgid")
_MOST = 64  # limits.c has room for them


def declared(file, keys, names):
    """The numbers of the calls that a list of `syscalls` names, sorted."""
    check_texts(file, keys, names)
    known = {name: int(number) for _, (number, name) in lists.rows("syscalls")}
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            raise file.error(keys, f"no system call '{name}'",
                             (f"did you mean {near[0]}? " if near else "")
                             + "man 2 syscalls lists them")
        if name in _NEVER:
            raise file.error(keys, f"'{name}' cannot be allowed",
                             "a loop and all that it starts stay in one process group, "
                             "so that it can be ended")
    if len(names) > _MOST:
        raise file.error(keys, f"{len(names)} system calls are too many", f"at most {_MOST}")
    return sorted(known[name] for name in set(names))

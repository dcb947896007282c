# SPDX-License-Identifier: GPL-3.0-or-later
"""A file written whole or not at all, as common/replace.h does it."""

import contextlib
import os
import stat


def replace_text(path, text):
    """Replace what is at `path`; a link stays one, and what is no regular file is written to."""
    target = os.path.realpath(path)
    if os.path.exists(target) and not stat.S_ISREG(os.stat(target).st_mode):
        with open(target, "w", encoding="utf-8") as stream:
            stream.write(text)
        return
    temporary = f"{target}.{os.getpid()}.new"
    try:
        with open(temporary, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
        os.replace(temporary, target)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise

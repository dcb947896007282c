# SPDX-License-Identifier: GPL-3.0-or-later
"""What a loop asks of its memory, and what besides width a neighbour could take from it.

The numbers are those of templates/variant/variant.h.
"""

import re

MEMORY = ("touched", "untouched", "cold")
PAGES = ("4k", "huge")
WATCH = ("", "cache", "divider", "both")
_BITS = {"untouched": 1, "cold": 2, "huge": 4}

_DIVISION = re.compile(r"(?:^|[;:])\s*v?(i?div|fi?div|f?sqrt|f?idiv)",
                       re.MULTILINE | re.IGNORECASE)
_MEMORY = re.compile(r"(?:^|[;:])\s*\.(pushsection|section|comm|lcomm|bss|data)\b", re.MULTILINE)


def memory_bits(memory, pages):
    """The number of variant_memory."""
    return _BITS.get(memory, 0) | _BITS.get(pages, 0)


def watch_of(loop):
    """Which of WATCH the text of setup, body and teardown needs.

    A loop with memory of its own may be slowed by a neighbour that only waits for memory itself;
    one that divides, by one that keeps the divider busy. Neither shows in the core's width."""
    return WATCH[bool(_MEMORY.search(loop)) + 2 * bool(_DIVISION.search(loop))]

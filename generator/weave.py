# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions that templates may call: repeat instructions, weave lists together.

All are pure and never change between releases of Python (the shuffle has its
own generator), because a variant's bytes must be the same on every machine.
"""

_MOST_ITEMS = 100_000  # of one list; a loop of that many instructions is a mistake


def copies(instruction, count):
    """A list of `count` times the same instruction, or block of several."""
    if not 0 <= int(count) <= _MOST_ITEMS:
        raise ValueError(f"cannot repeat {count} times; 0 to {_MOST_ITEMS} will do")
    return [str(instruction)] * int(count)


def items(block):
    """The lines of a block of text as a list, blank ones and indents dropped."""
    return [line.strip() for line in str(block).splitlines() if line.strip()]


def lines(items, indent=8):
    """The items one a line, as assembly; an empty list leaves nothing."""
    return ("\n" + " " * indent).join(items)


def repeat(instruction, count, indent=8):
    """`lines(copies(instruction, count))`."""
    return lines(copies(instruction, count), indent)


def clustered(lists, seed=0):
    """First all of the first list, then all of the second, ..."""
    return [item for items in lists for item in items]


def alternating(lists, seed=0):
    """One of each in turn; what is left of the longer ones follows."""
    longest = max((len(items) for items in lists), default=0)
    return [items[i] for i in range(longest) for items in lists if i < len(items)]


def spread(lists, seed=0):
    """Each list evenly over the whole length; at a tie the earlier list is first."""
    keyed = [((2 * i + 1) / (2 * len(items)), which, item)
             for which, items in enumerate(lists) for i, item in enumerate(items)]
    return [item for _, _, item in sorted(keyed, key=lambda k: k[:2])]


def shuffle(lists, seed=0):
    """A permutation that depends on nothing but the seed and the lengths."""
    items = clustered(lists)
    state = (int(seed) * 2 + 1) & (2**64 - 1)
    for i in range(len(items) - 1, 0, -1):
        # Knuth's MMIX constants; the upper bits are the good ones.
        state = (state * 6364136223846793005 + 1442695040888963407) & (2**64 - 1)
        j = (state >> 33) % (i + 1)
        items[i], items[j] = items[j], items[i]
    return items


ORDERS = {weave.__name__: weave for weave in (clustered, alternating, spread, shuffle)}


def interleave(order, *lists, seed=1):
    """The lists woven to one in the named order, each list's own order kept
    (except by shuffle)."""
    if order not in ORDERS:
        raise ValueError(f"order '{order}' is none of {', '.join(ORDERS)}")
    return ORDERS[order](lists, seed)


def ending(last, items):
    """The same loop entered elsewhere: rotated so that it ends with its last `last`."""
    if last not in items:
        raise ValueError(f"no '{last}' among the {len(items)} items to end with")
    cut = len(items) - items[::-1].index(last)
    return items[cut:] + items[:cut]


def claim(items):
    """The items as a sequence claim: joined by '; '."""
    return "; ".join(items)


GLOBALS = {function.__name__: function for function in (
    copies, items, lines, repeat, interleave, ending, claim)}

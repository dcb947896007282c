# SPDX-License-Identifier: GPL-3.0-or-later
"""A sweep's questions: the words that the generator checks and the tables obey, and which row of
costs.csv a question takes."""

import re
from fnmatch import fnmatchcase

# What makes a section short: the functions of results/tables/brief.py.
RULES = ("one_row_a_label", "valueless_as_one", "valueless_as_one_alone", "valueless_only",
         "significant_orders", "short_families", "none")


def context_of(row):
    """The context as a dictionary."""
    pairs = (part.partition("=") for part in row["context"].split(";") if part)
    return {key: value for key, _, value in pairs}


def mnemonics(item):
    """The item's instructions in their order, without operands and counts."""
    names = re.split(r"; *|\+", re.sub(r"\d+\*", "", item))
    return [name.split()[0] for name in names if name.split()]


def _like(column):
    return lambda row, globs: any(fnmatchcase(row[column], glob) for glob in globs)


def _all_among(row, words):
    found = mnemonics(row["item"])
    return bool(found) and set(found) <= set(words)


# What a cost must be for a question to take it. All keys of a matcher hold; of a key's values
# one does, but for instructions (they are all of the item's) and has (all are in the item).
_TESTS = {
    "item": _like("item"), "general": _like("general"), "family": _like("family"),
    "not_item": lambda row, globs: not _like("item")(row, globs),
    "method": lambda row, words: row["method"] in words,
    "instructions": _all_among,
    "begins": lambda row, words: mnemonics(row["item"])[:len(words)] == words,
    "has": lambda row, words: set(words) <= set(mnemonics(row["item"])),
    "context": lambda row, keys: not context_of(row).keys().isdisjoint(keys),
    "context_within": lambda row, keys: context_of(row).keys() <= set(keys),
    "without": lambda row, keys: context_of(row).keys().isdisjoint(keys),
}
MATCHER = tuple(_TESTS)
_ANY = dict.fromkeys(("item", "general", "family", "method", "context"), "")


def try_out(matchers):
    """An exception where one of them could take no row at all: an unknown key, no words."""
    for matcher in matchers:
        for key, words in matcher.items():
            _TESTS[key](_ANY, words)
            "".join(words)


def takes(matchers, row):
    """Whether any of the matchers takes the row."""
    return any(all(_TESTS[key](row, words) for key, words in matcher.items())
               for matcher in matchers)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Axes: what a family varies. Lists, ranges {from, to, step}, or one value.

Ranges stay Python ranges, so that a range of 10^12 costs nothing before it is
refused.
"""

import re
from collections import Counter

from generator import weave
from common.errors import known

_IDENTIFIER = re.compile(r"[a-z][a-z0-9_]*")
_VALUE = re.compile(r"[a-z0-9][a-z0-9_]*(-[a-z0-9_]+)*")
_LIMIT = 1 << 31  # of whole numbers: they end up as counts and immediates
_RANGE_KEYS = ("from", "to", "step")
# Names that the wrapper and the functions of templates have.
_RESERVED = ("row", "variant", "counts_in", "program_type", "needs", "syscalls", "iterations",
             "source_template", "range", "inline_setup", "inline_body", "inline_teardown",
             "memory", "watch", "loop", "self", "caller", "syntax", "syntax_left",
             *weave.GLOBALS)


def read(file, keys, table):
    """{axis: list or range of values} from an [axes] table."""
    return {axis: _axis(file, (*keys, axis), axis, values) for axis, values in table.items()}


def override(sweep, keys, table, axes, rows):
    """The family's axes with those values that a sweep gives instead."""
    for axis, values in read(sweep, keys, table).items():
        if axis not in axes:
            raise sweep.error((*keys, axis), f"no axis '{axis}' in this family",
                              known(axis, axes))
        # A template knows the words it was written for; numbers are free.
        if isinstance(axes[axis][0], str):
            for value in values:
                if value not in axes[axis]:
                    raise sweep.error((*keys, axis), f"axis '{axis}' has no value '{value}'",
                                      known(value, axes[axis]))
        elif isinstance(values[0], str):
            raise sweep.error((*keys, axis), f"axis '{axis}' holds the word '{values[0]}'",
                              "its family counts with numbers here")
        axes[axis] = values
        check_rows(sweep, keys, axis, values, rows)
    return axes


def check_rows(file, keys, axis, values, rows):
    """Each value of an axis with [rows] has its row."""
    if axis in rows:
        for value in values:
            if str(value) not in rows[axis]:
                raise file.error((*keys, axis), f"no [rows.{axis}.{value}]",
                                 known(value, rows[axis]))


def check_identifier(file, keys, name, taken=()):
    """A name that templates can use and that hides nothing."""
    if not _IDENTIFIER.fullmatch(name) or name in _RESERVED or name in taken:
        raise file.error(keys, f"'{name}' cannot be the name of an axis or value",
                         "use a-z, 0-9 and _, no axis twice, and none of " + ", ".join(_RESERVED))


def _axis(file, keys, axis, values):
    check_identifier(file, keys, axis)
    values = _range(file, keys, axis, values) if isinstance(values, dict) else \
        _list(file, keys, axis, values if isinstance(values, list) else [values])
    if not values:
        raise file.error(keys, f"axis '{axis}' is empty", "give at least one value")
    if axis == "align_offset" and any(v not in range(64) for v in values[:65]):
        raise file.error(keys, "align_offset lies outside a cache line", "give 0 to 63")
    return values


def _list(file, keys, axis, values):
    flat = []
    for value in values:
        if isinstance(value, dict):
            flat += _range(file, keys, axis, value)[:1_000_001]
        else:
            flat.append(_value(file, keys, axis, value))
    for value, count in Counter(flat).items():
        if count > 1:
            raise file.error(keys, f"axis '{axis}' holds {value} twice", "leave one out")
    if len({isinstance(value, str) for value in flat}) > 1:
        raise file.error(keys, f"axis '{axis}' mixes words and numbers", "use one kind")
    return flat


def _range(file, keys, axis, table):
    for key, value in table.items():
        if key not in _RANGE_KEYS:
            raise file.error(keys, f"unknown key '{key}' in the range of '{axis}'",
                             known(key, _RANGE_KEYS))
        if not isinstance(value, int) or isinstance(value, bool):
            raise file.error(keys, f"'{key}' of axis '{axis}' is {value!r}",
                             "it must be a whole number")
    if "from" not in table or "to" not in table:
        raise file.error(keys, f"the range of '{axis}' has no from or no to",
                         "write { from = 0, to = 32, step = 4 }")
    if table.get("step", 1) < 1 or table["from"] < 0 or table["to"] >= _LIMIT:
        raise file.error(keys, f"the range of '{axis}' cannot be counted up",
                         f"from must be 0 or more, to at most {_LIMIT - 1}, step 1 or more")
    return range(table["from"], table["to"] + 1, table.get("step", 1))


def _value(file, keys, axis, value):
    if isinstance(value, str) and _VALUE.fullmatch(value):
        return value
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LIMIT:
        return value
    raise file.error(keys, f"axis '{axis}' cannot hold {value!r}",
                     f"use whole numbers from 0 to {_LIMIT - 1}, or words of a-z, 0-9, _ and -; "
                     "values = {...} computes others from them")

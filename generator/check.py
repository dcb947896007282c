# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that all tables of a sweep or a family have in common."""

import re

from common.errors import known

NAME = re.compile(r"[a-z0-9_-]+")
LONGEST_LINE = 100  # characters: a line of `list`, a title of tables

_TYPES = {"text": str, "number": int, "list": list, "table": dict, "flag": bool}
_NAMES = {str: "a text", int: "a whole number", list: "a list", dict: "a table",
          bool: "true or false"}


def schema(required="", **keys):
    """{key: (types that its value may have, must it be there)}; a type's name, or several with _
    between, is given the keys that have it."""
    return {key: (tuple(_TYPES[name] for name in names.split("_")), key in required.split())
            for names, listed in keys.items() for key in listed.split()}


def check(file, keys, table, schema):
    """Every key known and of its type, every required key there."""
    if not isinstance(table, dict):
        raise file.error(keys, f"'{keys[-1]}' is not a table", "write it as [[...]] with keys")
    where = ".".join(str(k) for k in keys if not isinstance(k, int)) or "the file"
    for key, value in table.items():
        if key not in schema:
            raise file.error((*keys, key), f"unknown key '{key}' in {where}", known(key, schema))
        types = schema[key][0]
        if not isinstance(value, types) or isinstance(value, bool) != (bool in types):
            raise file.error((*keys, key), f"'{key}' is {value!r}",
                             "it must be " + " or ".join(_NAMES[t] for t in types))
    for key, (_, required) in schema.items():
        if required and key not in table:
            raise file.error(keys, f"no '{key}' in {where}", f"add {key} = ...")


def check_line(file, keys, text, what):
    """A summary or a title: it stands where one line has room."""
    if len(text) > LONGEST_LINE or len(text.splitlines()) > 1:
        raise file.error(keys, f"the {what} is more than a line of {LONGEST_LINE} characters",
                         "shorten it; what else there is to say may be a comment")


def check_texts(file, keys, values, allowed=None):
    """A list of texts, each one of those allowed."""
    for value in values:
        if not isinstance(value, str):
            raise file.error(keys, f"'{keys[-1]}' holds {value!r}", "write texts in quotes")
        if allowed is not None and value not in allowed:
            raise file.error(keys, f"'{keys[-1]}' cannot hold '{value}'", known(value, allowed))


def check_name(file, keys, name, what):
    if not NAME.fullmatch(name):
        raise file.error(keys, f"{what} '{name}' is not a plain name",
                         "use a-z, 0-9, _ and - only")
    return name

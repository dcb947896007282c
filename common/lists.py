# SPDX-License-Identifier: GPL-3.0-or-later
"""The row lists common/*.def for Python: what C includes is read here from the same lines.

Each function returns tuples with named fields, in the order of the list. A row that is not of
its list's form is BadInput naming file and line.
"""

import functools
import os
import re
from collections import namedtuple

from common.errors import BadInput, place

_HERE = os.path.dirname(os.path.abspath(__file__))
_CODE = re.compile(r'(?:[^"/\n]|"(?:[^"\\]|\\.)*"|/(?!/))*')  # a line but for its comment
_ROW = re.compile(r"([A-Z]\w*)\((.*)\)", re.S)
_FIELD = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*)|([^",]*[^",\s]))\s*(,|$)')


# `later`: files of older versions lack the column. `unit` is "" for none.
Column = namedtuple("Column", "name type unit later")
Status = namedtuple("Status", "name keeps_value retry mark meaning")
Method = namedtuple("Method", "name letter meaning")


def _logical_lines(path):
    """(line number, text) of each row or #define: a row ends where its brackets close."""
    held, first = "", 0
    with open(path, encoding="utf-8") as stream:
        for number, line in enumerate(stream, 1):
            if not held and (not line.strip() or line.lstrip().startswith("//")):
                continue
            first = first if held else number
            held += _CODE.match(line)[0].rstrip()
            if held.endswith("\\"):
                held = held[:-1]
            elif held.startswith("#") or held.count("(") <= held.count(")"):
                yield first, held
                held = ""
    if held:
        yield first, held


def _fields(text, path, line):
    found, at = [], 0
    while at < len(text):
        field = _FIELD.match(text, at)
        if not field:
            raise BadInput(place(path, line), f"no row of a list: {text.strip()[:60]}",
                           'fields are words, or texts in "", with commas between')
        quoted, word, at = field[1], field[2], field.end()
        found.append("".join(re.findall(r'"((?:[^"\\]|\\.)*)"', quoted)).replace('\\"', '"')
                     if quoted else {"true": True, "false": False}.get(word, word))
    return found


@functools.cache
def rows(name, kind=None):
    """(macro, fields) of each row of common/NAME.def or of a .def's path; `kind`: a class whose
    fields they must have, then a tuple of those."""
    path = name if name.endswith(".def") else os.path.join(_HERE, f"{name}.def")
    found = []
    for line, text in _logical_lines(path):
        row = _ROW.fullmatch(text.strip())
        if text.startswith("#") and not kind:
            continue
        if not row:
            raise BadInput(place(path, line), f"no row of a list: {text.strip()[:60]}",
                           "a row is NAME(FIELD, ...)")
        fields = _fields(row[2], path, line)
        if kind and len(fields) != len(kind._fields):
            raise BadInput(place(path, line), f"{len(fields)} fields",
                           f"a row has {', '.join(kind._fields)}")
        found.append(kind(*fields) if kind else (row[1], tuple(fields)))
    return tuple(found)


@functools.cache
def _macros(path):
    """Each #define of columns.def as (line, [(macro, fields)])."""
    found = {}
    for line, text in _logical_lines(path):
        head = re.match(r"#define (\w+)\([^)]*\)(.*)", text, re.S)
        if not head:
            raise BadInput(place(path, line), "no list of columns", "see the head of the file")
        found[head[1]] = [(row[1], _fields(row[2], path, line))
                          for row in re.finditer(r"([A-Z]+)\(([^)]*)\)", head[2])]
    return found


@functools.cache
def columns(file, path=os.path.join(_HERE, "columns.def")):
    """The columns of FILE.csv."""
    macros, found = _macros(path), []
    if f"COLUMNS_{file}" not in macros:
        raise BadInput(place(path), f"no file {file}", "the #define COLUMNS_... are the files")
    for macro, fields in macros[f"COLUMNS_{file}"]:
        some = macros.get(f"KEYS_{fields[-1]}") if macro == "KEYS" else [(macro, fields)]
        for kind, parts in some or [("", [])]:
            if kind not in ("COLUMN", "LATER") or len(parts) != 4:
                raise BadInput(place(path), f"{file}: {macro}({', '.join(map(str, fields))})",
                               "a column is COLUMN(file, name, type, unit)")
            _, name, sort, unit = parts
            found.append(Column(name, sort, "" if unit == "none" else unit, kind == "LATER"))
    return tuple(found)


def names(file):
    """The names of the columns of FILE.csv."""
    return tuple(column.name for column in columns(file))


def former_names():
    """{what an older version called a column: its name of today}."""
    return {fields[1]: fields[0] for _, fields in rows("renamed")}


statuses = functools.partial(rows, "statuses", Status)
methods = functools.partial(rows, "methods", Method)


def margin(name):
    """A number of margins.def."""
    return next(float(fields[1]) for _, fields in rows("margins") if fields[0] == name)

# SPDX-License-Identifier: GPL-3.0-or-later
"""What a sweep says beside its loops: the questions and words of its tables, and which costs are
differences of two loops. It becomes sweep.json, which the tables read, and differences.csv.

SHARED is the vocabulary. A sweep that is `like` another has that one's, where it says nothing
itself.
"""

import json
import os
import re

from generator.check import check, check_line, check_name, check_texts, schema
from generator.tomlfile import TomlFile, sweep_names
from common import lists
from common.errors import known
from common.questions import MATCHER, RULES, context_of

SHARED = schema(text="title", list="question difference generation",
                table="beside phrases plots")
_QUESTION = schema("title take", text="title none", list="take short hide", flag="titled")
_MATCHER = schema(list=" ".join(MATCHER))
_DIFFERENCE = schema("item minuend subtrahend", text="item missing", list="minuend but",
                     table="where subtrahend")
_METHODS = [method.name for method in lists.methods()]
_GENERATION = schema("general", text="general heading")
_PLOTS = schema(table="map")
_MAP = schema("title take", text="title", list="take")
_FIELD = re.compile(r"\{([^{}]*)\}")


def read(file, templates, loops):
    """The checked SHARED of a sweep's file, and the other files that were read for it."""
    common = TomlFile(os.path.join(templates, "phrases.toml"))
    found, files = {"phrases": phrases(common, (), common.data)}, [common.path]
    for loop in loops:
        found["phrases"].update(loop.phrases)
    if "like" in file.data:
        other = _other(file, templates)
        files.append(other.path)
        _add(found, other)
        # Of the other's families some may not be here.
        found["difference"] = [{**row, "optional": True} for row in found.get("difference", [])]
    _add(found, file)
    return found, files


def _other(file, templates):
    name, names = file.data["like"], sweep_names(templates)
    if name not in names:
        raise file.error(("like",), f"no sweep '{name}'", known(name, names))
    other = TomlFile(os.path.join(templates, "sweeps", name + ".toml"))
    if "like" in other.data:
        raise file.error(("like",), f"{name} is like another sweep itself",
                         f'write like = "{other.data["like"]}"')
    return other


def _add(found, file):
    """Check what a file has of SHARED, and put it over what was found before."""
    data = {key: file.data[key] for key in SHARED if key in file.data}
    check(file, (), data, SHARED)
    check_line(file, ("title",), data.get("title", ""), "title")
    check_texts(file, ("beside",), data.get("beside", {}).values())
    for key, one in (("question", _question), ("difference", _difference),
                     ("generation", lambda *place: check(*place, _GENERATION))):
        for index, table in enumerate(data.get(key, [])):
            one(file, (key, index), table)
    plots = data.get("plots", {})
    check(file, ("plots",), plots, _PLOTS)
    if "map" in plots:
        check(file, ("plots", "map"), plots["map"], _MAP)
        _matchers(file, ("plots", "map", "take"), plots["map"]["take"])
    own = phrases(file, ("phrases",), data.get("phrases", {}))
    found.update(data, phrases={**found["phrases"], **own})


def _question(file, keys, table):
    check(file, keys, table, _QUESTION)
    check_line(file, (*keys, "title"), table["title"], "title")
    check_texts(file, (*keys, "short"), table.get("short", []), RULES)
    check_texts(file, (*keys, "hide"), table.get("hide", []))
    _matchers(file, (*keys, "take"), table["take"])


def _matchers(file, keys, matchers):
    for matcher in matchers:
        check(file, keys, matcher, _MATCHER)
        for key, values in matcher.items():
            check_texts(file, (*keys, key), values, _METHODS if key == "method" else None)
    if not all([matchers, *matchers]):
        raise file.error(keys, "'take' takes every cost or none",
                         'write take = [{ item = ["..."] }] or with other keys')


def _difference(file, keys, table):
    check(file, keys, table, _DIFFERENCE)
    needed = [*table["minuend"], *table.get("where", {})]
    for key in ("minuend", "but"):
        check_texts(file, (*keys, key), table.get(key, []))
    for key in ("where", "subtrahend"):
        check_texts(file, (*keys, key), table.get(key, {}).values())
    if not table["subtrahend"]:
        raise file.error((*keys, "subtrahend"), "'subtrahend' is empty",
                         'write subtrahend = { KEY = "VALUE of the context" }')
    check_texts(file, (*keys, "item"), _FIELD.findall(table["item"]), needed)


def phrases(file, keys, table):
    """A checked [phrases] table: {key of the context: {value, or "" for any other: text}}."""
    for key, texts in table.items():
        check_name(file, (*keys, key), key, "the key of a context")
        if not isinstance(texts, dict):
            raise file.error((*keys, key), f"'{key}' is {texts!r}",
                             'write { VALUE = "...", "" = "... {} ..." }')
        check_texts(file, (*keys, key), texts.values())
        for text in texts.values():
            if _FIELD.sub("", text).strip("{}") != _FIELD.sub("", text) or \
                    set(_FIELD.findall(text)) - {""}:
                raise file.error((*keys, key), f"'{text}' is no phrase",
                                 "write {} where the value stands, and no other brace")
    return table


def sweep_json(sweep):
    """The text of sweep.json."""
    told = sweep.shared
    return json.dumps({
        "sweep": sweep.name, "summary": sweep.summary, "toml": sweep.toml,
        "title": told.get("title", sweep.summary), "beside": told.get("beside", {}),
        "questions": [{"short": [], "titled": False, "hide": [], **question}
                      for question in told.get("question", [])],
        "phrases": told["phrases"], "generations": told.get("generation", []),
        "plots": told.get("plots", {}),
        **({"answers": sweep.answers} if sweep.answers else {})}, indent=1) + "\n"


def differences(sweep, variants):
    """The rows of differences.csv: names of variants."""
    rows = []
    loops = [(variant.row, context_of(variant.row)) for variant in variants]
    for index, told in enumerate(sweep.shared.get("difference", [])):
        found = [_row(told, loops, *loop) for loop in loops if _is_minuend(told, loop[1])]
        if not found and not told.get("optional"):
            raise sweep.file.error(("difference", index), "no variant is the minuend of "
                                   f"'{told['item']}'", "its context must have the keys of "
                                   "minuend, and not the values of subtrahend")
        rows += found
    return rows


def _is_minuend(told, context):
    return all(key in context for key in told["minuend"]) and \
        told.get("where", {}).items() <= context.items() and \
        not told["subtrahend"].items() <= context.items()


def _row(told, loops, row, context):
    but = {*told.get("but", []), *told["subtrahend"]}

    def around(other):
        return {key: value for key, value in other.items() if key not in but}
    # Of its own family, or another loop of the sweep's own.
    found = [other for other, of in loops
             if told["subtrahend"].items() <= of.items() and around(of) == around(context)]
    found.sort(key=lambda other: other["family"] != row["family"])
    subtrahend = found[0]["variant"] if found else ""
    return {"item": _FIELD.sub(lambda field: context[field[1]], told["item"]),
            "minuend": row["variant"], "subtrahend": subtrahend,
            "missing": told.get("missing", "the sweep has no loop to subtract")}

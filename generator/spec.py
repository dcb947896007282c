# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads sweeps and families: checks every key, leaves nothing to guess later.

SWEEP, ENTRY, LOOP and FAMILY below are the whole vocabulary; a key that is not
in them is refused with its line and the known ones.
"""

import os
import re
from dataclasses import dataclass, field

from generator import axes as axes_of, shared, syscalls, targets
from generator.check import check, check_line, check_name, check_texts, schema
from generator.environment import Condition, Text
from generator.instruction import toml as instructions
from common.errors import BadInput, known, place
from generator.tomlfile import TomlFile, sweep_names

DEFAULT_LIMIT = 20_000
MOST_EVENTS = 12  # REQUEST_MAX_EVENTS of runner/run/request.h
# A comma stands between slashes only.
_EVENT = re.compile(r"(?=.{1,63}$)(?:[!-+\-.0-:<-~]|/[!-.0-:<-~]*/)+")

_LOOP_COMMON = schema(text="needs group order excludes_chain counter memory pages target program",
                      text_number="groups iterations", list="conditions syscalls",
                      table="axes rows values claims context phrases")
FAMILY = {**_LOOP_COMMON, **schema("summary group", text="summary like group")}
LOOP = {**_LOOP_COMMON, **schema("name body", text="name body setup teardown summary")}
ENTRY = schema("name", text="name", number="iterations", list="conditions", table="axes")
SWEEP = {**schema("summary", text="summary name like", number="limit",
                  list="duplicates family loop instruction events syscalls"), **shared.SHARED}
CLAIMS = schema(text="mix sequence", text_number="bytes retired")
COMMON_AXES = {"align_offset": [0]}


@dataclass
class Loop:
    """A family as one sweep uses it: axes chosen, every text compiled.

    texts holds needs, group, groups, order, iterations, excludes_chain, counter, memory,
    pages, program, the claims as claims.mix and so on, and for an inline loop setup, body,
    teardown.
    """
    name: str
    file: TomlFile
    keys: tuple
    axes: dict
    rows: dict
    conditions: list
    template: str
    texts: dict = field(default_factory=dict)
    values: dict = field(default_factory=dict)
    context: dict = field(default_factory=dict)
    phrases: dict = field(default_factory=dict)
    syscalls: list = field(default_factory=list)  # numbers of what its loops may call
    target: str = "x86"  # what runs it: a program of its own, or the kernel (targets.py)

    @property
    def source(self):
        """What the generated .s names as its origin."""
        return self.template if not self.keys else os.path.basename(self.file.path)


@dataclass
class Sweep:
    name: str
    summary: str
    file: TomlFile
    limit: int
    duplicates: list
    loops: list
    toml: str = ""  # absolute path of a user's own file; "": one of the project's
    shared: dict = field(default_factory=dict)  # what tables and differences read (shared.py)
    files: list = field(default_factory=list)  # read for it, beside its own and the families'
    events: list = field(default_factory=list)  # perf's names of what else to count
    answers: list = field(default_factory=list)  # of [[instruction]] (instruction/expand.py)


def families(templates):
    """Names of all family folders, sorted."""
    folder = os.path.join(templates, "families")
    found = os.listdir(folder) if os.path.isdir(folder) else []
    return sorted(n for n in found if os.path.exists(os.path.join(folder, n, "family.toml")))


def sweep_path(name, templates):
    """Path of a sweep given by name, or by the path of a user's own file."""
    if name.endswith(".toml") or os.sep in name:
        if not name.endswith(".toml"):
            raise BadInput(place(name), "is no sweep", "give a name or the path of a .toml file")
        _check_path(os.path.abspath(name))
        return name
    folder, names = os.path.join(templates, "sweeps"), sweep_names(templates)
    if name not in names:
        raise BadInput(place(folder), f"no sweep '{name}'", known(name, names))
    return os.path.join(folder, name + ".toml")


def _check_path(path):
    """It becomes a line of a generated source and a cell of the plan: UTF-8 on one line."""
    for character in path:
        if len(f"a{character}a".splitlines()) > 1 or "\ud800" <= character <= "\udfff":
            raise BadInput(place(path), f"its path holds {character!a}",
                           "rename the file or its folder")


def _name(file):
    """What the sweep is called: its `name`, else made from the file's."""
    stem = os.path.basename(file.path)[:-5].lower()
    name = file.data.get("name", re.sub(r"[^a-z0-9_-]+", "_", stem).strip("_") or "-")
    return check_name(file, ("name",), name, "the sweep's name")


def sweep_name(path):
    """The name of the sweep in a file, of which nothing else is checked."""
    file = TomlFile(path)
    check(file, ("name",), {"name": file.data.get("name", "")}, {"name": SWEEP["name"]})
    return _name(file)


def load_sweep(env, path, templates):
    """The Sweep of a file."""
    file = TomlFile(path)
    check(file, (), file.data, SWEEP)
    check_line(file, ("summary",), file.data["summary"], "summary")
    name = _name(file)
    check_texts(file, ("duplicates",), file.data.get("duplicates", []))
    limit = file.data.get("limit", DEFAULT_LIMIT)
    if limit < 1:
        raise file.error(("limit",), f"limit {limit} allows nothing", "give 1 or more")
    loops = [_family(env, file, i, entry, templates)
             for i, entry in enumerate(file.data.get("family", []))]
    loops += [_inline(env, file, ("loop", i), entry)
              for i, entry in enumerate(file.data.get("loop", []))]
    made = instructions.read(file)
    loops += [_inline(env, file, keys, entry) for keys, entry in made.loops]
    if not loops and not made.answers:
        raise file.error((), "the sweep is empty", "add a [[family]], [[loop]] or [[instruction]]")
    everywhere = syscalls.declared(file, ("syscalls",), file.data.get("syscalls", []))
    for loop in loops:
        loop.syscalls = sorted({*loop.syscalls, *everywhere})
    own = "" if _is_the_projects(path, templates) else os.path.abspath(path)
    told, files = shared.read(file, templates, loops)
    return Sweep(name, " ".join(file.data["summary"].split()), file, limit,
                 file.data.get("duplicates", []), loops, own, told, files, _events(file),
                 made.answers)


def _events(file):
    """The sweep's own events; whether perf knows them shows where it runs."""
    events = file.data.get("events", [])
    check_texts(file, ("events",), events)
    for number, event in enumerate(events):
        if not _EVENT.fullmatch(event):
            raise file.error(("events",), f"'{event}' is no name of an event",
                             "perf list names them; one text each")
        if event in events[:number]:
            raise file.error(("events",), f"'{event}' is there twice", "leave one out")
    if len(events) > MOST_EVENTS:
        raise file.error(("events",), f"{len(events)} events are too many",
                         f"at most {MOST_EVENTS} are counted in one run")
    return events


def _is_the_projects(path, templates):
    """Whether a sweep is found by its name, wherever the user stands."""
    return os.path.realpath(os.path.dirname(path)) == os.path.realpath(
        os.path.join(templates, "sweeps"))


def load_family(name, templates, above=()):
    """The checked TomlFile of a family folder; `above`: the families that are like it."""
    file = TomlFile(os.path.join(templates, "families", name, "family.toml"))
    base = file.data.get("like")
    if isinstance(base, str):
        if base in (name, *above) or base not in families(templates):
            raise file.error(("like",), f"family {name} cannot be like '{base}'",
                             "name another family, and none that is like this one")
        other = load_family(base, templates, (name, *above))
        file.bases = [other.path, *other.bases]
        _take_over(file.data, other.data)
    check(file, (), file.data, FAMILY)
    check_line(file, ("summary",), file.data["summary"], "summary")
    return file


def _take_over(data, base):
    """What a family leaves out is as in the one it is like; so is each key of these tables."""
    for key in ("values", "context", "claims", "rows", "phrases"):
        if isinstance(own := data.get(key, {}), dict):
            data[key] = {**own, **base.get(key, {}), **own}  # its own keys first
    for key, value in base.items():
        data.setdefault(key, value)


def family_alone(env, name, templates):
    """A Sweep of one family with all its own values."""
    check_name_known(name, templates, lambda m, r: BadInput(place(templates), m, r))
    loop = _family_loop(env, name, templates)
    return Sweep(name, loop.file.data["summary"], loop.file, DEFAULT_LIMIT, [], [loop])


def check_name_known(name, templates, error):
    if name not in families(templates):
        raise error(f"no family '{name}'", known(name, families(templates)))


def _family_loop(env, name, templates):
    file = load_family(name, templates)
    return _loop(env, file, (), file.data, name, f"families/{name}/loop.s.j2")


def _family(env, sweep, index, entry, templates):
    keys = ("family", index)
    check(sweep, keys, entry, ENTRY)
    name = check_name(sweep, (*keys, "name"), entry["name"], "the family's name")
    check_name_known(name, templates, lambda m, r: sweep.error((*keys, "name"), m, r))
    loop = _family_loop(env, name, templates)
    loop.axes = axes_of.override(sweep, (*keys, "axes"), entry.get("axes", {}), loop.axes,
                                 loop.rows)
    loop.conditions += _conditions(env, sweep, keys, entry)
    if "iterations" in entry:
        loop.texts["iterations"] = _text(env, sweep, (*keys, "iterations"), entry["iterations"])
    return loop


def _inline(env, file, keys, entry):
    check(file, keys, entry, LOOP)
    name = check_name(file, (*keys, "name"), entry["name"], "the loop's name")
    template = "inline_bpf" if targets.of(file, keys, entry) == "bpf" else "inline"
    loop = _loop(env, file, keys, entry, name, f"variant/{template}.s.j2")
    for block in ("setup", "body", "teardown"):
        loop.texts[block] = _text(env, file, (*keys, block), entry.get(block, ""), block=True)
    loop.texts.setdefault("group", _text(env, file, (*keys, "name"), name))
    return loop


def _loop(env, file, keys, data, name, template):
    """What family.toml and an inline loop have in common."""
    rows = _rows(file, keys, data.get("rows", {}))
    axes = axes_of.read(file, (*keys, "axes"), data.get("axes", {}))
    for axis in rows:
        axes.setdefault(axis, list(rows[axis]))
        axes_of.check_rows(file, (*keys, "axes"), axis, axes[axis], rows)
    for axis, values in COMMON_AXES.items():
        axes.setdefault(axis, values)
    loop = Loop(name, file, keys, axes, rows, _conditions(env, file, keys, data), template,
                target=targets.of(file, keys, data))
    loop.phrases = shared.phrases(file, (*keys, "phrases"), data.get("phrases", {}))
    loop.syscalls = syscalls.declared(file, (*keys, "syscalls"), data.get("syscalls", []))
    for key in ("needs", "group", "groups", "order", "iterations", "excludes_chain", "counter",
                "memory", "pages", "program"):
        if key in data:
            loop.texts[key] = _text(env, file, (*keys, key), data[key])
    claims = data.get("claims", {})
    check(file, (*keys, "claims"), claims, CLAIMS)
    for key, text in claims.items():
        loop.texts["claims." + key] = _text(env, file, (*keys, "claims", key), text)
    for part, into in (("values", loop.values), ("context", loop.context)):
        for key, text in data.get(part, {}).items():
            if part == "values":
                axes_of.check_identifier(file, (*keys, part, key), key, axes)
            else:
                check_name(file, (*keys, part, key), key, "the name in context")
            into[key] = _text(env, file, (*keys, part, key), text)
    return loop


def _rows(file, keys, rows):
    """[rows.AXIS] tables: facts that belong to one value of an axis."""
    for axis, table in rows.items():
        if not isinstance(table, dict) or not all(isinstance(r, dict) for r in table.values()):
            raise file.error((*keys, "rows", axis), f"rows.{axis} is not a table of tables",
                             f"write [rows.{axis}.VALUE] with keys")
    return rows


def _conditions(env, file, keys, data):
    found = []
    for text in data.get("conditions", []):
        if not isinstance(text, str):
            raise file.error((*keys, "conditions"), f"condition {text!r} is not a text",
                             "write an expression in quotes")
        found.append(Condition(env, text, file.path, file.line(*keys, "conditions")))
    return found


def _text(env, file, keys, value, block=False):
    what = ".".join(str(k) for k in keys if not isinstance(k, int))
    if not isinstance(value, (str, int)) or isinstance(value, bool):
        raise file.error(keys, f"'{what}' is {value!r}", "it must be a text or a number")
    line = file.line(*keys)
    if block:  # a multi-line string begins on the line after its quotes
        line = file.block_line(*keys)
    return Text(env, str(value), file.path, line, what)

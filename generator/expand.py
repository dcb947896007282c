# SPDX-License-Identifier: GPL-3.0-or-later
"""From a sweep to its variants: names, claims and source text, in build order.

Everything is made in memory and every complaint comes from here or earlier, so
that emit has nothing left to refuse.
"""

import fnmatch
import itertools
import math
import os
import re
import shlex
from dataclasses import dataclass

from generator import claims, surroundings, targets
from generator.environment import guard
from common.errors import BadInput, place
from generator.spec import COMMON_AXES

NEEDS = ("none", "iopl", "cpl0")
CHAINS = ("", "add", "rol", "imul")
# Instructions of a bare run when a family does not say: about a second.
_ABOUT_A_SECOND = 4_000_000_000
_LONGEST_NAME = 84  # "src/NAME.duplicate.s" fits into the 100 bytes of a name in a bundle
_MOST_ITERATIONS = 200_000_000
_SYNTAX = re.compile(r"(?:^|[;:])[ \t]*(\.(?:intel|att)_syntax\b[^;#\n]*)",
                     re.MULTILINE | re.IGNORECASE)


@dataclass
class Variant:
    """One row of variants.csv and the text of its .s."""
    row: dict
    text: str

    @property
    def name(self):
        return self.row["variant"]


def expand(env, sweep):
    """All Variants of a sweep."""
    variants = originals(env, sweep)
    return variants + duplicates(sweep, variants)


def originals(env, sweep):
    """The Variants of a sweep without its A/A duplicates."""
    budget = 10 * sweep.limit
    for loop in sweep.loops:
        count = math.prod(len(values) for values in loop.axes.values())
        if count > budget:
            raise loop.file.error(
                (*loop.keys, "axes"), f"the axes of {loop.name} multiply to {count} variants, the "
                f"limit of sweep {sweep.name} is {sweep.limit}",
                f"narrow an axis, or set limit = {count} in {sweep.file.path}")
    variants, seen = [], set()
    for loop in sweep.loops:
        template, first = _template(env, loop), len(variants)
        for values in _combinations(loop):
            variant = _variant(loop, template, sweep, values)
            if variant.name in seen:
                raise sweep.file.error(loop.keys, f"variant '{variant.name}' comes twice",
                                       "give one entry another name or other axis values")
            seen.add(variant.name)
            variants.append(variant)
            if len(variants) > sweep.limit:
                raise sweep.file.error(("limit",), f"sweep {sweep.name} has over {sweep.limit} "
                                       "variants, its limit", "narrow an axis, or raise limit")
        _separate(loop, [variant.row for variant in variants[first:]])
        if not any(v.row["family"] == loop.name for v in variants):
            raise loop.file.error((*loop.keys, "conditions"),
                                  f"no combination of {loop.name} meets the conditions",
                                  "loosen a condition or widen an axis")
    return variants


def _template(env, loop):
    with guard(loop.file.path, loop.file.line(*loop.keys), f"family {loop.name}"):
        return env.get_template(loop.template)


def _combinations(loop):
    names = list(loop.axes)
    for chosen in itertools.product(*loop.axes.values()):
        values = dict(zip(names, chosen))
        values["row"] = {axis: table[str(values[axis])] for axis, table in loop.rows.items()}
        for name, text in loop.values.items():
            rendered = text.render(values).strip()
            values[name] = int(rendered) if rendered.isascii() and rendered.isdigit() else rendered
        if all(condition.holds(values) for condition in loop.conditions):
            yield values


def _name(loop, values):
    """Family, then each axis: words as they are, numbers behind the axis' name."""
    parts = [loop.name]
    for axis in loop.axes:
        value = values[axis]
        if axis in COMMON_AXES and value == COMMON_AXES[axis][0]:
            continue
        parts.append(value if isinstance(value, str) else f"{axis}{value}")
    return ".".join(parts)


def _variant(loop, template, sweep, values):
    name = _name(loop, values)
    if len(name) > _LONGEST_NAME:
        raise loop.file.error(loop.keys, f"variant '{name[:40]}...' has a name of {len(name)} "
                              f"characters", f"shorten it to {_LONGEST_NAME}")
    row = {"sweep": sweep.name, "family": loop.name, "variant": name,
           "parameters": ";".join(f"{axis}={values[axis]}" for axis in loop.axes)}
    counter = claims.KERNEL_COUNTER if loop.target == "bpf" else \
        _one_of(loop, "counter", values, claims.PROCESS_COUNTERS)
    row.update(_claims(loop, values, counter))
    row["needs"] = _one_of(loop, "needs", values, NEEDS)
    row["memory"] = _one_of(loop, "memory", values, surroundings.MEMORY)
    row["pages"] = _one_of(loop, "pages", values, surroundings.PAGES)
    row["excludes_chain"] = _one_of(loop, "excludes_chain", values, CHAINS)
    row["order"] = _short(loop, "order", values, "fixed")
    row["group"] = _short(loop, "group", values, loop.name)
    row["groups"] = _number(loop, "groups", values, 1, 1)
    row["context"] = _context(loop, values, counter)
    row["address_claimed"] = values["align_offset"]
    if loop.target == "bpf" and values["align_offset"]:
        raise loop.file.error((*loop.keys, "axes"), "the kernel chooses where a program lies",
                              "leave the axis align_offset out")
    if loop.target == "bpf":
        row["address_claimed"] = row["retired_expected"] = ""
    retired = float(row["retired_expected"] or 100)
    default = max(1000, min(_MOST_ITERATIONS, int(_ABOUT_A_SECOND / retired)))
    row["iterations"] = _number(loop, "iterations", values, default, 1)
    if row["iterations"] >= 1 << 31:
        raise _wrong(loop, "iterations", f"{row['iterations']} does not fit the 32-bit counter",
                     "give less than 2^31")
    row["duplicate_of"] = ""
    row["source"] = f"src/{row['variant']}.s"
    row["events"] = ",".join(sweep.events)
    row["watch"] = ""
    row["target"] = loop.target
    text = _render(loop, template, values, row, counter)
    if loop.target == "bpf":
        return Variant(row, text)
    row["watch"] = surroundings.watch_of(text.partition("loop_setup:")[2]
                                         .partition("loop_teardown_end:")[0])
    if row["watch"]:
        text = _render(loop, template, values, row, counter)
    return Variant(row, text)


def _context(loop, values, counter):
    """`k=v;k=v`; a key whose value comes out empty does not concern this variant. A count in
    memory takes some cycles, which a short body does not hide."""
    found = {key: text.render(values).strip() for key, text in loop.context.items()}
    if counter == "memory":
        found.setdefault("counter", counter)
    return ";".join(f"{key}={value}" for key, value in found.items() if value)


def _separate(loop, rows):
    """Put the axes into the context that would else be pooled: loops that differ in nothing that
    costs are told apart by. What a text of the context names is the user's choice."""
    alike = {}
    for row in rows:
        key = tuple(row[name] for name in ("group", "groups", "mix", "order", "context"))
        values = dict(item.split("=", 1) for item in row["parameters"].split(";"))
        alike.setdefault(key, []).append(values)
    told = " ".join((*loop.context, *(text.text for text in loop.context.values())))
    axes = [axis for axis in loop.axes if not re.search(rf"\b{axis}\b", told) and
            any(len({values[axis] for values in found}) > 1 for found in alike.values())]
    for row in rows:
        values = dict(item.split("=", 1) for item in row["parameters"].split(";"))
        added = (f"{axis}={values[axis]}" for axis in axes)
        row["context"] = ";".join(filter(None, (row["context"], *added)))


def _claims(loop, values, counter):
    """mix, sequence, bytes and retired of the whole loop; empty where not claimed."""
    texts = {key: loop.texts["claims." + key].render(values)
             for key in ("mix", "sequence", "bytes", "retired") if "claims." + key in loop.texts}
    row = {"mix": "", "sequence": "", "retired_expected": "", "bytes_claimed": ""}
    with guard(loop.file.path, loop.file.line(*loop.keys, "claims"), f"claims of {loop.name}"):
        if "sequence" in texts:
            sequence = claims.sequence(texts["sequence"])
            row["sequence"] = claims.sequence_text(sequence, counter)
            mix = claims.mix_of(sequence)
        if "mix" in texts:
            mix = claims.mix(texts["mix"])
        if row["sequence"] or "mix" in texts:
            row["mix"] = claims.mix_text(mix)
            row["retired_expected"] = str(sum(mix.values()) + 2)
        if "bytes" in texts:
            row["bytes_claimed"] = claims.loop_bytes(claims.number(texts["bytes"], "bytes"),
                                                     counter)
        if "retired" in texts:
            whole, _, part = claims.decimal(texts["retired"], "retired").partition(".")
            part = part.rstrip("0")
            row["retired_expected"] = f"{int(whole) + 2}" + (f".{part}" if part else "")
    return row


def _render(loop, template, values, row, counter):
    blocks = {f"inline_{block}": loop.texts[block].render(values).rstrip()
              for block in ("setup", "body", "teardown") if block in loop.texts}
    given = {
        **values, **blocks, "variant": row["variant"], "iterations": row["iterations"],
        "needs": NEEDS.index(row["needs"]), "source_template": loop.source,
        "counts_in": counter, "syscalls": loop.syscalls,
        "program_type": _one_of(loop, "program", values, targets.PROGRAMS),
        "memory": surroundings.memory_bits(row["memory"], row["pages"]),
        "watch": surroundings.WATCH.index(row["watch"]), "syntax_left": None}
    with guard(loop.file.path, loop.file.line(*loop.keys), f"family {loop.name}"):
        text = template.render(given)
        if _syntax_left(text):  # seldom: each block is rendered once more to find where
            text = template.render({**given, "syntax_left": _syntax_left})
        return text


def _syntax_left(text):
    """The directive that says which syntax an assembly text ends in; "": it says nothing."""
    return (_SYNTAX.findall(text) or [""])[-1].strip()


def duplicates(sweep, variants):
    """A/A: for each glob of the sweep's duplicates one more variant with the same loop."""
    made, seen = [], {variant.name for variant in variants}
    for glob in sweep.duplicates:
        found = [v for v in variants if fnmatch.fnmatchcase(v.name, glob)]
        if not found:
            raise sweep.file.error(("duplicates",), f"'{glob}' matches no variant",
                                   f"./asmsweep list {_shown(sweep)} --names shows their names")
        for original in found:
            name = original.name + ".duplicate"
            if name in seen:
                raise sweep.file.error(("duplicates",), f"'{original.name}' is matched twice",
                                       "make the globs of duplicates distinct")
            row = {**original.row, "variant": name, "duplicate_of": original.name,
                   "source": f"src/{name}.s"}
            text = original.text.replace(f'"{original.name}"', f'"{name}"')
            seen.add(name)
            made.append(Variant(row, text))
    return made


def _shown(sweep):
    """The sweep as a user types it: the project's by its name, another by its path."""
    path = sweep.file.path
    return shlex.quote(place(path) if sweep.toml else os.path.basename(path)[:-5])


def _short(loop, key, values, default):
    """A text that must stay on one line of a table."""
    text = loop.texts[key].render(values).strip() if key in loop.texts else default
    if not text.isprintable() or not 0 < len(text) <= 200:
        raise _wrong(loop, key, f"'{text[:40]}' is empty, long or not printable",
                     "give one short line")
    return text


def _one_of(loop, key, values, allowed):
    text = loop.texts[key].render(values).strip() if key in loop.texts else allowed[0]
    if text not in allowed:
        raise _wrong(loop, key, f"'{text}' is not known",
                     "known: " + ", ".join(filter(None, allowed)))
    return text


def _number(loop, key, values, default, least):
    if key not in loop.texts:
        return default
    text = loop.texts[key]
    with guard(text.path, text.line, key):
        return claims.number(text.render(values), key, least)


def _wrong(loop, key, message, remedy):
    text = loop.texts[key]
    return BadInput(place(text.path, text.line), f"{key} of {loop.name}: {message}", remedy)

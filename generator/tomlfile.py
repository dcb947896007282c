# SPDX-License-Identifier: GPL-3.0-or-later
"""TOML that remembers where it was written.

tomllib gives values without positions. TomlFile finds the line of a key again
by reading table headers and `key =` in the text, which is enough to point at.
"""

import os
import re
import tomllib

from common.errors import BadInput, place

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_NAME = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
_KEY = re.compile(rf"\s*({_NAME}(?:\s*\.\s*{_NAME})*)\s*=")
_MAX_BYTES = 4 << 20


def _parts(dotted):
    return tuple(p.strip().strip("\"'") for p in dotted.split("."))


def sweep_names(templates):
    """Names of the project's own sweeps, sorted."""
    return sorted(name[:-5] for name in os.listdir(os.path.join(templates, "sweeps"))
                  if name.endswith(".toml"))


class TomlFile:
    """One parsed file: .path, .data, and .error(keys, ...) for complaints."""

    def __init__(self, path):
        self.path, self.bases = path, []  # bases: paths of the files that this one is like
        try:
            with open(path, "rb") as stream:
                raw = stream.read(_MAX_BYTES + 1)
            if len(raw) > _MAX_BYTES:
                raise BadInput(place(path), "is larger than 4 MiB", "give a sweep or family file")
            text = raw.decode("utf-8-sig")  # some editors begin a file with a mark
            self.data = tomllib.loads(text)
        except OSError as problem:
            raise BadInput(place(path), f"cannot be read: {problem.strerror}", "check the path")
        except UnicodeDecodeError as problem:
            raise BadInput(place(path), f"is not UTF-8 at byte {problem.start}", "save it as UTF-8")
        except RecursionError:
            raise BadInput(place(path), "is nested too deeply", "flatten it")
        except tomllib.TOMLDecodeError as problem:
            where = re.search(r"\(at line (\d+), column \d+\)", str(problem))
            text = re.sub(r"\s*\(at .*\)$", "", str(problem))
            raise BadInput(place(path, where and where.group(1)), f"is not TOML: {text}",
                           "strings need quotes, tables [brackets]")
        self._lines = self._index(text)
        self._opening = {number for number, line in enumerate(text.splitlines(), 1)
                         if re.search(r"=\s*(\"\"\"|''')\s*$", line)}

    @staticmethod
    def _index(text):
        """{(table, index, key, ...): line}; an index only for [[arrays]] of tables."""
        lines, counts, table = {}, {}, ()
        for number, line in enumerate(text.splitlines(), 1):
            header = _HEADER.match(line)
            if header and "=" not in header.group(2):
                table = _parts(header.group(2))
                if header.group(1) == "[[":
                    counts[table] = counts.get(table, -1) + 1
                full = []  # [family.axes] belongs to the latest [[family]]
                for depth in range(1, len(table) + 1):
                    full.append(table[depth - 1])
                    if table[:depth] in counts:
                        full.append(counts[table[:depth]])
                table = tuple(full)
                lines.setdefault(table, number)
                continue
            key = _KEY.match(line)
            if key:
                names = _parts(key.group(1))
                for depth in range(1, len(names) + 1):
                    lines.setdefault(table + names[:depth], number)
        return lines

    def line(self, *keys):
        """Line of a key, or of the nearest table around it that is found."""
        while keys:
            if keys in self._lines:
                return self._lines[keys]
            keys = keys[:-1]
        return None

    def place(self, *keys):
        return place(self.path, self.line(*keys))

    def error(self, keys, message, remedy=None):
        return BadInput(self.place(*keys), message, remedy)

    def block_line(self, *keys):
        """First line of a text's content; after triple quotes it is the next line."""
        number = self.line(*keys)
        return number + 1 if number and number in self._opening else number

# SPDX-License-Identifier: GPL-3.0-or-later
"""Plain text of exactly 72 columns: widths, wrapping, and which CPUs stand side by side."""

import textwrap

from results.tables import cells

WIDTH = 72  # for mail
LABEL = 23
MEASURED, FIGURE, PUBLISHED = 21, 6, 19  # value with interval; figure beside it; published CPU
SOURCE = 2  # method and engine: the last columns of a measured cell


def cut(text, width):
    """At most `width` columns; what was cut ends in a dot."""
    text = str(text)
    return text if len(text) <= width else text[:width - 1] + "."


def pad(text, width, right=False):
    text = cut(text, width)
    return text.rjust(width) if right else text.ljust(width)


def wrap(text, indent="", first=None, width=WIDTH):
    """Wrapped to the width; a word that is longer is broken."""
    return textwrap.fill(str(text), width, initial_indent=indent if first is None else first,
                         subsequent_indent=indent, break_on_hyphens=False)


def trim_lines(text):
    """No blanks at the ends of lines."""
    return "\n".join(line.rstrip() for line in text.split("\n"))


def _width(column):
    if column.published:
        return PUBLISHED
    return MEASURED + (1 + FIGURE if column.figures else 0)


def heading(column):
    """A column's heading, as wide as its cells."""
    name = f"{column.letter}: {column.name}"
    if column.published:
        return pad(name, PUBLISHED)
    return pad(name, MEASURED) + (" " + pad("publ.", FIGURE, True) if column.figures else "")


def subheading(column):
    """The line below the heading, as wide."""
    return pad("   " + column.subtitle if column.subtitle else "", _width(column))


def _fitted(cell, width):
    """Value, interval and note in `width`: with fewer decimals before anything is cut."""
    note = f"({cell.note})" if cell.note and cell.cycles is not None else ""
    for places in (None, 1, 0):
        text = cells.short_text(cell, places) + note
        if len(text) <= width:
            break
    return pad(text, width)


def cell_text(cell, column):
    """A cell, as wide as its column: value, interval, mark, source, and the figure beside it."""
    if column.published:
        return _fitted(cell, PUBLISHED)
    source = cell.source if cell.cycles is not None else ""
    made = _fitted(cell, MEASURED - SOURCE) + pad(source, SOURCE, True)
    if not column.figures:
        return made
    return made + " " + pad(cells.figure_text(cell), FIGURE, True)


def label(text):
    """A row's label, as wide as the first column; a long one fills lines of its own."""
    if len(text) <= LABEL:
        return pad(text, LABEL)
    return wrap(text, "  ", "") + "\n" + " " * LABEL


def _side_by_side(columns, width):
    """The columns, as many at a time as fit the width; all of them if it is None."""
    made, used = [[]], 0
    for column in columns:
        need = 1 + _width(column)
        if width and made[-1] and used + need > width - LABEL:
            made.append([])
            used = 0
        made[-1].append(column)
        used += need
    return made


def _part(section, columns):
    rows = [{**row, "cells": [pair for pair in row["cells"] if pair[1] in columns]}
            for row in section["rows"]]
    rows = [row for row in rows if any(cell.present for cell, _ in row["cells"])]
    return {**section, "rows": rows,
            "sentences": [text for column, text in section["sentences"] if column in columns]}


def parts(columns, sections, width=None):
    """The table cut into parts that fit the width, each with the sections it has rows of."""
    made = []
    for some in _side_by_side(columns, width):
        cut_ones = [_part(section, some) for section in sections]
        made.append({"columns": some, "sections": [
            part for part in cut_ones if part["rows"] or part["sentences"] or part["left_out"]]})
    return made


def grid(rows, columns):
    """Heading and rows of a table as texts, for formats that need no more."""
    head = ["", "CPL"]
    for column in columns:
        head += [column.heading, "published"][:1 + column.figures]
    return head, [[row["label"], row["ring"], *(
        text for cell, column in row["cells"]
        for text in (cells.whole_text(cell), cells.figure_text(cell))[:1 + column.figures])]
        for row in rows]

# SPDX-License-Identifier: GPL-3.0-or-later
"""The Jinja2 environment of the tables, and its filters: escapes, widths, numbers.

Delimiters are those of the assembly templates (`<% %>`, `<{ }>`, `<# #>`), which
LaTeX braces do not clash with. An undefined name is an error.
"""

import csv
import io

import jinja2

from results.tables import cells, layout

_LATEX = {"\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
          "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
          "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}


def latex(text):
    return "".join(_LATEX.get(letter, letter) for letter in str(text))


def markdown(text):
    """Text inside a Markdown table's cell."""
    return "".join("\\" + letter if letter in "\\|*_`<>[]" else letter for letter in str(text))


def csv_row(fields):
    """One line of CSV with its CR LF, quoted where needed (RFC 4180)."""
    line = io.StringIO()
    csv.writer(line).writerow(["" if f is None else f for f in fields])
    return line.getvalue()


def make(templates, html=False):
    """The environment with the loader on `templates`; html turns on escaping, but for gnuplot."""
    env = jinja2.Environment(
        block_start_string="<%", block_end_string="%>", variable_start_string="<{",
        variable_end_string="}>", comment_start_string="<#", comment_end_string="#>",
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True, loader=jinja2.FileSystemLoader(templates),
        autoescape=lambda name: html and not str(name).endswith(".gp.j2"))
    env.globals = {
        "WIDTH": layout.WIDTH, "parts": layout.parts, "grid": layout.grid,
        "column_head": layout.heading, "column_subtitle": layout.subheading,
        "cell_text": layout.cell_text}
    env.filters.update(
        latex=latex, markdown=markdown, csv_row=csv_row, pad=layout.pad, wrapped=layout.wrap,
        label=layout.label, trim_lines=layout.trim_lines, whole=cells.whole_text,
        figure=cells.figure_text, number=cells.number, interval=cells.interval)
    return env

# SPDX-License-Identifier: GPL-3.0-or-later
"""The one Jinja2 environment of all assembly templates.

Delimiters are `<% statement %>`, `<{ value }>` and `<# comment #>`: AT&T has no
`<`, EVEX masks use `{%k1}` and assembly comments use `#`, so none of Jinja2's own
delimiters would do. An undefined name is an error, never an empty operand.

Templates of a user's sweep are not trusted: the environment is sandboxed (no
Python internals), its loader reads template files below one folder only, and
texts and lists cannot be multiplied beyond all memory.
"""

import contextlib
import os
import re

import jinja2
import jinja2.sandbox

from generator import weave
from common.errors import BadInput, place

_LONGEST = 1_000_000  # characters or items that one operation may make


class _Sandbox(jinja2.sandbox.ImmutableSandboxedEnvironment):
    intercepted_binops = frozenset(["*", "**"])

    def call_binop(self, context, operator, left, right):
        if operator == "**" and not (abs(left) <= 1 << 32 and 0 <= right <= 64):
            raise jinja2.sandbox.SecurityError(f"{left} ** {right} is too large")
        for text, count in ((left, right), (right, left)):
            if hasattr(text, "__len__") and len(text) * max(count, 0) > _LONGEST:
                raise jinja2.sandbox.SecurityError(f"a text or list over {_LONGEST} items")
        return super().call_binop(context, operator, left, right)


class _Loader(jinja2.FileSystemLoader):
    """Files below the root only, symbolic links followed and judged by their end.

    .loaded collects the path of every file that was read.
    """

    def __init__(self, root):
        super().__init__(root)
        self.loaded = set()

    def get_source(self, environment, template):
        source, filename, uptodate = super().get_source(environment, template)
        root = os.path.realpath(self.searchpath[0])
        if not os.path.realpath(filename).startswith(root + os.sep):
            raise jinja2.TemplateNotFound(template)
        self.loaded.add(filename)
        return source, filename, uptodate


def make(templates):
    """The environment whose loader is confined to the folder `templates`."""
    env = _Sandbox(
        block_start_string="<%", block_end_string="%>",
        variable_start_string="<{", variable_end_string="}>",
        comment_start_string="<#", comment_end_string="#>",
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True, auto_reload=False, cache_size=-1,
        loader=_Loader(os.path.abspath(templates)))
    env.globals = {"range": jinja2.sandbox.safe_range, **weave.GLOBALS}
    return env


class Text:
    """A piece of template that stands in a TOML file, with its line kept.

    `context` names what it is for ("mix of family ratio"). Text without a
    delimiter is returned as it is, which keeps 10,000 variants quick.
    """

    def __init__(self, env, text, path, line, context):
        self.path, self.line, self.context, self.env = path, line, context, env
        self.text = text
        self.plain = text if "<" not in text else None
        if self.plain is None:
            # Newlines in front make Jinja2's line numbers those of the file.
            self.shift = max((line or 1) - 1, 0)
            with guard(path, line, context):
                code = env.compile("\n" * self.shift + text, path, os.path.abspath(path))
                self.template = env.template_class.from_code(env, code, env.make_globals(None))

    def render(self, values):
        if self.plain is not None:
            return self.plain
        with guard(self.path, self.line, self.context):
            return self.template.render(values)[self.shift:]


class Condition:
    """A Jinja2 expression that is true or false for the axes of a variant."""

    def __init__(self, env, text, path, line):
        self.text, self.path, self.line = text, path, line
        with guard(path, line, f"condition '{text}'"):
            self.test = env.compile_expression(text, undefined_to_none=False)

    def holds(self, values):
        with guard(self.path, self.line, f"condition '{self.text}'"):
            return bool(self.test(**values))


@contextlib.contextmanager
def guard(path, line, context):
    """Turns what a template may raise into one BadInput with file and line."""
    try:
        yield
    except BadInput:
        raise
    except Exception as problem:
        raise BadInput(place(*_where(problem, path, line)), f"{context}: {_say(problem)}",
                       _remedy(problem)) from None


def _where(problem, path, line):
    """(file, line) of the mistake itself if it can be told, else what is given."""
    if isinstance(problem, jinja2.TemplateSyntaxError):
        return (problem.filename, problem.lineno) if problem.filename else (path, line)
    return _innermost(problem.__traceback__) or (path, line)


def _innermost(trace):
    """(file, line) of the deepest template frame; Jinja2 maps them to templates."""
    found = None
    while trace:
        name = trace.tb_frame.f_code.co_filename
        if name.endswith((".j2", ".toml")):
            found = (name, trace.tb_lineno)
        trace = trace.tb_next
    return found


def _say(problem):
    if isinstance(problem, jinja2.TemplateNotFound):
        return f"no template '{problem.message or problem.name}' below the template folder"
    text = str(problem) or type(problem).__name__
    return re.sub(r"^'(\w+)' is undefined$", r"the name '\1' is undefined", text)


def _remedy(problem):
    if isinstance(problem, jinja2.TemplateSyntaxError):
        return "templates use <% %>, <{ }> and <# #>"
    if isinstance(problem, jinja2.UndefinedError):
        return "use an axis, row.AXIS.KEY, or a function of docs/families.md"
    if isinstance(problem, jinja2.sandbox.SecurityError):
        return "templates cannot reach files or Python"
    return None

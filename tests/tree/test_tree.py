# SPDX-License-Identifier: GPL-3.0-or-later
"""What must hold of the sources as a whole: layers, sizes, licences, no loose ends."""

import ast
import os
import re
import subprocess

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# A layer includes its own headers and those of the layers named here, no others.
LAYERS = {
    "common": (),
    "runner/host": ("common",),
    "runner/estimate": ("common",),
    "runner/disassemble": ("common", "runner/host"),
    "runner/guest": (),
    "runner/bpf": ("common", "runner/host", "runner/disassemble"),
    "runner/engine": ("common", "runner/host", "runner/estimate", "runner/guest", "runner/bpf"),
    "runner/prove": ("common", "runner/host", "runner/estimate", "runner/disassemble",
                     "runner/bpf", "runner/engine"),
    "runner/run": ("common", "runner/host", "runner/estimate", "runner/engine"),
    "generator/operands": ("common",),
    "results": ("common",),
    "campaign/fleet": ("common", "runner/host", "runner/estimate", "runner/engine", "runner/run"),
    "campaign/night": ("common", "results"),
    "templates/variant": (),
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def tracked(*patterns):
    out = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", *patterns], capture_output=True,
                         check=True).stdout.decode()
    names = [name for name in out.split("\0") if name and os.path.exists(os.path.join(ROOT, name))]
    assert names
    return names


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as stream:
        return stream.read()


def layer_of(name):
    found = [layer for layer in LAYERS if name.startswith(layer + "/")]
    return max(found, key=len) if found else None


def upward_includes(name, text):
    """Includes of `text` that reach a layer its file's layer may not know. An include is a path
    from the root, so that no header of another folder can stand for it."""
    layer = layer_of(name)
    allowed = {layer, *LAYERS[layer]}
    return [path for path in INCLUDE.findall(text)
            if layer != "templates/variant" and layer_of(path) not in allowed]


def test_layers_include_downwards_only():
    sources = [name for name in tracked("*.c", "*.h") if layer_of(name)]
    bad = {name: found for name in sources if (found := upward_includes(name, read(name)))}
    assert bad == {}


def test_the_page_on_the_architecture_has_these_layers():
    page = read("docs/architecture.md")
    told = {name: tuple(filter(None, below.strip().split(", "))) for name, below in
            re.findall(r"^\| `([\w/]+)` \| .* \|([^|]*)\|$", page.split("## ")[1], re.M)}
    assert told == LAYERS


def test_the_check_of_layers_can_fail():
    assert upward_includes("common/x.c", '#include "runner/engine/engine.h"\n') != []
    assert upward_includes("results/x.c", '#include "runner/run/plan.h"\n') != []
    assert upward_includes("results/x.c", '#include "plan.h"\n') != []
    assert upward_includes("campaign/night/x.c", '#include "results/loops.h"\n') == []


def imports(name):
    """The packages of ours that a file of Python imports."""
    return set(re.findall(r"^\s*(?:from|import) (common|generator|results|campaign)\b",
                          read(name), re.M))


def test_python_imports_downwards_only():
    allowed = {"common": {"common"}, "generator": {"common", "generator"},
               "results": {"common", "results"}, "campaign": {"common", "results", "campaign"}}
    bad = {name: found for name in tracked("*.py")
           if name.split("/")[0] in allowed
           and (found := imports(name) - allowed[name.split("/")[0]])}
    assert bad == {}


def test_no_file_is_longer_than_400_lines():
    sources = tracked("*.c", "*.h", "*.py", "*.s", "*.S", "*.j2", "asmsweep", "*.sh")
    long = {name: count for name in sources if (count := read(name).count("\n")) > 400}
    assert long == {}


def functions(name, text):
    """(lines, name) of each function: in C from a line that ends with `) {` to the next `}` in the
    first column."""
    if name.endswith(".py"):
        return [(node.end_lineno - node.lineno + 1, node.name) for node in ast.walk(ast.parse(text))
                if isinstance(node, ast.FunctionDef)]
    return [(body.count("\n") + 1, body.split("(")[0]) for body in
            re.findall(r"^[A-Za-z_][^;{}#]*\) \{\n(?:(?!\}).*\n)*\}", text, re.M)]


def test_no_function_is_longer_than_60_lines():
    long = {(name, called) for name in tracked("*.c", "*.py")
            for lines, called in functions(name, read(name)) if lines > 60}
    assert long == set()


def test_the_check_of_functions_can_fail():
    body = "    a = 1;\n" * 60
    assert functions("x.c", "static int f(int a,\n             int b) {\n" + body + "}\n") == \
        [(63, "static int f")]
    assert functions("x.py", "def f():\n" + body.replace(";", "")) == [(61, "f")]


def test_no_line_of_python_or_shell_is_longer_than_100_columns():
    long = {f"{name}:{at}" for name in tracked("*.py", "*.sh", "asmsweep", "campaign/night/nightly")
            for at, line in enumerate(read(name).split("\n"), 1) if len(line) > 100}
    assert long == set()


@pytest.mark.parametrize("pattern", ["*.c", "*.h", "*.py", "*.s", "*.S", "*.sh", "asmsweep",
                                     "*CMakeLists.txt", "*.cmake", "*.toml", "*.j2", "*.def"])
def test_every_source_names_its_licence(pattern):
    # Golden renders are what the generator wrote; lists open with what they are.
    missing = [name for name in tracked(pattern)
               if not name.endswith(("golden.s", ".def")) and "/golden/" not in name
               and "SPDX-License-Identifier" not in "\n".join(read(name).split("\n")[:3])]
    assert missing == []


def missing_paths(text):
    """Files of the project that a page names in backquotes and that are not there. A part in
    capitals (NAME) or with `*` stands for others; `spaced` is the family that a page makes."""
    spans = " ".join(re.findall(r"`([^`\n]+)`", text))
    paths = re.findall(r"(?<![\w/.-])((?:campaign|common|docs|generator|results|runner|setup|"
                       r"templates|tests)/[\w./*-]*[\w/*])", spans)
    return [path for path in paths
            if not re.search(r"[A-Z]{3}|[*]|/spaced/|^results/(data|nights)", path)
            and not os.path.exists(os.path.join(ROOT, path))]


def missing_pages(name, text):
    """Pages that a file names and that are not there, beside it or where it says."""
    found = re.findall(r"(?<![\w/.*-])((?:[\w-]+/)*[\w-]+\.md)\b", text.replace("\\n", " "))
    return [page for page in found
            if not any(os.path.exists(os.path.join(ROOT, folder, page))
                       for folder in ("", "docs", os.path.dirname(name)))]


def test_whatever_is_named_is_there():
    texts = {name: read(name) for name in tracked()
             if not name.startswith(("tests/fuzz/corpus/", "tests/tree/"))
             and not name.endswith(".tar.xz")}
    pages = {name: found for name, text in texts.items() if (found := missing_pages(name, text))}
    paths = {name: found for name, text in texts.items()
             if name.endswith(".md") and (found := missing_paths(text))}
    assert (pages, paths) == ({}, {})


def test_the_check_of_names_can_fail():
    assert missing_paths("see `docs/gone.md`, `docs/glossary.md`, `runner/gone.c`, "
                         "`templates/tables/NAME.j2`") == ["docs/gone.md", "runner/gone.c"]
    assert missing_pages("docs/x.md", "(gone.md, glossary.md, docs/glossary.md)") == ["gone.md"]


def test_nothing_is_left_open_in_the_code():
    marks = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"))
                       + r")\b")
    open_ends = [name for name in tracked() if not name.startswith("tests/fixtures/")
                 and name != "LICENSE" and not name.startswith("tests/fuzz/corpus/")
                 and not name.endswith(".tar.xz")
                 and marks.search(read(name))]
    assert open_ends == []

# SPDX-License-Identifier: GPL-3.0-or-later
"""What the generator's tests share: a sweep from text, and the program itself."""

import os
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TEMPLATES = os.path.join(ROOT, "templates")
PYTHON = "/usr/bin/python3"
sys.path.insert(0, ROOT)


@pytest.fixture
def expand_text(tmp_path):
    """Variants of a sweep given as TOML text."""
    from generator import environment, expand, spec

    def expanded(text, templates=TEMPLATES):
        path = tmp_path / "sweep.toml"
        path.write_text(text)
        env = environment.make(templates)
        return expand.expand(env, spec.load_sweep(env, str(path), templates))
    return expanded


@pytest.fixture
def generate(tmp_path):
    """Run the generator on TOML text; gives the finished process. Output in tmp_path/out."""
    def run(text, name="sweep.toml", templates=TEMPLATES, limit_seconds=120):
        path = tmp_path / name
        path.write_text(text)
        return subprocess.run(
            [PYTHON, "-B", os.path.join(ROOT, "generator/main.py"), "--sweep", str(path),
             "--out", str(tmp_path / "out"), "--templates", str(templates)],
            capture_output=True, text=True, cwd=tmp_path, timeout=limit_seconds, check=False)
    return run


@pytest.fixture
def prove():
    """Path of asmsweep-prove; a test that needs it is skipped where it is not built."""
    program = os.environ.get("ASMSWEEP_PROVE",
                             os.path.join(ROOT, "build/programs/bin/asmsweep-prove"))
    if not os.path.exists(program):
        pytest.skip(f"{program} is not built")
    return program

# SPDX-License-Identifier: GPL-3.0-or-later
"""A clock, locale, mask, environment or temporary folder that is not as one thinks."""

import os
import shutil
import stat
import subprocess

import pytest
from conftest import (ALONE, PUBLISHED, PYTHON, RESULTS, ROOT, RUN, SHORT, assert_whole_run, call,
                      pairs, rows)

WIDTH_LEVEL = "ASMSWEEP_WIDTH_LEVEL"  # what the simulated host's core is told by


def test_a_clock_that_jumps_by_days_changes_nothing(run, tmp_path):
    run("--budget", "1h", env={**os.environ, "FAULTY_CLOCK": "1"})
    measured = rows(tmp_path / "run/measurements.csv")
    days = {row["time_utc"][:10] for row in measured}
    assert len(days) == 2, "the clock did not jump"
    assert not any("TSC frequency" in row["detail"] for row in measured)
    assert {row["status"] for row in measured} == {"ok"}


@pytest.fixture(name="locales", scope="session")
def made_locales(tmp_path_factory):
    """LOCPATH with de_DE.UTF-8 and fr_FR.UTF-8."""
    folder = tmp_path_factory.mktemp("locales")
    for name in ("de_DE", "fr_FR"):
        if not shutil.which("localedef") or not os.path.exists(f"/usr/share/i18n/locales/{name}"):
            pytest.skip("no localedef, or no sources of locales (package locales)")
        subprocess.run(["localedef", "-i", name, "-f", "UTF-8", folder / f"{name}.UTF-8"],
                       check=True, capture_output=True)
    return folder


@pytest.mark.parametrize("name", ["de_DE.UTF-8", "fr_FR.UTF-8"])
def test_a_comma_locale_changes_no_number(run, tmp_path, locales, name, copy_of):
    environment = {**os.environ, "LOCPATH": str(locales), "LC_ALL": name, "LANGUAGE": name[:2]}
    shown = subprocess.run(["printf", "%.1f", "0,5"], env=environment, capture_output=True,
                           check=False).stdout
    assert shown == b"0,5", "the locale does not work"
    run(env=environment)
    folder = tmp_path / "run"
    for row in rows(folder / "measurements.csv") + rows(folder / "summary.csv"):
        assert float(row["value"]) > 0
        for column in ("ci_low", "ci_high", "spread"):
            assert row[column] == "" or float(row[column]) > 0
    assert call(RESULTS, "solve", folder, *PUBLISHED, env=environment).returncode == 0
    plain = copy_of(folder, "plain")
    assert call(RESULTS, "solve", plain, *PUBLISHED).returncode == 0
    assert (folder / "costs.csv").read_bytes() == (plain / "costs.csv").read_bytes()
    tables = [call(PYTHON, "-B", ROOT / "results/tables/main.py", folder, env=chosen).stdout
              for chosen in (environment, {**os.environ, "LC_ALL": "C"})]
    assert tables[0] == tables[1] != b""


def test_a_locale_that_does_not_exist_is_no_matter(run):
    run(env={**os.environ, "LC_ALL": "xx_XX.KOI8"})


def test_a_strict_umask_is_kept(run, tmp_path):
    old = os.umask(0o077)
    try:
        run()
        assert call(RESULTS, "solve", tmp_path / "run", *PUBLISHED).returncode == 0
    finally:
        os.umask(old)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "run").iterdir()}
    assert set(modes.values()) == {0o600} and "costs.csv" in modes
    assert stat.S_IMODE((tmp_path / "run").stat().st_mode) == 0o700


def test_no_home_and_hardly_an_environment(run):
    run(env={"PATH": "/usr/bin:/bin", WIDTH_LEVEL: os.environ[WIDTH_LEVEL]})


def test_no_folder_for_temporary_files_is_no_matter(run, whole_run, tmp_path):
    run(env={**os.environ, "TMPDIR": str(tmp_path / "nowhere")})
    said, usual = (pairs(folder / "environment.csv") for folder in (tmp_path / "run", whole_run))
    assert said["perf"] == usual["perf"] and said["pmu"] == usual["pmu"]


def test_a_full_folder_for_temporary_files_is_no_matter(build, whole_run, tmp_path):
    if os.geteuid() or call("unshare", "-m", "true").returncode:
        pytest.skip("needs root and unshare -m")
    full = tmp_path / "full"
    full.mkdir()
    words = ('mount -t tmpfs -o size=16k none "$1" && { cat /dev/zero >"$1/zero" 2>/dev/null; '
             'export TMPDIR="$1"; shift; exec "$@"; }')
    done = call("unshare", "-m", "sh", "-c", words, "sh", full, *ALONE, RUN, "run", build, "-o",
                tmp_path / "run", *SHORT)
    assert done.returncode == 0, done.errors
    assert_whole_run(tmp_path / "run", build)
    said, usual = (pairs(folder / "environment.csv") for folder in (tmp_path / "run", whole_run))
    assert said["perf"] == usual["perf"]

# SPDX-License-Identifier: GPL-3.0-or-later
"""For every test of pytest: all skipped is no pass."""

import os

# A program that we start prints as a user's does: with a buffer that is written at its end.
os.environ.pop("PYTHONUNBUFFERED", None)


def pytest_sessionfinish(session, exitstatus):
    """77, which CTest shows as skipped; -rs prints the reasons."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if exitstatus == 0 and reporter and reporter.stats.get("skipped") \
            and not reporter.stats.get("passed"):
        session.exitstatus = 77

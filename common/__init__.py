# SPDX-License-Identifier: GPL-3.0-or-later
"""What the Python of all parts shares: the one error of a user, and how a command line is read."""

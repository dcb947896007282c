# SPDX-License-Identifier: GPL-3.0-or-later
"""From runs' directories to tables: runs -> cells -> sections -> one template a format."""

# SPDX-License-Identifier: GPL-3.0-or-later
"""Boots a real Debian kernel in QEMU and brings back what ran there."""

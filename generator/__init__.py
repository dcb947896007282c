# SPDX-License-Identifier: GPL-3.0-or-later
"""Sweeps (TOML) and families (Jinja2) in, assembly and variants.csv out."""

# SPDX-License-Identifier: GPL-3.0-or-later
"""From the text of an instruction to the loops that ask what it costs."""

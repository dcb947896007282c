# SPDX-License-Identifier: GPL-3.0-or-later
"""The words of a sweep's questions: what the generator checks and the tables obey."""

# What a cost must be for a question to take it. All keys of a matcher hold; of a key's values
# one does, but for instructions (they are all of the item's) and has (all are in the item).
MATCHER = ("item", "not_item", "general", "family", "method", "instructions", "begins", "has",
           "context", "context_within", "without")
# What makes a section short: the functions of results/tables/brief.py.
RULES = ("one_row_a_label", "valueless_as_one", "valueless_only", "significant_orders",
         "short_families", "none")

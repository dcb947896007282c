// SPDX-License-Identifier: GPL-3.0-or-later
// results: what a run that ended early lacks, as its journal tells (docs/interfaces.md).
//
// Its values are as good as any, but there are fewer executions behind them than were planned,
// and a reader must not take it for a whole run.
#pragma once

#include <stddef.h>

#define ENDING_TEXT 160

// A sentence without its full stop, "interrupted: 2 to 3 executions a variant of 5 planned", into
// `text`, which has room for ENDING_TEXT bytes. "" for a run that came to its end, and for a copy
// without a journal, of which nothing is known.
void ending_unfinished(const char *folder, char *text);

// What resumes the run in `folder`: a remedy to stand behind the sentence. `text` has room for
// `size` bytes.
void ending_remedy(const char *folder, char *text, size_t size);

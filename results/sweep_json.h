// SPDX-License-Identifier: GPL-3.0-or-later
// results: what programs in C need of a run's sweep.json, which the generator wrote for the tables.
#pragma once

#include <stddef.h>

// The path of the user's own sweep that a run measured, cut at size; "" for a sweep of the
// project, and where the file is not there or says nothing.
void sweep_json_toml(const char *directory, char *path, size_t size);

// Text of a sweep.json with that path replaced by "anonymous"; the caller frees it. NULL for what
// is no JSON.
char *sweep_json_anonymous(const char *text);

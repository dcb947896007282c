// SPDX-License-Identifier: GPL-3.0-or-later
// campaign/fleet: a result on its way through srun's standard output. Pure.
//
// One line "asmsweep-fleet-result 1 BYTES SHA256", then BYTES of a tar. A site's prolog may print
// before the line and its epilog behind the bytes; both are passed over.
#pragma once

#include "common/error.h"

#include <stddef.h>

#define FRAME_LINE "asmsweep-fleet-result 1 %zu %s\n"

// Find the bytes and check their hash. *payload points into text. 0, or -1 with *error: no such
// line, cut off, or damaged.
int frame_find(const char *text, size_t length, const char **payload, size_t *payload_length,
               struct error *error);

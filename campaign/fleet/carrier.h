// SPDX-License-Identifier: GPL-3.0-or-later
// campaign/fleet: is somebody on the way with a generation? A lock on carriers/GENERATION that the
// kernel lets go of whatever ends its holder.
#pragma once

#include "common/error.h"

// Take the lock: a descriptor to keep open, or -1 with *error if there is a carrier already.
int carrier_lock(const char *directory, const char *generation, struct error *error);

// Nonzero while a carrier lives.
int carrier_alive(const char *directory, const char *generation);

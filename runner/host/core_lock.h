// SPDX-License-Identifier: GPL-3.0-or-later
// runner/host: one run at a time on one core. The lock is an abstract Unix socket, so that
// no file stays behind and the kernel lets go of it whatever ends the holder.
#pragma once

#include "common/error.h"

// Take the lock of `cpu`. If another run holds it: with `wait` say so once on stderr and
// wait, else ERROR_MISSING that names the holder's pid. Returns a descriptor to keep open,
// or -1 with *error.
int core_lock(int cpu, int wait, struct error *error);

// SPDX-License-Identifier: GPL-3.0-or-later
// runner/engine: a loaded program's evidence as an execution has it.
#pragma once

#include "runner/bpf/load.h"
#include "runner/engine/engine.h"

// Look at what was loaded, before it runs: execution->code, and where its loop lies. True: it is
// what the object says, and the CPU executes it itself. Else the execution has its status and the
// reason.
bool bpf_prove(const struct object *object, const struct loaded *loaded,
               struct execution *execution);

// SPDX-License-Identifier: GPL-3.0-or-later
// runner/engine: can programs be loaded into this kernel? By loading and running one that does
// nothing.
#pragma once

#include "runner/engine/engine.h"

void bpf_probe(const struct engine_settings *settings, struct engine_probe *probe);

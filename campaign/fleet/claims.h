// SPDX-License-Identifier: GPL-3.0-or-later
// campaign/fleet: is a node what its feature claims? Pure; the generations are those of
// common/generations.def.
//
// Names are compared without case, blanks, '-', '_' and '.', and '+' reads "plus": the features
// zen4, Zen-4 and ZEN_4 all claim "Zen 4". A claim may leave words off at the end: alder-lake is
// "Alder Lake P" or "Alder Lake E".
#pragma once

#include <stddef.h>

enum claim {
#define CLAIM(name, meaning) CLAIM_##name,
#include "campaign/fleet/claims.def"
#undef CLAIM
    CLAIM_COUNT
};

extern const struct claim_row { const char *name, *meaning; } claims[CLAIM_COUNT];

// Does a CPU (CPUID's vendor; family and model in decimal, as machine.h has them) fit the claimed
// generation? *found gets the generation's name in the list, "" if the CPU is in no row. Static.
enum claim claim_check(const char *claimed, const char *vendor, const char *family,
                       const char *model, const char **found);

// A generation's name as one would write it as a Slurm feature: "Zen 4" is zen-4, "Zen+" is
// zenplus. At most size bytes with NUL; returns text.
const char *claim_feature(const char *name, char *text, size_t size);

// SPDX-License-Identifier: GPL-3.0-or-later
// common: which core a CPUID names, and how wide it is.
#pragma once

// The rows of generations.def; behind the last one a row without a name.
extern const struct cpu_generation {
    const char *vendor;
    int family, first, last; // last: the models are first to last
    const char *core_type, *name;
} cpu_generations[];

// The generation of a CPU by generations.def, or "" for one that is not listed. family and
// model are the decimal numbers of CPUID as text; core_type "" for a CPU with one kind. Static.
const char *generation_name(const char *vendor, const char *family, const char *model,
                            const char *core_type);

// Its row of widths.def; NULL: there is none.
const struct generation_width {
    const char *name;
    int width;    // instructions in a cycle
    double level; // cycles of the width loop on a core of one's own; 0: not measured yet
} * generation_width(const char *name);

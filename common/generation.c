// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/generation.h"

#include "common/units.h"

#include <stddef.h>
#include <string.h>

const struct cpu_generation cpu_generations[] = {
#define GENERATION(vendor, family, first, last, core, name)                                        \
    {vendor, family, first, last, core, name},
#include "common/generations.def"
#undef GENERATION
    {0}};

const char *generation_name(const char *vendor, const char *family, const char *model,
                            const char *core_type) {
    long long family_number, model_number;
    if (units_scan_integer(family, 0, 4095, &family_number) != 0 ||
        units_scan_integer(model, 0, 255, &model_number) != 0)
        return "";
    for (const struct cpu_generation *g = cpu_generations; g->name != NULL; g++) {
        if (strcmp(g->vendor, vendor) == 0 && g->family == family_number &&
            model_number >= g->first && model_number <= g->last &&
            (g->core_type[0] == '\0' || strcmp(g->core_type, core_type) == 0))
            return g->name;
    }
    return "";
}

const struct generation_width *generation_width(const char *name) {
    static const struct generation_width widths[] = {
#define WIDTH(name, width, level) {name, width, level},
#include "common/widths.def"
#undef WIDTH
    };
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (strcmp(widths[i].name, name) == 0)
            return &widths[i];
    return NULL;
}

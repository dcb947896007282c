// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine.h"

#include <string.h>

#define ENGINE(name) extern const struct engine engine_##name;
#include "engines.def"
#undef ENGINE

static const struct engine *const engines[] = {
#define ENGINE(name) &engine_##name,
#include "engines.def"
#undef ENGINE
};

const struct engine *const *engine_list(size_t *count)
{
    *count = sizeof engines / sizeof *engines;
    return engines;
}

const struct engine *engine_find(const char *name)
{
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        if (!strcmp(engines[i]->name, name))
            return engines[i];
    return NULL;
}

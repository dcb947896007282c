// SPDX-License-Identifier: GPL-3.0-or-later
// generator/operands: the code in an ELF object, section by section.
#pragma once

#include "common/error.h"

#include <stdint.h>

// Called with the code of each executable section, in order; a section's name is the caller's for
// the call only.
typedef void object_section(const char *name, const uint8_t *code, size_t length, void *context);

// Walk over the sections of the x86-64 object at `path` that hold code and are not empty. 0 or -1
// with *error.
int object_walk(const char *path, object_section *each, void *context, struct error *error);

// SPDX-License-Identifier: GPL-3.0-or-later
// campaign/fleet: what a fleet can be told, from a file and from the command line.
//
// The file is TOML of the simplest kind: NAME = "VALUE" (or a bare number, true or false), one a
// line, and # comments. The names are those of settings.def, as on the command line.
#pragma once

#include "common/error.h"

#include <stddef.h>

struct fleet_settings {
#define SETTING(name, argument, text) const char *name;
#include "campaign/fleet/settings.def"
#undef SETTING
    char *storage; // of what came from a file; free with fleet_settings_free
};

enum {
#define SETTING(name, argument, text) SETTING_##name,
#include "campaign/fleet/settings.def"
#undef SETTING
    SETTING_COUNT
};

// The names, and where a setting's value is kept.
extern const char *const fleet_setting_names[SETTING_COUNT];
const char **fleet_setting(struct fleet_settings *settings, size_t index);

// Fill from a file's text those that are NULL so far: the command line comes first. `path` is for
// messages. 0 or -1.
int fleet_settings_parse(const char *path, const char *text, struct fleet_settings *settings,
                         struct error *error);

// Check what can be checked without Slurm, and fill what was not given: "" or the default. 0 or -1.
int fleet_settings_complete(struct fleet_settings *settings, struct error *error);

// The generation that a feature claims, by `claims`; the feature itself if it is not named there.
// Writes at most size bytes with NUL.
void fleet_settings_claim(const struct fleet_settings *settings, const char *generation,
                          char *claim, size_t size);

// Nonzero if `generations` is empty or names this one.
int fleet_settings_wants(const struct fleet_settings *settings, const char *generation);

void fleet_settings_free(struct fleet_settings *settings);

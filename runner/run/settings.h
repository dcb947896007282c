// SPDX-License-Identifier: GPL-3.0-or-later
// runner/run: what decides which executions a run has. Stored in its journal, so that a
// resumed run is the same run.
#pragma once

#include "common/error.h"

#include <stdio.h>

// SETTING_TEXT(name, size), SETTING_NUMBER(name), SETTING_REAL(name)
#define SETTINGS(SETTING_TEXT, SETTING_NUMBER, SETTING_REAL)                                       \
    SETTING_TEXT(run_id, 64)                                                                       \
    SETTING_TEXT(sweep, 256)                                                                       \
    SETTING_TEXT(build, 4096)                                                                      \
    SETTING_TEXT(plan_sha256, 72)                                                                  \
    SETTING_TEXT(engine, 32)                                                                       \
    SETTING_TEXT(accel, 16)                                                                        \
    SETTING_TEXT(only, 4096)                                                                       \
    SETTING_TEXT(events, 1024)                                                                     \
    SETTING_TEXT(cpu_key, 160)                                                                     \
    SETTING_NUMBER(seed)                                                                           \
    SETTING_NUMBER(blocks)                                                                         \
    SETTING_NUMBER(most_blocks)                                                                    \
    SETTING_NUMBER(slices)                                                                         \
    SETTING_NUMBER(witness)                                                                        \
    SETTING_NUMBER(ring)                                                                           \
    SETTING_NUMBER(cpu)                                                                            \
    SETTING_REAL(precision)                                                                        \
    SETTING_REAL(timeout)

struct settings {
#define TEXT(name, size) char name[size];
#define NUMBER(name) long long name;
#define REAL(name) double name;
    SETTINGS(TEXT, NUMBER, REAL)
#undef TEXT
#undef NUMBER
#undef REAL
};

// Copy `text` (NULL: nothing) to a text of the settings with `size` bytes. ERROR_INPUT naming
// `what` if settings_read would not read it back: a line break, or too long.
int settings_keep(char *to, size_t size, const char *what, const char *text, struct error *error);

// "name value" a line, all of them, then "begin".
void settings_write(const struct settings *settings, FILE *stream);

// Read what settings_write wrote from `stream`; `path` is for messages.
int settings_read(const char *path, FILE *stream, struct settings *settings, struct error *error);

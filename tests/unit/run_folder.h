// SPDX-License-Identifier: GPL-3.0-or-later
// tests/unit: a temporary folder and settings for the tests of runner/run.
#pragma once

#include "common/journal.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline struct settings some_settings(void) {
    return (struct settings){.run_id = "20261130T093018Z-a56d",
                             .sweep = "known_answers",
                             .build = "build/a folder with blanks",
                             .plan_sha256 = "dd50",
                             .engine = "perf",
                             .only = "*.groups16",
                             .cpu_key = "AuthenticAMD-25-17-1 0x1000065 6.18.5",
                             .seed = 1796031020123,
                             .blocks = 5,
                             .most_blocks = 10,
                             .slices = 200,
                             .cpu = -1,
                             .precision = 0.005,
                             .timeout = 1.0 / 3};
}

// The folder's path goes into path[32].
static inline void make_folder(char path[32]) {
    snprintf(path, 32, "/tmp/asmsweep-test-XXXXXX");
    if (!mkdtemp(path))
        abort();
}

// A build's folder with these binaries (NULL-terminated), all alike. 0, or -1.
static inline int make_build_folder(char path[32], const char *const *binaries) {
    char file[64];
    make_folder(path);
    snprintf(file, sizeof file, "%s/bin", path);
    int failed = mkdir(file, 0777);
    for (; !failed && *binaries; binaries++) {
        snprintf(file, sizeof file, "%s/bin/%s", path, *binaries);
        FILE *stream = fopen(file, "w");
        failed = !stream || fputs("a binary", stream) < 0 || fclose(stream);
    }
    return failed ? -1 : 0;
}

// The two files that a plan is read from.
static inline void write_plan(const char *folder, const char *variants, const char *proof) {
    const char *const files[][2] = {{"variants.csv", variants}, {"proof.csv", proof}};
    for (int i = 0; i < 2; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%s", folder, files[i][0]);
        FILE *stream = fopen(path, "w");
        if (!stream || fputs(files[i][1], stream) < 0 || fclose(stream))
            abort();
    }
}

static inline int remove_one(const char *path, const struct stat *status, int type,
                             struct FTW *at) {
    (void)status, (void)type, (void)at;
    return remove(path);
}

static inline void remove_folder(const char *path) {
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

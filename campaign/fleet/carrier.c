// SPDX-License-Identifier: GPL-3.0-or-later
#include "campaign/fleet/carrier.h"

#include "campaign/fleet/files.h"
#include "common/disk.h"
#include "common/memory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

int carrier_lock(const char *directory, const char *generation, struct error *error) {
    char *folder = text_make("%s/carriers", directory);
    char *path = text_make("%s/%s", folder, generation);
    int file = -1;
    if (!disk_make_folders(folder, error)) {
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (file < 0)
            error_errno(error, ERROR_INPUT, path, "cannot be made");
    }
    if (file >= 0 && flock(file, LOCK_EX | LOCK_NB)) {
        error_set(error, ERROR_INPUT, path, 0, "another carrier is on its way with it");
        close(file);
        file = -1;
    }
    free(folder);
    free(path);
    return file;
}

int carrier_alive(const char *directory, const char *generation) {
    char *path = text_make("%s/carriers/%s", directory, generation);
    int file = open(path, O_RDWR | O_CLOEXEC);
    int alive = file >= 0 && flock(file, LOCK_SH | LOCK_NB);
    if (file >= 0)
        close(file);
    free(path);
    return alive;
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/replace.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int fill(int descriptor, int (*write)(FILE *, const void *), const void *data) {
    FILE *stream = fdopen(descriptor, "w");
    if (stream == NULL) {
        close(descriptor);
        return -1;
    }
    int failed = write(stream, data) != 0 || fflush(stream) != 0 || fsync(descriptor) != 0;
    return fclose(stream) != 0 || failed ? -1 : 0;
}

int replace_file(const char *path, int (*write)(FILE *stream, const void *data), const void *data,
                 struct error *error) {
    char *temporary;
    if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
        return error_set(error, ERROR_INPUT, path, 0, "out of memory");
    int descriptor = mkstemp(temporary);
    if (descriptor < 0) {
        free(temporary);
        return error_errno(error, ERROR_INPUT, path, "cannot be written");
    }
    mode_t mask = umask(0); // mkstemp makes files private; give what open would have given
    umask(mask);
    int failed = fchmod(descriptor, 0666 & ~mask);
    if (fill(descriptor, write, data) != 0 || failed != 0 || rename(temporary, path) != 0) {
        error_errno(error, ERROR_INPUT, path, "cannot be written");
        unlink(temporary);
        free(temporary);
        return -1;
    }
    free(temporary);
    return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/replace.h"

#include "common/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int replace_begin(const char *path, struct replacement *replacement, struct error *error) {
    *replacement = (struct replacement){.path = text_make("%s", path),
                                        .temporary = text_make("%s.XXXXXX", path)};
    int file = mkstemp(replacement->temporary);
    mode_t mask = umask(0); // mkstemp makes files private; give what open would have given
    umask(mask);
    if (file >= 0 && !fchmod(file, 0666 & ~mask))
        replacement->stream = fdopen(file, "w");
    if (replacement->stream)
        return 0;
    if (file >= 0)
        close(file);
    return replace_end(replacement, 0, error);
}

int replace_end(struct replacement *replacement, int failed, struct error *error) {
    FILE *stream = replacement->stream;
    int whole = !failed && stream && !ferror(stream) && !fflush(stream) && !fsync(fileno(stream));
    if (stream && fclose(stream))
        whole = 0;
    whole = whole && !rename(replacement->temporary, replacement->path);
    if (!whole && !failed)
        error_errno(error, ERROR_INPUT, replacement->path, "cannot be written");
    int kept = errno;
    if (!whole)
        unlink(replacement->temporary);
    errno = kept;
    free(replacement->path);
    free(replacement->temporary);
    return whole ? 0 : -1;
}

int replace_text(const char *path, const char *text, size_t length, struct error *error) {
    struct replacement replacement;
    if (replace_begin(path, &replacement, error))
        return -1;
    fwrite(text, 1, length, replacement.stream);
    return replace_end(&replacement, 0, error);
}

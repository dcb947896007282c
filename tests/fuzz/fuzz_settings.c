// SPDX-License-Identifier: GPL-3.0-or-later
// Any journal: its settings come back as they were written, or an error.
#include "tests/fuzz/fuzz.h"

#include "runner/run/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct settings settings;
    struct error error = {0};
    if (!size)
        return 0;
    FILE *stream = fmemopen((void *)data, size, "r");
    int failed = settings_read("journal", stream, &settings, &error);
    fclose(stream);
    must(failed ? error.text[0] != '\0' : 1);
    if (failed)
        return 0;
    char *text;
    size_t length;
    stream = open_memstream(&text, &length);
    settings_write(&settings, stream);
    fclose(stream);
    struct settings again;
    stream = fmemopen(text, length, "r");
    must(!settings_read("journal", stream, &again, &error));
    fclose(stream);
    must(again.seed == settings.seed && !strcmp(again.build, settings.build));
    free(text);
    return 0;
}

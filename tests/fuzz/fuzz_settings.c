// SPDX-License-Identifier: GPL-3.0-or-later
// Any journal: its settings come back as they were written, or an error.
#include "tests/fuzz/fuzz.h"

#include "common/journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct journal journal, again;
    struct error error = {0};
    char *text;
    size_t length;
    journal_parse((const char *)data, size, true, &journal);
    int failed = journal_check(&journal, "journal", &error);
    must(failed ? error.text[0] != '\0' : journal.bytes <= (long long)size);
    if (!failed) {
        FILE *stream = open_memstream(&text, &length);
        settings_write(&journal.settings, stream);
        fclose(stream);
        journal_parse(text, length, true, &again);
        must(!journal_check(&again, "journal", &error));
        must(again.settings.seed == journal.settings.seed);
        must(!strcmp(again.settings.build, journal.settings.build));
        journal_free(&again);
        free(text);
    }
    journal_free(&journal);
    return 0;
}

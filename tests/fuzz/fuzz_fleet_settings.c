// SPDX-License-Identifier: GPL-3.0-or-later
// Any fleet's settings file: every setting has a value that is the same when written and read
// again, the command line comes first; or an error that names file and line.
#include "tests/fuzz/fuzz.h"

#include "campaign/fleet/fleet.h"

#include <stdio.h>

static const char path[] = "fleet.toml";

static void check_again(struct fleet_settings *settings) {
    struct fleet_settings again = {0};
    struct error error = {0};
    char *text;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
#define SETTING(name, argument, otherwise, text)                                                   \
    fprintf(stream, #name " = \"%s\"\n", settings->name);
#include "campaign/fleet/settings.def"
#undef SETTING
    fclose(stream);
    must(!fleet_settings_parse(path, text, &again, &error));
    must(!fleet_settings_complete(&again, &error));
#define SETTING(name, argument, otherwise, text) must(!strcmp(again.name, settings->name));
#include "campaign/fleet/settings.def"
#undef SETTING
    free(text);
}

static void check_complete(const struct fleet_settings *settings) {
    char claim[16];
    long attempts = strtol(settings->attempts, NULL, 10);
    must(attempts >= 1 && attempts <= 100 && *settings->time);
    must(!strcmp(settings->shared, "yes") || !strcmp(settings->shared, "no"));
    must(*settings->generations || fleet_settings_wants(settings, "zen4"));
    fleet_settings_claim(settings, "zen4", claim, sizeof claim);
    must(*claim && strlen(claim) < sizeof claim);
    must(!strcmp(claim, "zen4") || strstr(settings->claims, "zen4="));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fleet_settings settings = {.partition = "long"};
    struct error error = {0};
    char *text = fuzz_text(data, size);
    if (fleet_settings_parse(path, text, &settings, &error)) {
        must(!strncmp(error.text, "fleet.toml:", 11));
    } else if (fleet_settings_complete(&settings, &error)) {
        must(error.text[0] != '\0');
    } else {
        check_complete(&settings);
        check_again(&settings);
        must(!strcmp(settings.partition, "long"));
    }
    free(text);
    return 0;
}

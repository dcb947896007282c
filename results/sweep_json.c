// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/sweep_json.h"

#include "common/disk.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

static const char key[] = "toml";

void sweep_json_toml(const char *directory, char *path, size_t size) {
    struct error error;
    char *text = disk_read(PATH("%s/sweep.json", directory), NULL, &error);
    cJSON *sweep = text != NULL ? cJSON_Parse(text) : NULL;
    const char *toml = cJSON_GetStringValue(cJSON_GetObjectItem(sweep, key));
    snprintf(path, size, "%s", toml != NULL ? toml : "");
    cJSON_Delete(sweep);
    free(text);
}

char *sweep_json_anonymous(const char *text) {
    cJSON *sweep = cJSON_Parse(text);
    const char *toml = cJSON_GetStringValue(cJSON_GetObjectItem(sweep, key));
    if (toml != NULL && toml[0] != '\0')
        cJSON_SetValuestring(cJSON_GetObjectItem(sweep, key), "anonymous");
    char *anonymous = sweep != NULL ? cJSON_Print(sweep) : NULL;
    cJSON_Delete(sweep);
    return anonymous;
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/engine/hyperfine_json.h"

#include "runner/estimate/stats.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int refuse(char *why, size_t size, const char *what) {
    snprintf(why, size, "hyperfine: %s", what);
    return -1;
}

// cJSON keeps both and finds the first.
static int comes_twice(const cJSON *object, const char *name) {
    const cJSON *item;
    int count = 0;
    cJSON_ArrayForEach (item, object)
        count += item->string && !strcmp(item->string, name);
    return count > 1;
}

static int parse_times(const cJSON *result, struct hyperfine_times *times, char *why, size_t size) {
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(result, "times");
    const cJSON *codes = cJSON_GetObjectItemCaseSensitive(result, "exit_codes");
    const cJSON *item;
    if (comes_twice(result, "times") || comes_twice(result, "exit_codes"))
        return refuse(why, size, "times or exit_codes comes twice in a result");
    if (!cJSON_IsArray(list) || !cJSON_IsArray(codes) ||
        cJSON_GetArraySize(list) != cJSON_GetArraySize(codes))
        return refuse(why, size, "a result without times and exit_codes of one length");
    cJSON_ArrayForEach (item, codes)
        if (!cJSON_IsNumber(item) || item->valuedouble != 0)
            return refuse(why, size, "a run did not end with status 0");
    times->count = 0;
    cJSON_ArrayForEach (item, list) {
        if (!cJSON_IsNumber(item) || !(item->valuedouble > 0) || !isfinite(item->valuedouble))
            return refuse(why, size, "a time that is no positive number");
        if (times->count == HYPERFINE_MAX_RUNS)
            return refuse(why, size, "more runs than were asked for");
        times->seconds[times->count++] = item->valuedouble;
    }
    return times->count < 2 ? refuse(why, size, "fewer than two runs") : 0;
}

int hyperfine_json_parse(const char *text, size_t length, size_t commands,
                         struct hyperfine_times *times, char *why, size_t size) {
    const char *end = text, *const whole = text + length;
    cJSON *root = cJSON_ParseWithLengthOpts(text, length, &end, 0);
    const cJSON *results = cJSON_GetObjectItemCaseSensitive(root, "results"), *result;
    int failed = 0;
    size_t at = 0;
    while (root && end < whole && *end && strchr(" \t\r\n", *end))
        end++;
    if (!root || end < whole)
        failed = refuse(why, size, "its export is not JSON: cut off?");
    else if (comes_twice(root, "results"))
        failed = refuse(why, size, "results comes twice in its export");
    else if (!cJSON_IsArray(results) || (size_t)cJSON_GetArraySize(results) != commands)
        failed = refuse(why, size, "its export has not the commands that were asked for");
    if (!failed)
        for (result = results->child; result && !failed; result = result->next)
            failed = parse_times(result, &times[at++], why, size);
    cJSON_Delete(root);
    return failed;
}

void hyperfine_slope(const struct hyperfine_times *once, const struct hyperfine_times *twice,
                     double iterations, double *slope, double *half) {
    double sd1 = stats_sd(once->seconds, once->count), sd2 = stats_sd(twice->seconds, twice->count);
    size_t fewest = once->count < twice->count ? once->count : twice->count;
    double difference =
        stats_mean(twice->seconds, twice->count) - stats_mean(once->seconds, once->count);
    double variance = sd1 * sd1 / (double)once->count + sd2 * sd2 / (double)twice->count;
    *slope = difference / iterations;
    *half = stats_student95((double)fewest - 1) * sqrt(variance) / iterations;
}

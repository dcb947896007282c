// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes of srun's: what is found lies within them and has the hash that was announced. A
// result that is really there is found whatever stands around it; a damaged one never is.
#include "tests/fuzz/fuzz.h"

#include "campaign/fleet/frame.h"

#include <sha2.h>
#include <stdio.h>

struct parts {
    const char *noise;
    size_t noise_length;
    const char *payload;
    size_t payload_length;
};

static void check_raw(const char *text, size_t size) {
    struct error error = {0};
    const char *payload = NULL;
    size_t length = 0;
    char digits[65];
    if (frame_find(text, size, &payload, &length, &error)) {
        must(!strncmp(error.text, "srun's output: ", 15));
        return;
    }
    must(payload > text && length <= size && payload + length <= text + size);
    must(payload[-1] == '\n');
    SHA256Data((const uint8_t *)payload, length, digits);
    must(memmem(text, (size_t)(payload - text), digits, 64) != NULL);
}

// A frame around a part of the input, noise of the input on both sides. Returns where the payload
// stands in *text, which the caller frees.
static size_t make_frame(const struct parts *parts, char **text, size_t *length) {
    char digits[65];
    SHA256Data((const uint8_t *)parts->payload, parts->payload_length, digits);
    FILE *stream = open_memstream(text, length);
    fwrite(parts->noise, 1, parts->noise_length, stream);
    fprintf(stream, "\n" FRAME_LINE, parts->payload_length, digits);
    fflush(stream);
    size_t at = *length;
    fwrite(parts->payload, 1, parts->payload_length, stream);
    fwrite(parts->noise, 1, parts->noise_length, stream);
    fclose(stream);
    return at;
}

static void check_made(const struct parts *parts) {
    struct error error = {0};
    const char *found = NULL;
    char *text;
    size_t found_length = 0, length, at = make_frame(parts, &text, &length);
    must(!frame_find(text, length, &found, &found_length, &error));
    must(found == text + at && found_length == parts->payload_length);
    if (found_length) {
        must(frame_find(text, at + found_length - 1, &found, &found_length, &error));
        text[at] ^= 1;
        must(frame_find(text, length, &found, &found_length, &error));
    }
    free(text);
}

// The first byte says where the noise ends and the payload begins.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    check_raw((const char *)data, size);
    if (!size)
        return 0;
    const char *rest = (const char *)data + 1;
    size_t cut = (size - 1) * (data[0] & 15) / 15;
    if (!memmem(rest, cut, "asmsweep-fleet-result", 21))
        check_made(&(struct parts){rest, cut, rest + cut, size - 1 - cut});
    return 0;
}

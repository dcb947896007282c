// SPDX-License-Identifier: GPL-3.0-or-later
// runner/engine: writes the pack (runner/guest/pack.h) that the guest's kernel runs.
#pragma once

#include "runner/engine/guest.h"

struct guest_pack {
    uint8_t *data; // owned; begins with a struct pack_header
    size_t bytes;
};

// Put `count` entries into *pack; their files are read here. -1 with *error naming the file that
// cannot be read. Free with guest_pack_free in both cases.
int guest_pack_build(struct guest_pack *pack, const struct guest_entry *entries, size_t count,
                     struct error *error);

// Make it the pack of one boot: begin with entry `first`, under a nonce of its own (getrandom).
int guest_pack_arm(struct guest_pack *pack, size_t first, struct error *error);

void guest_pack_free(struct guest_pack *pack);

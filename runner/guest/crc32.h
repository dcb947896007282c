// SPDX-License-Identifier: GPL-3.0-or-later
// runner/guest, shared by kernel and host: the CRC-32 (reflected polynomial 0xedb88320, as in IEEE
// 802.3) that guards the pack and every record of the channel. Freestanding: no library, no state.
#pragma once

#include <stddef.h>
#include <stdint.h>

// A table of 16 is small enough to build on the stack's side of a cache line and needs no start-up
// code in the kernel; two steps a byte are fast enough for packs of a few megabytes.
static const uint32_t crc32_nibble[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

// Continues a CRC over `bytes` bytes of `data`. Start with 0; feed the result of one call to the
// next to checksum something that lies in pieces.
static inline uint32_t crc32_add(uint32_t crc, const void *data, size_t bytes) {
    const uint8_t *byte = data;
    crc = ~crc;
    for (size_t i = 0; i < bytes; i++) {
        crc ^= byte[i];
        crc = crc >> 4 ^ crc32_nibble[crc & 15];
        crc = crc >> 4 ^ crc32_nibble[crc & 15];
    }
    return ~crc;
}

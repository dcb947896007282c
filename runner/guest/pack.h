// SPDX-License-Identifier: GPL-3.0-or-later
// runner/guest, shared by kernel and host: the pack (what the host hands the kernel as its initrd)
// and the records by which the kernel answers. Both sides are x86-64, so integers are written as
// they lie in memory.
//
// The pack: one struct pack_header, `entries` struct pack_entry, then argument strings and ELF
// files in any order, found by offset from the start of the pack. One ELF may serve many entries.
//
// The channel: bytes to I/O port PACK_PORT_CHANNEL. A record is one line
//     @asw SEQUENCE ENTRY KIND BYTES CRC\n
// (four numbers in hexadecimal of eight digits each, KIND a word of records.def), then BYTES bytes
// of payload. CRC is crc32_add over the boot's nonce, then "SEQUENCE ENTRY KIND BYTES", then the
// payload. SEQUENCE counts from 0 in each boot. A variant at CPL3 with IOPL=3, or at CPL0, can
// write to the port as well; it does not know the nonce, so what it writes is no record.
#pragma once

#include <stdint.h>

#define PACK_MAGIC "asmswpk1"
#define PACK_NONCE_BYTES 16
#define PACK_RECORD_MARK "@asw "
#define PACK_PAYLOAD_MAX 4096     // bytes of payload in one record, at most
#define PACK_NO_ENTRY 0xffffffffu // ENTRY of a record that belongs to the boot itself
#define PACK_PORT_CHANNEL 0xe9    // QEMU's isa-debugcon
#define PACK_PORT_EXIT 0xf4       // QEMU's isa-debug-exit
#define PACK_EXIT_VALUE 16        // written to it after the last entry: QEMU exits with 33

// Where the kernel puts a stack; nothing is mapped below it.
#define PACK_STACK_TOP 0x7ffffffff000
#define PACK_STACK_BYTES 0x20000

struct pack_header {
    char magic[8];
    uint8_t nonce[PACK_NONCE_BYTES]; // random, new in each boot
    uint64_t bytes;                  // size of the whole pack
    uint32_t entries;
    uint32_t first; // entry to begin with: a later boot goes on behind a stray
};

struct pack_entry {
    uint64_t elf_offset, elf_bytes;
    uint64_t argument_offset; // argument_count strings, each ended by NUL
    uint32_t argument_bytes, argument_count;
    uint32_t elf_crc;
    uint32_t ring; // 0: CPL0. 3: CPL3 with IOPL=3
    uint32_t reserved;
    uint32_t entry_crc; // over all fields before this one
};

// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/engine/guest_pack.h"

#include "common/disk.h"
#include "common/memory.h"
#include "runner/guest/crc32.h"
#include "runner/guest/pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { ALIGNMENT = 16 };
enum { LOOK_BACK = 64 }; // entries

// Begin a part of the pack; its offset.
static uint64_t begin_part(FILE *pack) {
    while (ftell(pack) % ALIGNMENT)
        fputc(0, pack);
    return (uint64_t)ftell(pack);
}

static int add_file(FILE *pack, struct pack_entry *entry, const char *path, struct error *error) {
    size_t bytes;
    char *file = disk_read(path, &bytes, error);
    if (file == NULL)
        return -1;
    entry->elf_offset = begin_part(pack);
    entry->elf_bytes = bytes;
    entry->elf_crc = crc32_add(0, file, bytes);
    fwrite(file, 1, bytes, pack);
    free(file);
    return bytes ? 0 : error_set(error, ERROR_INPUT, path, 0, "the variant is empty");
}

static void add_arguments(FILE *pack, struct pack_entry *entry, const char *const *argv) {
    entry->argument_offset = begin_part(pack);
    entry->argument_bytes = entry->argument_count = 0;
    for (; *argv; argv++) {
        uint32_t bytes = (uint32_t)strlen(*argv) + 1;
        fwrite(*argv, 1, bytes, pack);
        entry->argument_bytes += bytes;
        entry->argument_count++;
    }
}

// A proof packs each file several times in a row. Farther back it is cheaper to pack the file
// again than to look for it: packs have up to ten thousands of entries.
static size_t earlier_with_path(const struct guest_entry *entries, size_t index) {
    for (size_t i = index; i-- > 0 && index - i <= LOOK_BACK;)
        if (!strcmp(entries[i].path, entries[index].path))
            return i;
    return index;
}

int guest_pack_build(struct guest_pack *pack, const struct guest_entry *entries, size_t count,
                     struct error *error) {
    struct pack_entry *table = memory_zero(count, sizeof *table);
    struct pack_header header = {.magic = PACK_MAGIC, .entries = (uint32_t)count};
    FILE *stream = text_open((char **)&pack->data, &pack->bytes);
    int failed = 0;
    fwrite(&header, sizeof header, 1, stream);
    fwrite(table, sizeof *table, count, stream);
    for (size_t i = 0; !failed && i < count; i++) {
        size_t same = earlier_with_path(entries, i);
        table[i] = table[same];
        failed = same == i ? add_file(stream, &table[i], entries[i].path, error) : 0;
        table[i].ring = entries[i].ring ? 3 : 0;
        add_arguments(stream, &table[i], entries[i].argv);
        table[i].entry_crc = crc32_add(0, &table[i], offsetof(struct pack_entry, entry_crc));
    }
    text_close(stream);
    header.bytes = pack->bytes;
    memcpy(pack->data, &header, sizeof header);
    memcpy(pack->data + sizeof header, table, count * sizeof *table);
    free(table);
    return failed;
}

int guest_pack_arm(struct guest_pack *pack, size_t first, struct error *error) {
    struct pack_header *header = (struct pack_header *)pack->data;
    header->first = (uint32_t)first;
    if (getrandom(header->nonce, sizeof header->nonce, 0) != sizeof header->nonce)
        return error_errno(error, ERROR_MISSING, NULL, "no random bytes for the guest's nonce");
    return 0;
}

void guest_pack_free(struct guest_pack *pack) {
    free(pack->data);
    *pack = (struct guest_pack){0};
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/engine/guest_pack.h"

#include "runner/guest/crc32.h"
#include "runner/guest/pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { ALIGNMENT = 16 };
enum { LOOK_BACK = 64 }; // entries

static int no_memory(struct error *error) {
    return error_set(error, ERROR_MISSING, NULL, 0, "not enough memory for the guest's pack");
}

// Room for `bytes` more, zeroed and aligned; its offset comes back, 0 when memory is out.
static size_t reserve(struct guest_pack *pack, size_t bytes) {
    size_t offset = (pack->bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    uint8_t *moved = realloc(pack->data, offset + bytes + 1);
    if (!moved)
        return 0;
    memset(moved + pack->bytes, 0, offset + bytes + 1 - pack->bytes);
    pack->data = moved;
    pack->bytes = offset + bytes;
    return offset;
}

static struct pack_entry *table_of(const struct guest_pack *pack) {
    return (struct pack_entry *)(pack->data + sizeof(struct pack_header));
}

static int add_file(struct guest_pack *pack, size_t index, const char *path, struct error *error) {
    FILE *file = fopen(path, "rbe");
    if (!file)
        return error_errno(error, ERROR_INPUT, path, "cannot open the variant");
    long bytes = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
    rewind(file);
    size_t offset = bytes > 0 ? reserve(pack, (size_t)bytes) : 0;
    size_t got = offset ? fread(pack->data + offset, 1, (size_t)bytes, file) : 0;
    fclose(file);
    if (bytes <= 0)
        return error_set(error, ERROR_INPUT, path, 0, "the variant is empty or no file");
    if (!offset)
        return no_memory(error);
    if (got != (size_t)bytes)
        return error_set(error, ERROR_INPUT, path, 0, "the variant cannot be read to its end");
    struct pack_entry *entry = &table_of(pack)[index];
    entry->elf_offset = offset;
    entry->elf_bytes = got;
    entry->elf_crc = crc32_add(0, pack->data + offset, got);
    return 0;
}

static int add_arguments(struct guest_pack *pack, size_t index, const char *const *argv,
                         struct error *error) {
    size_t bytes = 0, count = 0;
    while (argv[count])
        bytes += strlen(argv[count++]) + 1;
    size_t offset = reserve(pack, bytes);
    if (!offset)
        return no_memory(error);
    char *at = (char *)pack->data + offset;
    for (size_t i = 0; i < count; i++)
        at = stpcpy(at, argv[i]) + 1;
    struct pack_entry *entry = &table_of(pack)[index];
    entry->argument_offset = offset;
    entry->argument_bytes = (uint32_t)bytes;
    entry->argument_count = (uint32_t)count;
    return 0;
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
    *pack = (struct guest_pack){0};
    reserve(pack, sizeof(struct pack_header) + count * sizeof(struct pack_entry));
    if (!pack->data)
        return no_memory(error);
    for (size_t i = 0; i < count; i++) {
        size_t same = earlier_with_path(entries, i);
        if (same == i && add_file(pack, i, entries[i].path, error))
            return -1;
        if (same != i)
            table_of(pack)[i] = table_of(pack)[same];
        table_of(pack)[i].ring = entries[i].ring ? 3 : 0;
        if (add_arguments(pack, i, entries[i].argv, error))
            return -1;
        struct pack_entry *entry = &table_of(pack)[i];
        entry->entry_crc = crc32_add(0, entry, offsetof(struct pack_entry, entry_crc));
    }
    struct pack_header *header = (struct pack_header *)pack->data;
    memcpy(header->magic, PACK_MAGIC, sizeof header->magic);
    header->bytes = pack->bytes;
    header->entries = (uint32_t)count;
    return 0;
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

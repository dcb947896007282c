// SPDX-License-Identifier: GPL-3.0-or-later
// campaign/fleet: structs of texts, and the CSV files that hold them.
#pragma once

#include "common/table.h"

#include <stddef.h>

// A char array within a struct, under its column's or key's name.
struct field {
    const char *name;
    size_t offset, size;
};
#define FIELD_OF(type, member)                                                                     \
    { #member, offsetof(type, member), sizeof(((type *)0)->member) }

struct fields {
    const struct field *list;
    size_t count;
    size_t size; // of the whole struct
};

const char *field_text(const struct field *field, const void *item);

// Set a field. -1 if the text is too long.
int field_set(const struct field *field, void *item, const char *text);

// One row an item, under a header. 0 or -1.
int fields_write_rows(const char *path, const struct fields *fields, const void *items,
                      size_t count, struct error *error);

// The same back; what no column fills is 0. *items (its address is given) is the caller's to free
// and may grow by memory_more. 0 or -1.
int fields_read_rows(const char *path, const struct fields *fields, void *items, size_t *count,
                     struct error *error);

// One item as rows of key and value. 0 or -1.
int fields_write_pairs(const char *path, const struct fields *fields, const void *item,
                       struct error *error);

// The same from a table; unknown keys (of a later version) are passed over. 0 or -1.
int fields_take_pairs(const struct table *table, const struct fields *fields, void *item,
                      struct error *error);
extern const char *const fields_pair[]; // a table's columns for it

// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/run/code.h"

#include "common/disk.h"
#include "common/memory.h"

#include <sha2.h>
#include <stdlib.h>
#include <string.h>

static struct proof_row *find(const struct code *code, const char *variant) {
    struct proof_row *row = code->proof.row;
    for (size_t i = 0; i < code->proof.count; i++)
        if (!strcmp(row[i].variant, variant))
            return &row[i];
    return NULL;
}

static int write_proof(const struct store *store, const struct code *code, struct error *error) {
    char *text;
    size_t length;
    FILE *stream = text_open(&text, &length);
    rows_write_all(stream, &code->proof);
    text_close(stream);
    int failed = store_write_file(store, "proof.csv", text, length, error);
    free(text);
    return failed;
}

static int write_listing(const struct store *store, const char *variant,
                         const struct execution_code *it, struct error *error) {
    return disk_make_folders(PATH("%s/code", store->directory), error) ||
           store_write_file(store, PATH("code/%s.txt", variant), it->listing, it->length, error);
}

// Of the first load, and of the first that is proved.
static int keep_first(const struct store *store, struct code *code, struct proof_row *row,
                      const struct execution_code *it, struct error *error) {
    char digits[SHA256_DIGEST_STRING_LENGTH];
#define OWN(text) rows_own(&code->proof, text_make("%s", text))
    row->native = OWN(it->verdict);
    row->native_mix = OWN(it->mix);
    row->native_order = OWN(it->order);
    row->calls = OWN(it->calls);
    row->restores = OWN(it->restores);
    row->listing_sha256 = OWN(SHA256Data((const uint8_t *)it->listing, it->length, digits));
#undef OWN
    return write_listing(store, row->variant, it, error) || write_proof(store, code, error);
}

int code_keep(const struct store *store, const char *variant, struct execution *execution,
              struct code *code, struct error *error) {
    const struct execution_code *it = execution->code;
    if (!it)
        return 0;
    if (!code->is_read &&
        rows_read(PATH("%s/proof.csv", store->directory), FILE_proof, NULL, &code->proof, error))
        return -1;
    code->is_read = true;
    struct proof_row *row = find(code, variant);
    if (!row)
        return 0;
    if (strcmp(row->native, "proved") != 0)
        return keep_first(store, code, row, it, error) ? -1 : 0;
    if (strcmp(it->verdict, "proved") != 0 ||
        (!strcmp(it->order, row->native_order) && !strcmp(it->calls, row->calls)))
        return 0;
    ends_with(execution, STATUS_unproved,
              "what the kernel executes is not what it was at the first load (code/%s.txt)",
              variant);
    execution->slices = (struct slices){0}; // the engine frees its own
    execution->count = 0;
    return 0;
}

void code_free(struct code *code) {
    rows_free(&code->proof);
    *code = (struct code){0};
}

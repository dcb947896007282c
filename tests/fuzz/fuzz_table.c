// SPDX-License-Identifier: GPL-3.0-or-later
// Any CSV: every row has every column, or an error names a line. What was read is written
// and read again the same.
#include "tests/fuzz/fuzz.h"

#include "common/table.h"

static void write_table(const struct table *table, char **text, size_t *length) {
    FILE *stream = open_memstream(text, length);
    table_write_row(stream, (const char *const *)table->header, table->columns);
    for (size_t row = 0; row < table->rows; row++)
        table_write_row(stream, (const char *const *)(table->cells + row * table->columns),
                        table->columns);
    fclose(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct error error = {0};
    struct table table, again;
    if (table_parse("f.csv", (const char *)data, size, NULL, &table, &error)) {
        must(error.text[0] != '\0' && !table.cells);
        return 0;
    }
    char *text;
    size_t length;
    write_table(&table, &text, &length);
    // A row of one empty cell is an empty line, which is no row: the one thing CSV cannot say.
    if (table.columns > 1) {
        must(!table_parse("f.csv", text, length, NULL, &again, &error));
        must(again.rows == table.rows && again.columns == table.columns);
        for (size_t i = 0; i < table.rows * table.columns; i++)
            must(!strcmp(again.cells[i], table.cells[i]));
        table_free(&again);
    }
    free(text);
    table_free(&table);
    return 0;
}

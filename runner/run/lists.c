// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-run lists: the row lists as Markdown tables, for the documentation.
#include "runner/run/command.h"

#include "common/rows.h"

#include <stdio.h>

int command_lists(int argc, char **argv, struct error *error) {
    (void)argc, (void)argv, (void)error;
    printf("| status | meaning |\n|---|---|\n");
    for (int i = 0; i < STATUS_COUNT; i++)
        printf("| %s | %s |\n", status_name((enum status)i), status_meaning((enum status)i));
    printf("\n| privilege | meaning |\n|---|---|\n");
    for (int i = 0; i < PRIVILEGE_COUNT; i++)
        printf("| %s | %s |\n", privilege_name((enum privilege)i),
               privilege_meaning((enum privilege)i));
    printf("\n| remark | meaning |\n|---|---|\n");
    for (int i = 0; i < REMARK_COUNT; i++)
        printf("| %s | %s |\n", remark_name((enum remark)i), remark_meaning((enum remark)i));
    printf("\n| quantity | unit |\n|---|---|\n");
    for (int i = 0; i < QUANTITY_COUNT; i++)
        printf("| %s | %s per iteration |\n", quantity_name((enum quantity)i),
               quantity_unit((enum quantity)i));
    for (int i = 0; i < CSV_FILE_COUNT; i++) {
        size_t count;
        const struct column *columns = rows_columns((enum csv_file)i, &count);
        printf("\n%s:", rows_file_name((enum csv_file)i));
        for (size_t at = 0; at < count; at++)
            printf("%s%s", at ? ", " : " ", columns[at].name);
        printf("\n");
    }
    return 0;
}

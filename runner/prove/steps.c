// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/prove/steps.h"

#include <stdio.h>
#include <string.h>

int steps_parse(const struct option_list *list, int argc, char **argv, const char **build_dir,
                struct error *error) {
    size_t count;
    int status = options_parse(list, argc, argv, build_dir, 1, &count, error);
    if (status == 1)
        options_help(list, "asmsweep-prove", stdout);
    if (!status && !count)
        return error_set(error, ERROR_INPUT, NULL, 0, "no BUILD_DIR given; see --help");
    return status;
}

int steps_paths(const char *build_dir, char **plan, char **proof, struct error *error) {
    *plan = *proof = NULL;
    if (asprintf(plan, "%s/variants.csv", build_dir) < 0 ||
        asprintf(proof, "%s/proof.csv", build_dir) < 0)
        return steps_no_memory(error);
    return 0;
}

size_t steps_report(const struct proof *proof) {
    size_t bad = 0;
    for (size_t i = 0; i < proof->count; i++) {
        const struct proof_row *row = &proof->rows[i];
        if (!strcmp(proof_cell(row, COLUMN_proof_status), "ok"))
            continue;
        bad++;
        fprintf(stderr, "%s: %s: %s\n", proof_cell(row, COLUMN_proof_variant),
                proof_cell(row, COLUMN_proof_status), proof_cell(row, COLUMN_proof_detail));
    }
    return bad;
}

int steps_not_proved(const char *path, const struct proof *proof, size_t bad, struct error *error) {
    return error_set(error, ERROR_INCOMPLETE, path, 0, "%zu of %zu are not proved", bad,
                     proof->count);
}

int steps_no_memory(struct error *error) {
    return error_set(error, ERROR_MISSING, NULL, 0, "not enough memory for the proof");
}

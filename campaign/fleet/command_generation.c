// SPDX-License-Identifier: GPL-3.0-or-later
// asmsweep-fleet generation: what an administrator writes as a box's first feature.
#include "campaign/fleet/command.h"

#include "campaign/fleet/claims.h"
#include "runner/host/machine.h"

#include <stdio.h>

int command_generation(int argc, char **argv, struct error *error) {
    struct machine machine;
    const char *found;
    char feature[64];
    if (argc > 1)
        return error_set(error, ERROR_INPUT, NULL, 0, "generation takes no argument, not '%s'",
                         argv[1]);
    machine_describe(-1, &machine);
    claim_check("", machine.cpu_vendor, machine.cpu_family, machine.cpu_model, &found);
    if (!*found)
        return error_set(error, ERROR_MISSING, NULL, 0,
                         "%s family %s model %s is in no row of common/generations.def; any name "
                         "will do as a feature, its claim stays unchecked",
                         machine.cpu_vendor, machine.cpu_family, machine.cpu_model);
    puts(claim_feature(found, feature, sizeof feature));
    return 0;
}

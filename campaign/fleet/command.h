// SPDX-License-Identifier: GPL-3.0-or-later
// campaign/fleet: the commands of asmsweep-fleet.
#pragma once

#include "common/program.h"

program_function command_submit, command_again, command_status, command_collect;
program_function command_generation, command_node, command_carry;

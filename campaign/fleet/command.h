// SPDX-License-Identifier: GPL-3.0-or-later
// campaign/fleet: the commands of asmsweep-fleet, each a program_function.
#pragma once

#include "common/error.h"

int command_submit(int argc, char **argv, struct error *error);
int command_again(int argc, char **argv, struct error *error);
int command_status(int argc, char **argv, struct error *error);
int command_collect(int argc, char **argv, struct error *error);
int command_generation(int argc, char **argv, struct error *error);
int command_node(int argc, char **argv, struct error *error);
int command_carry(int argc, char **argv, struct error *error);

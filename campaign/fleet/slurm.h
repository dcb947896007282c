// SPDX-License-Identifier: GPL-3.0-or-later
// campaign/fleet: the only place that calls Slurm: sinfo, sbatch, squeue, srun.
//
// Each as an argument vector; what they print goes to slurm_text.h.
#pragma once

#include "campaign/fleet/fleet.h"
#include "campaign/fleet/slurm_text.h"
#include "campaign/fleet/tool.h"

// All nodes of the partition ("": of every partition). Free *nodes in both cases.
int slurm_nodes(const char *partition, struct slurm_nodes *nodes, struct error *error);

// The jobs with these names, finished ones included as long as Slurm remembers them (MinJobAge).
// `names` are separated by commas. Free *jobs in both cases.
int slurm_jobs(const char *names, struct slurm_jobs *jobs, struct error *error);

struct slurm_request {
    const char *name, *generation; // the job's name; the constraint
    const struct fleet_settings *settings;
    const char *log;            // of the batch script; NULL for slurm_run
    const char *const *command; // script or program with its arguments; the settings' `run` follows
};

// Hand a batch script to Slurm; *id gets the job's number.
int slurm_submit(const struct slurm_request *request, long long *id, struct error *error);

// Run a program on a node of the generation, with `input` as its standard input, and wait for it.
// 0 when srun could be started, however it ended (look at *result); free *result in both cases.
int slurm_run(const struct slurm_request *request, int input, struct process_result *result,
              struct error *error);

// SPDX-License-Identifier: GPL-3.0-or-later
// campaign/fleet: seen.csv, the last state in which squeue showed each job. Slurm forgets ended
// jobs after MinJobAge (300 s by default) and sacct is not there everywhere.
#pragma once

#include "campaign/fleet/slurm_text.h"

// Read a fleet's seen.csv (it may not exist), put what squeue says `now` over it, write it if that
// changed anything. *seen gets all of it; free with slurm_jobs_free in both cases. 0 or -1.
int seen_update(const char *directory, const struct slurm_jobs *now, struct slurm_jobs *seen,
                struct error *error);

// SPDX-License-Identifier: GPL-3.0-or-later
// campaign/fleet: a fleet's folder, which holds all of its state.
//
//   fleet.csv            what it is and what it was told (key, value); written last: without it
//                        the folder is no fleet
//   submissions.csv      one row a job handed to Slurm: generation, claim, job, submitted_utc
//   seen.csv             the last state in which Slurm showed each job: Slurm forgets
//   pack/, pack.tar      what the nodes get (pack.h); the tar only without a shared folder
//   logs/                what the jobs and carriers said
//   results/             attempts (attempt.h)
//   collected.csv        written by collect
#pragma once

#include "campaign/fleet/fleet_settings.h"

#include <stddef.h>

struct submission {
    char generation[64], claim[64];
    long long job; // 0: a carrier's, the number is known when it comes back
    char submitted_utc[32];
};

struct fleet {
    char *directory; // absolute
    char id[64], sweep[256], created_utc[32], pack_sha256[65];
    struct fleet_settings settings;
    size_t count; // submissions, oldest first
    struct submission *submissions;
    char *values; // where the settings' texts are kept
};

// Read a fleet's folder; NULL: the newest in the folder `store`. Free with fleet_free in both
// cases. 0 or -1.
int fleet_read(const char *directory, const char *store, struct fleet *fleet, struct error *error);

// Write fleet.csv. 0 or -1.
int fleet_write(const struct fleet *fleet, struct error *error);

// Add a submission, in memory and in submissions.csv. 0 or -1.
int fleet_add(struct fleet *fleet, const char *generation, const char *claim, long long job,
              struct error *error);

void fleet_free(struct fleet *fleet);

// The folder of fleets if nothing is said, and the time of now as its files have it.
#define FLEET_STORE "results/data/fleet"
void fleet_time(char text[32]);

// The name of a generation's jobs in Slurm; the caller frees.
char *fleet_job_name(const struct fleet *fleet, const char *generation);

// Hand a generation to Slurm: a job, or without a shared folder a carrier. 0 or -1.
int fleet_submit(struct fleet *fleet, const char *generation, const char *claim,
                 struct error *error);

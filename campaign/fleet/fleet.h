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

#include "common/disk.h"

#include <limits.h>
#include <stddef.h>

// What a fleet can be told, on the command line and in a file. The file is TOML of the simplest
// kind: NAME = "VALUE" (or a bare number, true or false), one a line, and # comments.
#define SETTING_SIZE 2048

struct fleet_settings {
#define SETTING(name, argument, otherwise, text) char name[SETTING_SIZE];
#include "campaign/fleet/settings.def"
#undef SETTING
};

// Fill from a file's text those that are empty so far: the command line comes first. `path` is for
// messages. 0 or -1.
int fleet_settings_parse(const char *path, const char *text, struct fleet_settings *settings,
                         struct error *error);

// Fill what was not given, and check what can be checked without Slurm. 0 or -1.
int fleet_settings_complete(struct fleet_settings *settings, struct error *error);

// The generation that a feature claims, by `claims`; the feature itself if it is not named there.
// Writes at most size bytes with NUL.
void fleet_settings_claim(const struct fleet_settings *settings, const char *generation,
                          char *claim, size_t size);

// Nonzero if `generations` is empty or names this one.
int fleet_settings_wants(const struct fleet_settings *settings, const char *generation);

struct submission {
    char generation[64], claim[64];
    char job[24]; // "": a carrier's, the number is known when it comes back
    char submitted_utc[32];
};

struct fleet {
    char directory[PATH_MAX]; // absolute
    char id[64], sweep[256], created_utc[32], pack_sha256[65];
    struct fleet_settings settings;
    size_t count; // submissions, oldest first
    struct submission *submissions;
};

// Read a fleet's folder; NULL: the newest in the folder `store`. Free with fleet_free in both
// cases. 0 or -1.
int fleet_read(const char *directory, const char *store, struct fleet *fleet, struct error *error);

// Write fleet.csv. 0 or -1.
int fleet_write(const struct fleet *fleet, struct error *error);

// Add a submission, in memory and in submissions.csv; `job` is "" for a carrier's. 0 or -1.
int fleet_add(struct fleet *fleet, const char *generation, const char *claim, const char *job,
              struct error *error);

void fleet_free(struct fleet *fleet);

// The folder of fleets if nothing is said, and the time of now as its files have it.
#define FLEET_STORE "results/data/fleet"
enum { FLEET_TIME = 32 };
void fleet_time(char text[FLEET_TIME]);

// The name of a generation's jobs in Slurm.
struct path fleet_job_name(const struct fleet *fleet, const char *generation);

// Hand a generation to Slurm: a job, or without a shared folder a carrier. 0 or -1.
int fleet_submit(struct fleet *fleet, const char *generation, const char *claim,
                 struct error *error);

// Is somebody on the way with a generation? A lock on carriers/GENERATION that the kernel lets go
// of whatever ends its holder. Take it: a descriptor to keep open, or -1 with *error if there is a
// carrier already.
int carrier_lock(const char *directory, const char *generation, struct error *error);

// Nonzero while a carrier lives.
int carrier_alive(const char *directory, const char *generation);

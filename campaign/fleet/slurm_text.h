// SPDX-License-Identifier: GPL-3.0-or-later
// campaign/fleet: what Slurm's programs print, as values. Text in, values out: no processes here.
//
// The formats are asked for with -o by slurm.c and are one line an item with '|' between the
// fields (sinfo(1), squeue(1)). A line that is not as asked is an error that quotes it.
#pragma once

#include "campaign/fleet/fields.h"

#define SLURM_NODES_FORMAT "%N|%f|%T"
#define SLURM_JOBS_FORMAT "%i|%j|%T|%r|%N"

struct slurm_node {
    char name[256];
    char generation[64]; // its first feature; "" if it has none
    char state[32];      // as sinfo says it: idle, mixed, drained, down*, ...
};

struct slurm_nodes {
    size_t count;
    struct slurm_node *nodes; // count of them, in sinfo's order; the caller's to free
};

// Parse sinfo -h -N -o SLURM_NODES_FORMAT. A node that stands in several partitions is taken once.
// A first feature that is no name ([A-Za-z0-9_.-], it becomes a path) is an error. 0 or -1.
int slurm_parse_nodes(const char *text, struct slurm_nodes *nodes, struct error *error);

// Can a job start on a node of this state now or when other jobs end? Not on one that is drained,
// down, failing, powered off or does not respond (a '*' behind the state).
int slurm_state_usable(const char *state);

// Nonzero for a text that may be a generation's name.
int slurm_is_name(const char *text);

struct slurm_job {
    long long id; // `job` as a number, without an array's index
    char job[64], name[256], state[32], reason[128], node[256];
};
extern const struct fields slurm_job_fields; // in the format's order

struct slurm_jobs {
    size_t count;
    struct slurm_job *jobs; // count of them; the caller's to free
};

// Parse squeue -h -t all -o SLURM_JOBS_FORMAT. 0 or -1.
int slurm_parse_jobs(const char *text, struct slurm_jobs *jobs, struct error *error);

// Set a job's id by its text. 0 or -1.
int slurm_job_number(struct slurm_job *job);

// Will a job of this state still bring something? (PENDING, RUNNING, COMPLETING, ...)
int slurm_state_alive(const char *state);

// The job's number from sbatch --parsable: "ID" or "ID;CLUSTER"; lines before it (a site's
// greeting) are passed over. 0 or -1.
int slurm_parse_submitted(const char *text, long long *id, struct error *error);

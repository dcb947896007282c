// SPDX-License-Identifier: GPL-3.0-or-later
// runner/host: which of our own CPUs share a core, found by trying, as the kernel of a virtual
// machine need not know; and a busy neighbour of our own.
#pragma once

#include "runner/host/width.h"

#include <sched.h>

// A thread that runs nops on a CPU while it is told to.
struct neighbour;

// NULL with *error where it cannot be had. It rests until neighbour_work(…, true).
struct neighbour *neighbour_start(int cpu, struct error *error);
void neighbour_work(struct neighbour *neighbour, bool busy);
unsigned long neighbour_beats(const struct neighbour *neighbour); // pieces of its work so far
void neighbour_stop(struct neighbour *neighbour);

enum sharing { SHARING_no, SHARING_yes, SHARING_unknown };

// By the slices of a CPU while another was busy, and those of the same time while it was not: a
// busy neighbour leaves no slice quiet, one elsewhere leaves those that were.
enum sharing neighbour_judge(const struct width_count *beside, const struct width_count *alone);

// Try two CPUs for at most `seconds`, usually 10 ms. Unknown: the level of `cpu` is not confirmed,
// or somebody else was there all the time, on the core or on the other CPU.
enum sharing neighbour_try(int cpu, int other, const struct width_level *level, double seconds);

// The CPUs that share the core of `cpu`, without itself, as far as the kernel and trials with a few
// of the others tell it, in *siblings.
void neighbour_siblings(int cpu, const struct width_level *level, cpu_set_t *siblings);

// The first of them; -1: there is none.
int neighbour_first(const cpu_set_t *siblings);

// Keep this process, and what it starts without pinning it, off a CPU and its siblings. Where no
// other CPU is left it may stay on the siblings, and on the CPU itself.
void neighbour_keep_off(int cpu, const cpu_set_t *siblings);

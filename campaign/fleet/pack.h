// SPDX-License-Identifier: GPL-3.0-or-later
// campaign/fleet: what every node gets: the programs and the built variants, with their hashes.
//
//   bin/asmsweep-run, bin/asmsweep-fleet   static: a node needs nothing installed
//   guest/                                 what the guest engine boots, where it was built
//   sweep/                                 of the build directory: variants.csv, proof.csv, bin/,
//                                          differences.csv, sweep.json
//   SHA256SUMS                             of all of them, as sha256sum prints and checks it
#pragma once

#include "common/error.h"

#include <sha2.h>

// Make a pack in `folder` (made, must not exist) from a build directory and the programs beside
// this one. 0 or -1.
int pack_make(const char *build, const char *folder, struct error *error);

// Check every file of SHA256SUMS; `sum` gets the SHA-256 of the list itself: the pack's name.
// 0, or -1 with *error that names the first file that is not as it was.
int pack_check(const char *folder, char sum[SHA256_DIGEST_STRING_LENGTH], struct error *error);

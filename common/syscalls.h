// SPDX-License-Identifier: GPL-3.0-or-later
// common: Linux system calls by their names.
#pragma once

// The name of an x86-64 system call, "" if it has none here.
const char *syscall_name(unsigned number);

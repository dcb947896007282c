// SPDX-License-Identifier: GPL-3.0-or-later
// common: the three standard streams of a program, which its caller may have closed or
// pointed at a full disk. For main only.
#ifndef ASMSWEEP_STREAMS_H
#define ASMSWEEP_STREAMS_H

// First thing in main: a closed descriptor 0, 1 or 2 is opened on /dev/null (for reading,
// so that writing to it fails), or the next file that is opened would get its number, and
// what is printed would land in that file.
void streams_open(void);

// Last thing in main: `status`, or, when stdout did not take all that was printed, 2
// (ERROR_INPUT) after one line on stderr that begins with the name of `program`.
int streams_close(const char *program, int status);

#endif

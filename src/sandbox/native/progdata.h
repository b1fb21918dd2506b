/* SPDX-License-Identifier: Apache-2.0 */
/* progdata.h - what programs need beyond their libraries, and which of them run code. */
#ifndef NATIVE_PROGDATA_H
#define NATIVE_PROGDATA_H

#include <stdbool.h>
#include <stddef.h>

/* One file or directory that programs of this name open while they run, if it exists.
 *
 * In a path %p stands for the prefix of the program (/usr for /usr/bin/x), %i for the prefix of
 * the name it was asked for by (another one for a link: /venv/bin/python3), %v for the version in
 * its name (3.11 for python3.11), %m for the machine (x86_64-linux-gnu). */
struct progdata_row {
	const char *programs; /* a pattern, for the name asked for or the real one */
	const char *path;     /* with one word and no slash: a library that is loaded late */
	const char *modules;  /* the part of it to look through for libraries' needs; "." for all */
	bool execute;         /* the program runs programs from there */
};

extern const struct progdata_row progdata_rows[];
extern const size_t progdata_row_count;

/* Does a program of this name run code of its caller's choice, with no other program's help? */
bool progdata_is_interpreter(const char *name);

#endif

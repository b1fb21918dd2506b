/* SPDX-License-Identifier: Apache-2.0 */
/* programs.h - a list of programs becomes the list of files they need to load. */
#ifndef NATIVE_PROGRAMS_H
#define NATIVE_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { NEEDED_MAX = 1024 };

/* One file or directory that must be in the root. */
struct needed {
	char *source;   /* on the host: real path, no symbolic link left in it */
	size_t prefix;  /* so many bytes of it name the root; 0 for the host's */
	char *inside;   /* where the box must see it */
	bool directory; /* a tree of data (an interpreter's library) */
	bool execute;   /* may be executed: a program, or the loader */
};

struct needed_list {
	struct needed *items;
	size_t n;
	bool has_interpreter; /* some program runs code of its caller's choice: label it "code" */
};

void needed_list_done(struct needed_list *list);
void needed_list_end(struct needed_list *list); /* for own(needed_list) */

/* Finds each program (a name is looked up in the standard directories, a path is taken as it is)
 * beneath root ("" for the host) and adds it with its loader, libraries (transitively, as ld.so
 * would find them, without running anything), script interpreters and known data directories.
 * seen: who notes what was looked at (only in the host's root), or NULL. */
struct witness;
int programs_needed(const char *root, const char *const *programs, size_t n, struct witness *seen,
		    struct needed_list *ret, struct error *err);
/* Is there such a program, and may it go into a box?  The same question about one, without what it
 * needs. */
bool programs_exist(const char *root, const char *name);

#endif

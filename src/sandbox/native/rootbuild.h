/* SPDX-License-Identifier: Apache-2.0 */
/* rootbuild.h - makes a private root: programs of the host, copied with all they need. */
#ifndef NATIVE_ROOTBUILD_H
#define NATIVE_ROOTBUILD_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sandbox/native/treecopy.h"

enum { ROOT_PROGRAMS_MAX = 256 };

struct rootbuild {
	const char *dir;         /* must not exist, or be empty */
	const char *const *with; /* programs beyond the usual ones; they must exist */
	size_t n_with;
	bool bare; /* these and no others */
	/* Called before each file that is copied; may fail to stop.  NULL: nobody looks. */
	int (*look)(const struct treecopy *t, void *context, struct error *err);
	void *context;
	/* Proves that a box starts from the finished tree, before it gets its name. */
	int (*verify)(const char *dir, void *context, struct error *err);
};

struct rootbuild_result {
	uint64_t files;
	uint64_t links;
	uint64_t directories;
	uint64_t bytes;
	uint64_t skipped;
	const char *programs[ROOT_PROGRAMS_MAX]; /* ours, or from with */
	size_t n_programs;
};

/* All or nothing: the tree is made beside dir and renamed when it is complete and verified. */
int rootbuild_run(const struct rootbuild *b, struct rootbuild_result *ret, struct error *err);

#endif

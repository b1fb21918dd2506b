/* SPDX-License-Identifier: Apache-2.0 */
/* treecopy.h - copies files and trees of the host into a new root, with plain rights. */
#ifndef NATIVE_TREECOPY_H
#define NATIVE_TREECOPY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct treecopy {
	int to; /* the new root; nobody else writes there */
	uint64_t files;
	uint64_t links;
	uint64_t directories;
	uint64_t bytes;
	uint64_t skipped; /* devices, sockets, files we may not read, links to nowhere useful */
	/* Called before each file; may fail to stop the copy.  NULL: nobody looks. */
	int (*look)(const struct treecopy *t, void *context, struct error *err);
	void *context;
};

/* All paths inside are absolute, plain and mapped to /usr (rootdir_inside()).  What is there
 * already stays.  Files become 0755 or 0644 and keep their time; nothing else is kept: no owner,
 * no set-id bit, no extended attribute. */
int treecopy_directory(struct treecopy *t, const char *inside, struct error *err);
int treecopy_file(struct treecopy *t, const char *source, const char *inside, struct error *err);
int treecopy_tree(struct treecopy *t, const char *source, const char *inside, struct error *err);
/* A relative link at inside that leads to target, a path inside, too. */
int treecopy_link(struct treecopy *t, const char *target, const char *inside, struct error *err);
/* What is at source, whatever it is: a file, a directory (without what is in it), a link. */
int treecopy_entry(struct treecopy *t, const char *source, const char *inside, struct error *err);

#endif

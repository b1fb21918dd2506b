/* SPDX-License-Identifier: Apache-2.0 */
/* rootdir.h - looking for files beneath a root as a process inside it would.
 *
 * Absolute links and ".." stay beneath the root: a private root may hold any link.
 */
#ifndef NATIVE_ROOTDIR_H
#define NATIVE_ROOTDIR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/error.h"

struct witness;

struct rootdir {
	int fd;
	char *real;              /* without a slash at the end; "" for the host */
	struct witness *witness; /* notes what is looked for, in the host's; NULL: nobody does */
};

/* A file that exists. */
struct found {
	int fd;       /* O_PATH */
	char *source; /* real path on the host */
	struct stat st;
};

void found_done(struct found *f);
void found_end(struct found *f); /* for own(found) */

int rootdir_open(const char *root, struct rootdir *ret, struct error *err);
void rootdir_close(struct rootdir *root);
void rootdir_end(struct rootdir *root); /* for own(rootdir) */

/* openat2() as from inside a root that fd stands for; returns -1 with errno. */
int rootdir_open_in(int root, const char *path, int flags);
/* 1: found, all links followed.  0: there is nothing that could be opened.  -1: failed. */
int rootdir_find(const struct rootdir *root, const char *path, struct found *ret,
		 struct error *err);
/* Opens what was found for reading; only regular files and directories. */
int rootdir_read(const struct found *f, int *ret_fd, struct error *err);
/* The path of a source as seen from the root. */
const char *rootdir_within(const struct rootdir *root, const char *source);

/* Makes an absolute path plain (no //, ., ..) and maps /bin, /sbin, /lib and /lib64 to their
 * place in /usr, where every box has them. */
int rootdir_inside(const char *path, char **ret_inside, struct error *err);

#endif

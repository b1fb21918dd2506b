/* SPDX-License-Identifier: Apache-2.0 */
/* scratch.h - a directory for one test, gone with its scope: own(scratch) s = scratch_make(); */
#ifndef TESTS_SCRATCH_H
#define TESTS_SCRATCH_H

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct scratch {
	char path[64];
	int fd;
};

static int scratch_remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	(void)st;
	(void)kind;
	(void)where;
	(void)remove(path);
	return 0; /* go on: the rest must go, too */
}

static inline struct scratch scratch_make(void)
{
	struct scratch s = {.path = "/tmp/belljar-test-XXXXXX"};

	if (!mkdtemp(s.path)) {
		perror(s.path);
		_exit(99);
	}
	s.fd = open(s.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return s;
}

static inline void scratch_end(struct scratch *s)
{
	(void)close(s->fd);
	(void)nftw(s->path, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

#endif

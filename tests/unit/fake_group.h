/* SPDX-License-Identifier: Apache-2.0 */
/* fake_group.h - a control group whose counters are plain files: own(fake) f; open_fake(&f, 2); */
#ifndef TESTS_FAKE_GROUP_H
#define TESTS_FAKE_GROUP_H

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/own.h"
#include "sandbox/native/cgroup.h"
#include "scratch.h"

/* A group that is a directory. */
struct fake {
	struct scratch scratch;
	struct cgroup_slot slot;
	struct cgroup group;
};

static inline void fake_end(struct fake *f)
{
	own_fd_end(&f->group.v2);
	scratch_end(&f->scratch);
}

static inline void open_fake(struct fake *f, int version)
{
	f->scratch = scratch_make();
	if (mkdirat(f->scratch.fd, "g", 0755) < 0)
		abort();
	f->slot = (struct cgroup_slot){.n_trees = 1, .v2_place = -1, .launcher = -1};
	f->slot.trees[0] = (struct cgroup_tree){.dir = f->scratch.fd,
						.version = version,
						.controllers = (1U << CONTROLLER_COUNT) - 1};
	f->group = (struct cgroup){.slot = &f->slot, .v2 = -1, .name = "g"};
	if (version == 2)
		f->group.v2 = openat(f->scratch.fd, "g", O_PATH | O_CLOEXEC);
}

static inline void put(const struct fake *f, const char *name, const char *text)
{
	char path[64];
	own_fd fd = -1;

	(void)snprintf(path, sizeof(path), "g/%s", name);
	fd = openat(f->scratch.fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
}

#endif

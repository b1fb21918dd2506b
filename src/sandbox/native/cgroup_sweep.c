/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_sweep.c - removes what a killed belljar left behind.
 *
 * Only rmdir is used, which the kernel refuses while a process is inside: a
 * group in use cannot be hit.  An empty group is taken only if its maker, a pid
 * of our own pid namespace, is gone: a living one may be about to fill it.  The
 * random part of the name keeps a new process with the old pid out of the race.
 */
#include "sandbox/native/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/native/cgroup_name.h"

static bool maker_is_dead(const char *name, uint64_t namespace)
{
	uint64_t pid = 0, its_namespace = 0;
	int end = 0;

	if (sscanf(name, CGROUP_PREFIX "%7" SCNu64 "-%12" SCNx64 "-%n", &pid, &its_namespace,
		   &end) != 2)
		return false;
	if (end == 0 || pid == 0 || pid > INT32_MAX)
		return false;
	if (namespace == 0 || its_namespace != namespace)
		return false;
	return kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

static void close_listing(DIR **dir)
{
	if (*dir)
		(void)closedir(*dir);
}

static DIR *list(int at, const char *path)
{
	int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		(void)close(fd);
	return dir;
}

/* A slot of version 2 has children, and these have none. */
static bool remove_with_children(int place, const char *name)
{
	__attribute__((cleanup(close_listing))) DIR *dir = NULL;
	struct dirent *entry;

	if (unlinkat(place, name, AT_REMOVEDIR) == 0)
		return true;
	dir = errno == EBUSY ? list(place, name) : NULL;
	if (!dir)
		return false;
	while ((entry = readdir(dir)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			(void)unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
	return unlinkat(place, name, AT_REMOVEDIR) == 0;
}

static int sweep_place(const char *path, uint64_t namespace)
{
	__attribute__((cleanup(close_listing))) DIR *dir = list(AT_FDCWD, path);
	struct dirent *entry;
	int removed = 0;

	if (!dir)
		return 0;
	while ((entry = readdir(dir)))
		if (maker_is_dead(entry->d_name, namespace) &&
		    remove_with_children(dirfd(dir), entry->d_name))
			removed++;
	return removed;
}

static bool seen_before(const struct cgroup_host *host, unsigned c)
{
	for (unsigned other = 0; other < c; other++)
		if (host->places[other].version &&
		    strcmp(host->places[other].dir, host->places[c].dir) == 0)
			return true;
	return false;
}

int cgroup_sweep(const struct cgroup_host *host)
{
	uint64_t namespace = cgroup_pid_namespace();
	int removed = 0;

	for (unsigned c = 0; c < CONTROLLER_COUNT; c++)
		if (host->places[c].version && !seen_before(host, c))
			removed += sweep_place(host->places[c].dir, namespace);
	return removed;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* smallfile.c - small files that are replaced as a whole: readers see the old or the new one. */
#include "audit/smallfile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/own.h"

static int fill(int dir, const char *path, const void *data, size_t len, unsigned how,
		struct error *err)
{
	mode_t mode = how & SMALLFILE_PUBLIC ? 0644 : 0600;
	own_fd fd = openat(dir, path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode);

	if (fd < 0)
		return fail_sys(err, "make %s", path);
	if (fchmod(fd, mode) < 0)
		return fail_sys(err, "set the mode of %s", path);
	if (fd_write_all(fd, data, len, err) < 0)
		return fail_in(err, "%s", path);
	if (how & SMALLFILE_DURABLE && fdatasync(fd) < 0)
		return fail_sys(err, "sync %s", path);
	return 0;
}

/* The name that it has until it is whole.  Two that write the same one would each cut and rename
 * the other's: where that can be, everybody has a name of his own. */
static int name_beside(const char *path, unsigned how, char *ret, size_t room, struct error *err)
{
	char own[20] = "";
	uint64_t chance;
	int n;

	if (how & SMALLFILE_SHARED) {
		if (getrandom(&chance, sizeof(chance), 0) != sizeof(chance))
			return fail_sys(err, "get random bytes");
		(void)snprintf(own, sizeof(own), ".%016" PRIx64, chance);
	}
	n = snprintf(ret, room, "%s%s.new", path, own);
	return n < 0 || (size_t)n >= room ? fail(err, ERR_CONFIG, "%s: the path is too long", path)
					  : 0;
}

int smallfile_put(int dir, const char *path, const void *data, size_t len, unsigned how,
		  struct error *err)
{
	char beside[PATH_MAX];

	if (name_beside(path, how, beside, sizeof(beside), err) < 0)
		return -1;
	if (fill(dir, beside, data, len, how, err) < 0) {
		(void)unlinkat(dir, beside, 0);
		return -1;
	}
	if (renameat(dir, beside, dir, path) < 0) {
		(void)fail_sys(err, "rename %s", beside);
		(void)unlinkat(dir, beside, 0);
		return -1;
	}
	return 0;
}

ssize_t smallfile_get(int dir, const char *path, void *ret, size_t room, struct error *err)
{
	own_fd fd = openat(dir, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return fail(err, ERR_NOT_FOUND, "%s is missing", path);
	if (fd < 0)
		return fail_sys(err, "open %s", path);
	if (fstat(fd, &st) < 0)
		return fail_sys(err, "look at %s", path);
	if (!S_ISREG(st.st_mode))
		return fail(err, ERR_CONFIG, "%s is no plain file", path);
	if (st.st_size < 0 || (uint64_t)st.st_size > room)
		return fail(err, ERR_CONFIG, "%s is larger than it can be", path);
	return fd_read_all(fd, ret, room, err);
}

int smallfile_make_parents(int dir, const char *path, struct error *err)
{
	char part[PATH_MAX];

	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		size_t len = (size_t)(slash - path);

		if (len >= sizeof(part))
			return fail(err, ERR_CONFIG, "%s: the path is too long", path);
		memcpy(part, path, len);
		part[len] = '\0';
		if (mkdirat(dir, part, 0755) < 0 && errno != EEXIST)
			return fail_sys(err, "make the directory %s", part);
	}
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* beneath.c - opens files below a directory and nowhere else, whatever lies in between. */
#include "sandbox/native/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_resolved(int dir, const char *path, int flags, mode_t mode, uint64_t resolve)
{
	struct open_how how = {
		.flags = (unsigned)(flags | O_CLOEXEC),
		.mode = flags & O_CREAT ? mode : 0, /* openat2 refuses a mode nobody uses */
		.resolve = resolve,
	};

	/* EAGAIN: something was renamed or mounted meanwhile.  Whoever keeps doing that gets the
	 * error. */
	for (int tries = 0; tries < 16; tries++) {
		long fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));

		if (fd >= 0)
			return (int)fd;
		if (errno != EAGAIN && errno != EINTR)
			return -1;
	}
	return -1;
}

int beneath_open(int dir, const char *path, int flags, mode_t mode)
{
	return open_resolved(dir, path, flags, mode,
			     RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS |
				     RESOLVE_NO_XDEV);
}

int beneath_open_any_mount(int dir, const char *path, int flags, mode_t mode)
{
	return open_resolved(dir, path, flags, mode,
			     RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* file_lock.c - attacks the overlay: a lock on a shared file as a channel between boxes.
 *
 * hold KIND PATH: take the lock, say "ready", keep it until stdin ends.
 * try KIND PATH: can we see that somebody holds it?  KIND: flock, posix, lease.
 */
#include <fcntl.h>
#include <sys/file.h>

#include "escape.h"

static int fd;

static bool lock(const char *kind, bool *ret_busy)
{
	struct flock range = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	int result = -1;

	if (strcmp(kind, "flock") == 0)
		result = flock(fd, LOCK_EX | LOCK_NB);
	else if (strcmp(kind, "posix") == 0)
		result = fcntl(fd, F_SETLK, &range);
	else if (strcmp(kind, "lease") == 0)
		result = fcntl(fd, F_SETLEASE, F_RDLCK);
	else
		cannot("usage: no such lock: %s", kind);
	*ret_busy = errno == EWOULDBLOCK || errno == EACCES;
	return result == 0;
}

static void hold(const char *kind)
{
	bool busy;
	char byte;

	if (!lock(kind, &busy))
		cannot("lock: %m");
	(void)printf("ready\n");
	(void)fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	_exit(0);
}

/* A read lock does not collide with a read lock: ask whether a write lock would. */
static void ask_posix(void)
{
	struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (fcntl(fd, F_GETLK, &range) < 0)
		cannot("F_GETLK: %m");
	if (range.l_type == F_UNLCK)
		blocked("nobody's lock is seen");
	escaped("held by pid %d", (int)range.l_pid);
}

int main(int argc, char **argv)
{
	const char *verb = need_arg(argc, argv, 1, "hold or try");
	const char *kind = need_arg(argc, argv, 2, "kind of lock");
	const char *path = need_arg(argc, argv, 3, "path");
	bool busy;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		cannot("open %s: %m", path);
	if (strcmp(verb, "hold") == 0)
		hold(kind);
	tried("%s on %s", kind, path);
	if (strcmp(kind, "posix") == 0)
		ask_posix();
	if (lock(kind, &busy))
		blocked("ours at once: nobody's lock is seen");
	if (!busy)
		cannot("lock: %m");
	escaped("somebody holds it");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* attack_leaks.c - looks for what should not have come along into the box. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mqueue.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/native/attack_parts.h"

static bool is_expected(const char *variable)
{
	static const char *const names[] = {"PATH=",   "HOME=",   "USER=",  "LOGNAME=", "LANG=",
					    "LC_ALL=", "TMPDIR=", "SHELL=", "TERM=",    "BAIT_"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strncmp(variable, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

ATTACK(see_environment)
{
	(void)self, (void)bait;
	for (char **variable = environ; *variable; variable++) {
		if (is_expected(*variable))
			continue;
		fell(r, "%.*s came along", (int)strcspn(*variable, "="), *variable);
		return;
	}
	held(r, "only variables that were given");
}

enum { FDS_TO_SCAN = 65536 };

ATTACK(see_descriptors)
{
	struct rlimit limit = {.rlim_cur = FDS_TO_SCAN};
	int most;

	(void)self, (void)bait;
	(void)getrlimit(RLIMIT_NOFILE, &limit);
	most = limit.rlim_cur < FDS_TO_SCAN ? (int)limit.rlim_cur : FDS_TO_SCAN;
	for (int fd = STDERR_FILENO + 1; fd < most; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			continue;
		fell(r, "descriptor %d came along", fd);
		return;
	}
	held(r, "only 0, 1 and 2 of %d", most);
}

ATTACK(see_host_name)
{
	char name[65] = "";

	(void)self;
	(void)gethostname(name, sizeof(name) - 1);
	if (strcmp(bait->host, "box") == 0)
		skipped(r, "this host is itself called box");
	else if (name[0] == '\0' || strcmp(name, bait->host) == 0)
		fell(r, "the host's name can be seen");
	else
		held(r, "a name of its own");
}

/* "4:memory:/" in every line: a namespace of its own, rooted where the box is. */
ATTACK(see_cgroup_path)
{
	own_file file = fopen("/proc/self/cgroup", "re");
	char line[1024];

	(void)self, (void)bait;
	while (file && fgets(line, sizeof(line), file)) {
		char *path = strrchr(line, ':');

		if (path && strcmp(path, ":/\n") == 0)
			continue;
		line[strcspn(line, "\n")] = '\0';
		fell(r, "%.80s", line);
		return;
	}
	held(r, file ? "every path is /" : "cannot be read");
}

ATTACK(reach_segment)
{
	void *p = shmat((int)bait->segment, NULL, SHM_RDONLY);

	(void)self;
	(void)judge(r, p == (void *)-1 ? -1 : 0, "EINVAL EPERM EACCES ENOSYS");
}

ATTACK(reach_queue)
{
	(void)self;
	(void)judge(r, mq_open(bait->queue, O_RDONLY | O_CLOEXEC), "ENOENT EPERM EACCES ENOSYS");
}

/* A lock belongs to an inode: who meets the host's has the host's inode, and can signal through it
 * or stand in its way. */
ATTACK(see_locks)
{
	(void)self, (void)bait;
	for (size_t i = 0; bait_paths[i]; i++) {
		own_fd fd = open(bait_paths[i], O_RDONLY | O_CLOEXEC);

		if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
			continue;
		fell(r, "%s is the very inode of the host", bait_paths[i]);
		return;
	}
	held(r, "none of the host's locks is in sight");
}

enum { WATCH_MS = 300 };

static const char *path_of(int watch, const int *watches)
{
	for (size_t i = 0; bait_paths[i]; i++)
		if (watches[i] == watch)
			return bait_paths[i];
	return "something";
}

ATTACK(see_openings)
{
	own_fd fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	struct pollfd p = {.fd = fd, .events = POLLIN};
	struct inotify_event event = {0};
	int watches[BAIT_PATHS_MAX];
	char room[sizeof(event) + NAME_MAX + 1];

	(void)self, (void)bait;
	if (fd < 0) {
		(void)judge(r, fd, "EPERM ENOSYS EACCES");
		return;
	}
	for (size_t i = 0; bait_paths[i]; i++)
		watches[i] = inotify_add_watch(fd, bait_paths[i], IN_OPEN);
	if (poll(&p, 1, WATCH_MS) <= 0) {
		held(r, "nothing seen in %d ms", WATCH_MS);
		return;
	}
	if (read(fd, room, sizeof(room)) >= (ssize_t)sizeof(event))
		memcpy(&event, room, sizeof(event));
	fell(r, "somebody outside was seen opening %s", path_of(event.wd, watches));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* proc_root.c - attacks the mount namespace through the root and cwd links of other processes. */
#include <dirent.h>
#include <fcntl.h>

#include "escape.h"

static void look_through(const char *pid, const char *link, const char *secret)
{
	char path[4096], byte;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%s/%s/%s", pid, link, secret);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (read(fd, &byte, 1) == 1)
		escaped("read %s", path);
	(void)close(fd);
}

int main(int argc, char **argv)
{
	const char *secret = need_arg(argc, argv, 1, "secret");
	struct dirent *entry;
	DIR *proc;

	tried("/proc/*/root%s", secret);
	look_through("1", "root", secret);
	look_through("thread-self", "root", secret);
	proc = opendir("/proc");
	while (proc && (entry = readdir(proc))) {
		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			continue;
		look_through(entry->d_name, "root", secret);
		look_through(entry->d_name, "cwd/../../../../../../..", secret);
	}
	blocked("no process leads to it");
}

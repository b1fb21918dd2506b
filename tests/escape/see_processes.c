/* SPDX-License-Identifier: Apache-2.0 */
/* see_processes.c - attacks the pid namespace: find a process of the host.
 *
 * proc MARKER: a command line that holds MARKER; its own does too, so it is left out.
 * kill: any process that accepts a signal and is neither ours nor pid 1.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>

#include "escape.h"

static bool command_holds(const char *pid, const char *marker)
{
	char path[64], line[8192];
	ssize_t n;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%.20s/cmdline", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, line, sizeof(line));
	(void)close(fd);
	return n > 0 && memmem(line, (size_t)n, marker, strlen(marker));
}

static void by_proc(int argc, char **argv)
{
	const char *marker = need_arg(argc, argv, 2, "marker");
	char self[16];
	struct dirent *entry;
	DIR *proc = opendir("/proc");

	(void)snprintf(self, sizeof(self), "%d", (int)getpid());
	tried("look for %s in /proc", marker);
	while (proc && (entry = readdir(proc)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
		    strcmp(entry->d_name, self) != 0 && command_holds(entry->d_name, marker))
			escaped("pid %s", entry->d_name);
	blocked("not to be seen");
}

static void by_kill(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	tried("kill(2..4194303, 0)");
	for (pid_t pid = 2; pid < 4194304; pid++)
		if (pid != getpid() && kill(pid, 0) == 0)
			escaped("pid %d takes signals", (int)pid);
	blocked("nobody there");
}

static const struct way ways[] = {
	{"proc", by_proc}, /* read */
	{"kill", by_kill}, /* probe */
};

int main(int argc, char **argv)
{
	TAKE_WAY(ways, argc, argv);
}

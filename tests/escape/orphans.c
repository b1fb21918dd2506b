/* SPDX-License-Identifier: Apache-2.0 */
/* orphans.c - attacks pid 1: leave it so many dead children that no process can be made.
 *
 * N orphans die at once; whoever does not reap them keeps them as zombies.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>

#include "escape.h"

static bool is_zombie(const char *pid)
{
	char path[64], line[512] = "";
	const char *end;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	(void)!read(fd, line, sizeof(line) - 1);
	(void)close(fd);
	end = strrchr(line, ')');
	return end && strncmp(end, ") Z", 3) == 0;
}

static int zombies(void)
{
	struct dirent *entry;
	DIR *proc = opendir("/proc");
	int n = 0;

	while (proc && (entry = readdir(proc)))
		n += entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && is_zombie(entry->d_name);
	if (proc)
		(void)closedir(proc);
	return n;
}

int main(int argc, char **argv)
{
	uint64_t want = number(need_arg(argc, argv, 1, "how many"));
	struct timespec moment = {.tv_nsec = 20000000};

	tried("%llu orphans", (unsigned long long)want);
	for (uint64_t i = 0; i < want; i++) {
		pid_t child = fork();

		if (child < 0)
			escaped("no process can be made after %llu: %m", (unsigned long long)i);
		if (child == 0) {
			(void)fork();
			_exit(0);
		}
		(void)waitpid(child, NULL, 0);
	}
	(void)nanosleep(&moment, NULL);
	if (zombies() > 8)
		escaped("%d zombies", zombies());
	blocked("%d zombies", zombies());
}

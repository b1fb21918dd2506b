/* SPDX-License-Identifier: Apache-2.0 */
/* overwrite_program.c - attacks the program file itself through /proc/self/exe.
 *
 * The shape of CVE-2019-5736: hold the file through /proc/self/exe, become another program so
 * that it is no longer busy, then reopen it for writing through the held descriptor.
 */
#include <fcntl.h>
#include <sys/sendfile.h>

#include "escape.h"

static void copy_myself(const char *to)
{
	int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

	if (in < 0 || out < 0)
		cannot("copy to %s: %m", to);
	while (sendfile(out, in, NULL, 1 << 20) > 0)
		;
	(void)close(in);
	(void)close(out);
}

static void reopen(const char *held)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%s", held);
	(void)unlink("escape-copy");
	tried("reopen %s for writing", path);
	end_by(open(path, O_WRONLY | O_CLOEXEC), "open for writing");
}

int main(int argc, char **argv)
{
	char held[16];
	int fd;

	if (argc > 1)
		reopen(argv[1]);
	copy_myself("escape-copy");
	fd = open("/proc/self/exe", O_RDONLY);
	if (fd < 0)
		cannot("open /proc/self/exe: %m");
	(void)snprintf(held, sizeof(held), "%d", fd);
	(void)execl("./escape-copy", "escape-copy", held, NULL);
	cannot("exec the copy: %m");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* follow_symlink.c - attacks the mount namespace through links made in the work directory.
 *
 * SECRET is an absolute path on the host; it is tried plainly, by many dots, and through the
 * roots that /proc offers.
 */
#include <fcntl.h>

#include "escape.h"

static const char *const prefixes[] = {
	"",
	"../../../../../../../../../../..",
	"/proc/self/root/../..",
	"/proc/1/root",
	"/proc/self/cwd/../../../../..",
	"/dev/fd/../../../../..",
};

static bool reads_through(const char *prefix, const char *secret)
{
	char to[4096], byte;
	int fd;

	(void)snprintf(to, sizeof(to), "%s%s", prefix, secret);
	(void)unlink("escape-link");
	if (symlink(to, "escape-link") < 0)
		cannot("symlink: %m");
	fd = open("escape-link", O_RDONLY | O_CLOEXEC);
	(void)unlink("escape-link");
	return fd >= 0 && read(fd, &byte, 1) == 1;
}

int main(int argc, char **argv)
{
	const char *secret = need_arg(argc, argv, 1, "secret");

	tried("links to %s", secret);
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (reads_through(prefixes[i], secret))
			escaped("a link to %s%s leads out", prefixes[i], secret);
	blocked("no link leads to it: %m");
}

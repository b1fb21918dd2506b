/* SPDX-License-Identifier: Apache-2.0 */
/* proc_of_init.c - attacks pid 1 through its files in /proc.
 *
 * read NAME, link NAME, list NAME, write NAME: what is under /proc/1/NAME.
 */
#include <dirent.h>
#include <fcntl.h>

#include "escape.h"

static const char *target(int argc, char **argv)
{
	static char path[256];

	(void)snprintf(path, sizeof(path), "/proc/1/%s", need_arg(argc, argv, 2, "name"));
	tried("%s %s", argv[1], path);
	return path;
}

/* An address nobody maps: EIO from mem means that the door was open. */
static void by_read(int argc, char **argv)
{
	char byte;
	int fd = open(target(argc, argv), O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		blocked("open: %m");
	n = read(fd, &byte, 1);
	if (n < 0 && errno == EIO)
		escaped("opened; only the address was wrong");
	if (n == 0)
		blocked("empty");
	end_by(n, "read");
}

static void by_link(int argc, char **argv)
{
	char to[4096];
	ssize_t n = readlink(target(argc, argv), to, sizeof(to) - 1);

	if (n > 0)
		escaped("-> %.*s", (int)n, to);
	blocked("readlink: %m");
}

static void by_list(int argc, char **argv)
{
	DIR *dir = opendir(target(argc, argv));
	struct dirent *entry;

	if (!dir)
		blocked("opendir: %m");
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			escaped("holds %s", entry->d_name);
	blocked("empty");
}

static void by_write(int argc, char **argv)
{
	end_by(open(target(argc, argv), O_WRONLY | O_CLOEXEC), "open for writing");
}

static const struct way ways[] = {
	{"read", by_read},   /* a file */
	{"link", by_link},   /* where it points */
	{"list", by_list},   /* a directory */
	{"write", by_write}, /* a file, to change it */
};

int main(int argc, char **argv)
{
	TAKE_WAY(ways, argc, argv);
}

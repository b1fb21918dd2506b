/* SPDX-License-Identifier: Apache-2.0 */
/* read_host_file.c - attacks the mount namespace: read a file or directory of the host.
 *
 * PATH [NEEDLE]: with a needle the content (or a directory entry) must be the host's, since
 * the box has files of its own by the same name.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "escape.h"

static void list_directory(int fd, const char *needle)
{
	struct dirent *entry;
	DIR *dir = fdopendir(fd);

	if (!dir)
		blocked("list: %m");
	while ((entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (!needle || strcmp(entry->d_name, needle) == 0)
			escaped("found %s", entry->d_name);
	}
	blocked("the directory is there, what was looked for is not");
}

static void read_whole(int fd, const char *needle)
{
	static char data[1 << 20];
	size_t len = 0;
	ssize_t n;

	while (len < sizeof(data) && (n = read(fd, data + len, sizeof(data) - len)) > 0)
		len += (size_t)n;
	if (len == 0)
		blocked("nothing to read: %m");
	if (needle && !memmem(data, len, needle, strlen(needle)))
		blocked("%zu bytes, but not the host's", len);
	escaped("read %zu bytes", len);
}

int main(int argc, char **argv)
{
	const char *path = need_arg(argc, argv, 1, "path");
	const char *needle = argc > 2 ? argv[2] : NULL;
	struct stat st;
	int fd;

	tried("read %s", path);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		blocked("open: %m");
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
		list_directory(fd, needle);
	read_whole(fd, needle);
}

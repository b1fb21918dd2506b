/* SPDX-License-Identifier: Apache-2.0 */
/* open_device.c - attacks the short /dev: open a device of the host.  PATH... */
#include <fcntl.h>
#include <sys/stat.h>

#include "escape.h"

int main(int argc, char **argv)
{
	const char *path = need_arg(argc, argv, 1, "path");
	struct stat st;
	int fd;

	tried("open %s", path);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		blocked("open: %m");
	if (fstat(fd, &st) == 0 && !S_ISCHR(st.st_mode) && !S_ISBLK(st.st_mode))
		blocked("there, but not a device");
	escaped("opened");
}

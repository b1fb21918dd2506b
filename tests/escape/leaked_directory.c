/* SPDX-License-Identifier: Apache-2.0 */
/* leaked_directory.c - attacks the closing of descriptors: leave by a directory somebody forgot.
 *
 * NAME is a file beneath, or two levels above, a directory that the caller holds open.
 */
#include <fcntl.h>

#include "escape.h"

static bool leads_to(int fd, const char *name)
{
	char path[4096], byte;
	int file;

	for (int up = 0; up < 3; up++) {
		(void)snprintf(path, sizeof(path), "%.*s%s", 3 * up, "../../", name);
		file = openat(fd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (file >= 0 && read(file, &byte, 1) == 1)
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	const char *name = need_arg(argc, argv, 1, "name");

	tried("openat(0..4095, %s)", name);
	for (int fd = 0; fd < 4096; fd++)
		if (leads_to(fd, name))
			escaped("descriptor %d leads to it", fd);
	blocked("no descriptor leads to it");
}

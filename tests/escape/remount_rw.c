/* SPDX-License-Identifier: Apache-2.0 */
/* remount_rw.c - attacks the read-only mounts: make one writable again. */
#include <sys/mount.h>

#include "escape.h"

int main(int argc, char **argv)
{
	const char *path = need_arg(argc, argv, 1, "mount point");

	tried("remount %s", path);
	if (mount(NULL, path, NULL, MS_REMOUNT | MS_BIND, NULL) == 0)
		escaped("remounted as a bind mount");
	if (mount(NULL, path, NULL, MS_REMOUNT, NULL) == 0)
		escaped("remounted");
	blocked("mount: %m");
}

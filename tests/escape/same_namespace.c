/* SPDX-License-Identifier: Apache-2.0 */
/* same_namespace.c - attacks each namespace: do we share it with the host?  NAME INODE */
#include <sys/stat.h>

#include "escape.h"

int main(int argc, char **argv)
{
	const char *name = need_arg(argc, argv, 1, "namespace");
	uint64_t host = number(need_arg(argc, argv, 2, "inode"));
	char path[64];
	struct stat st;

	(void)snprintf(path, sizeof(path), "/proc/self/ns/%s", name);
	tried("compare %s with %llu", path, (unsigned long long)host);
	if (stat(path, &st) < 0)
		cannot("stat: %m");
	if (st.st_ino == host)
		escaped("it is the host's");
	blocked("%llu is our own", (unsigned long long)st.st_ino);
}

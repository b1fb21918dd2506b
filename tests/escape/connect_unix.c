/* SPDX-License-Identifier: Apache-2.0 */
/* connect_unix.c - attacks the walls around local sockets: reach a service of the host.
 *
 * abstract NAME: by name in the network namespace.  path NAME: by file.
 */
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "escape.h"

static void reach(const char *name, bool abstract)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	size_t len = strlen(name), offset = abstract ? 1 : 0;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char word[64];
	ssize_t n;

	if (fd < 0)
		blocked("socket: %m");
	if (len + offset >= sizeof(to.sun_path))
		cannot("name too long: %s", name);
	memcpy(to.sun_path + offset, name, len);
	len += offsetof(struct sockaddr_un, sun_path) + 1;
	if (connect(fd, (struct sockaddr *)&to, (socklen_t)len) < 0)
		blocked("connect: %m");
	n = read(fd, word, sizeof(word));
	if (n <= 0)
		blocked("read: %m");
	escaped("the host says %.*s", (int)n, word);
}

static void by_abstract(int argc, char **argv)
{
	const char *name = need_arg(argc, argv, 2, "name");

	tried("connect to abstract %s", name);
	reach(name, true);
}

static void by_path(int argc, char **argv)
{
	const char *name = need_arg(argc, argv, 2, "path");

	tried("connect to %s", name);
	reach(name, false);
}

static const struct way ways[] = {
	{"abstract", by_abstract}, /* no file */
	{"path", by_path},         /* a file */
};

int main(int argc, char **argv)
{
	TAKE_WAY(ways, argc, argv);
}

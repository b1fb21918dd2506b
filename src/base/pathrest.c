/* SPDX-License-Identifier: Apache-2.0 */
/* pathrest.c - a path that is walked part by part, so that each can be looked at before it is used.
 */
#include "base/pathrest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"

enum { LINKS_MAX = 40 }; /* as many as the kernel follows */

void pathrest_end(struct pathrest *p)
{
	own_fd_end(&p->dir);
	free(p->text);
}

bool pathrest_take(struct pathrest *p, char ret_name[PATHREST_NAME], bool *ret_last)
{
	const char *from = p->text + strspn(p->text, "/");
	size_t len = strcspn(from, "/"), taken = len;

	*ret_last = from[len] == '\0';
	if (taken > NAME_MAX)
		taken = NAME_MAX + 1; /* the kernel will refuse it */
	memcpy(ret_name, from, taken);
	ret_name[taken] = '\0';
	memmove(p->text, from + len, strlen(from + len) + 1);
	return len > 0;
}

int pathrest_read_link(struct pathrest *p, int link, char ret_to[PATH_MAX])
{
	ssize_t n = readlinkat(link, "", ret_to, PATH_MAX);

	if (n < 0)
		return -1;
	if (n == PATH_MAX || ++p->links > LINKS_MAX)
		return errno = ELOOP, -1;
	ret_to[n] = '\0';
	return 0;
}

int pathrest_follow(struct pathrest *p, const char *to)
{
	char *text;

	if (asprintf(&text, "%s/%s", to, p->text) < 0)
		return errno = ENOMEM, -1;
	free(p->text);
	p->text = text;
	if (to[0] != '/')
		return 0;
	pathrest_enter(p, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
	return p->dir < 0 ? -1 : 0;
}

void pathrest_enter(struct pathrest *p, int dir)
{
	int before = errno;

	own_fd_end(&p->dir);
	errno = before;
	p->dir = dir;
}

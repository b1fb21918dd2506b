/* SPDX-License-Identifier: Apache-2.0 */
/* watch_file.c - attacks the overlay: watch what others do with a shared file.
 *
 * watch PATH: say "ready", wait until stdin ends; was there an event by then?
 * touch PATH: open it.
 */
#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>

#include "escape.h"

static void watch(const char *path)
{
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	struct pollfd now = {.fd = fd, .events = POLLIN};
	char byte;

	if (fd < 0 || inotify_add_watch(fd, path, IN_OPEN | IN_ACCESS | IN_CLOSE) < 0)
		cannot("inotify: %m");
	tried("watch %s", path);
	(void)printf("ready\n");
	(void)fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	if (poll(&now, 1, 0) > 0)
		escaped("somebody opened it");
	blocked("nothing was seen");
}

int main(int argc, char **argv)
{
	const char *verb = need_arg(argc, argv, 1, "watch or touch");
	const char *path = need_arg(argc, argv, 2, "path");

	if (strcmp(verb, "watch") == 0)
		watch(path);
	if (open(path, O_RDONLY | O_CLOEXEC) < 0)
		cannot("open %s: %m", path);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* leaving.c - whether a process of ours is on its way out.
 *
 * Its end is told when everything is cleared away.  Whoever was connected to it
 * knows earlier, when its descriptors are closed, and on a busy machine much
 * earlier.  What the kernel does before that is to mark it.
 */
#include "serve/roles/leaving.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"

enum { EXITING = 0x4, FLAGS_AT = 7, LINE_MAX_BYTES = 1024 }; /* PF_EXITING of the kernel */

static bool read_line(pid_t pid, char *ret, size_t room)
{
	char path[64];
	own_fd fd = -1;
	ssize_t n;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, ret, room - 1);
	ret[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* pid (name) state ppid pgrp session tty tpgid flags ...; the last bracket ends the name. */
bool leaving(pid_t pid)
{
	char line[LINE_MAX_BYTES], *word, *end;
	struct error ignored;
	uint64_t flags;

	if (!read_line(pid, line, sizeof(line)))
		return false;
	word = strrchr(line, ')');
	for (int i = 0; word && i < FLAGS_AT; i++)
		word = strchr(word + 1, ' ');
	end = word ? strchr(word + 1, ' ') : NULL;
	if (!end)
		return false;
	*end = '\0';
	return text_parse_uint(word + 1, &flags, &ignored) == 0 && flags & EXITING;
}

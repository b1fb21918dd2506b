/* SPDX-License-Identifier: Apache-2.0 */
/* sharing.c - what a process would have in common with those that it forks.
 *
 * Descriptors can be closed, but a shared mapping is inherited: what one child
 * writes there the next one finds.  A module makes one with a single line
 * (Python's mmap.mmap(-1, n) is shared), and nothing in the interpreter says so.
 */
#include "sandbox/native/sharing.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "base/pages.h"

enum { ROOM = 64 << 10 };

enum sharing sharing_of_line(const char *line, uint64_t *ret_start, const char **ret_name)
{
	char rights[5] = "";
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%*x %4s %*s %*s %*s %n", ret_start, rights, &at) != 2 ||
	    at == 0 || strlen(rights) != 4)
		return SHARING_UNKNOWN;
	*ret_name = line + at;
	if (rights[3] == 'p')
		return SHARING_NOT;
	if (rights[3] != 's')
		return SHARING_UNKNOWN;
	return rights[1] == '-' ? SHARING_READS : SHARING_WRITES;
}

/* As far as we see: a file that is gone, or never had a name, is one that somebody may write to. */
static bool is_read_only(const char *name)
{
	struct statvfs st;

	return name[0] == '/' && statvfs(name, &st) == 0 && (st.f_flag & ST_RDONLY);
}

static bool is_ours(uint64_t start, const uint64_t *ours, size_t n_ours)
{
	for (size_t i = 0; i < n_ours; i++)
		if (ours[i] == start)
			return true;
	return false;
}

static int check_line(const char *line, const uint64_t *ours, size_t n_ours, struct error *err)
{
	const char *name = "";
	uint64_t start = 0;

	switch (sharing_of_line(line, &start, &name)) {
	case SHARING_NOT:
		return 0;
	case SHARING_WRITES:
		if (is_ours(start, ours, n_ours))
			return 0;
		break;
	case SHARING_READS:
		if (is_read_only(name))
			return 0;
		break;
	case SHARING_UNKNOWN:
		return fail(err, ERR_INTERNAL, "its memory makes no sense");
	}
	return fail(err, ERR_CONFIG, "a module would share memory between calls (%.24s)",
		    name[0] ? name : "of no file");
}

/* Our /proc may have other numbers than our pid namespace; its entry for a pidfd has them. */
static int open_maps(pid_t child, struct error *err)
{
	own_fd pidfd = pidfd_open(child, 0), maps = -1;
	char path[64], text[1024];
	const char *at;
	int number;

	if (pidfd < 0)
		return fail_sys(err, "pidfd");
	(void)snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pidfd);
	if (fd_get_file(AT_FDCWD, path, text, sizeof(text), err) < 0)
		return -1;
	at = strstr(text, "\nPid:");
	if (!at || sscanf(at, "\nPid: %d", &number) != 1 || number <= 0)
		return fail(err, ERR_SYSTEM, "it is not in our /proc");
	(void)snprintf(path, sizeof(path), "/proc/%d/maps", number);
	maps = open(path, O_RDONLY | O_CLOEXEC);
	return maps < 0 ? fail_sys(err, "its memory") : take_fd(&maps);
}

static int check_maps(int maps, char *room, const uint64_t *ours, size_t n_ours, struct error *err)
{
	size_t have = 0, lines = 0;
	ssize_t n;

	while ((n = read(maps, room + have, ROOM - 1 - have)) > 0) {
		char *line = room, *end;

		have += (size_t)n;
		room[have] = '\0';
		for (; (end = strchr(line, '\n')); line = end + 1, lines++) {
			*end = '\0';
			if (check_line(line, ours, n_ours, err) < 0)
				return -1;
		}
		have -= (size_t)(line - room);
		memmove(room, line, have);
	}
	if (n < 0)
		return fail_sys(err, "its memory");
	return lines > 0 && have == 0 ? 0 : fail(err, ERR_SYSTEM, "its memory is not told whole");
}

int sharing_check(pid_t child, const uint64_t *ours, size_t n_ours, struct error *err)
{
	own(pages) room = {pages_new(ROOM), ROOM};
	own_fd maps = -1;

	if (!room.room)
		return fail_sys(err, "room");
	maps = open_maps(child, err);
	return maps < 0 ? -1 : check_maps(maps, room.room, ours, n_ours, err);
}

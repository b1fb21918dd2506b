/* SPDX-License-Identifier: Apache-2.0 */
/* searchwitness.c - what a search for files has seen: one that would see the same would find the
 * same.
 *
 * Each name that was looked for is noted with what was there, or that nothing
 * was, and each directory that was read: it has another time when a name
 * comes or goes.  Only searches in the host's own root are noted: the names
 * are looked up there again.
 */
#include "sandbox/native/searchwitness.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/own.h"

/* File systems have clocks that tick up to a hundred times a second, some only every other one. */
#define YOUNG_NS INT64_C(3000000000)

static int64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void witness_begin(struct witness *w)
{
	*w = (struct witness){.since_ns = now_ns()};
}

void witness_done(struct witness *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->sights[i].path);
	free(w->sights);
	*w = (struct witness){0};
}

void witness_end(struct witness *w)
{
	witness_done(w);
}

void witness_miss(struct witness *w)
{
	if (w)
		w->incomplete = true;
}

static bool make_room(struct witness *w)
{
	size_t room = w->room ? 2 * w->room : 64;
	struct sight *more;

	if (w->n < w->room)
		return true;
	more = room > WITNESS_MAX ? NULL : realloc(w->sights, room * sizeof(*more));
	if (!more)
		return false;
	w->sights = more;
	w->room = room;
	return true;
}

void witness_note(struct witness *w, const char *path, int fd)
{
	struct sight sight = {0};

	if (!w || w->incomplete)
		return;
	if (fd < 0 || filemark_look(fd, "", AT_EMPTY_PATH, &sight.mark) == 0)
		sight.path = make_room(w) ? strdup(path) : NULL;
	if (!sight.path)
		w->incomplete = true;
	else
		w->sights[w->n++] = sight;
}

bool witness_will_do(const struct witness *w)
{
	if (w->incomplete)
		return false;
	for (size_t i = 0; i < w->n; i++)
		if (w->sights[i].mark.status_ns > w->since_ns - YOUNG_NS)
			return false;
	return true;
}

bool sight_is_same(const char *path, const struct filemark *mark)
{
	struct filemark now = {0};

	if (filemark_look(AT_FDCWD, path, 0, &now) < 0 && errno != ENOENT && errno != ENOTDIR)
		return false; /* the search itself is to say what is wrong */
	return filemark_is_same(&now, mark);
}

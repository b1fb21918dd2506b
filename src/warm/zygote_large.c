/* SPDX-License-Identifier: Apache-2.0 */
/* zygote_large.c - a warm interpreter's memory, laid into huge pages.
 *
 * A fork counts each page that it shares, and the child's end counts each back: with some ten MiB
 * that is more than everything else between.  Pages that are parts of one huge page and lie side by
 * side are counted at once.  So the memory is copied into huge pages, which then are moved, piece
 * by piece, to where the memory was; no address changes.  A child that writes has a copy of 4 KiB
 * as before.
 *
 * The same for what of its libraries nobody writes to.  Each has a mapping for each way its parts
 * may be used, which a fork makes and the child's end unmakes one by one, and whose pages a child
 * would have to find again; now each is one.  That bytes of theirs could be run that were only to
 * be read makes no difference: whoever is in the box may run what he likes.
 *
 * A program can notice this only where it asks how its memory is laid out: in /proc/self/maps what
 * was moved has no file behind it.  Where something cannot be done, or somebody has done something
 * of his own to a library, it is only slower.
 */
#include "warm/zygote_large.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "warm/zygote_libraries.h"
#include "warm/zygote_settle.h"

enum {
	PAGE = 4096,
	RUN_LEAST = 32 * PAGE,      /* for less it is not worth a mapping more */
	GAP = 16 * PAGE,            /* as much that was never touched becomes resident */
	LAST_LEAST = HUGE_PAGE / 4, /* what is left of a huge page is lost */
	LIBRARY_MOST = HUGE_PAGE,   /* larger ones stay one for all slots */
	RUNS_MAX = 64,
	OWN_THREADS = 2, /* this one, and the main one, which waits for ever */
	QUIET_TRIES = 20,
	QUIET_US = 500,
	EX_LOST = 70,
};

/* Who else could write. */

static bool is_quiet(const struct own_memory *own)
{
	struct own_status now;

	for (int i = 0; i < QUIET_TRIES; i++) {
		if (!own_memory_status(own, &now))
			return false;
		if (now.threads == OWN_THREADS && now.main_sleeps)
			return true;
		(void)usleep(QUIET_US);
	}
	return false;
}

/* Threads of a module's would lose what they write between the copy and the move.  Libraries that
 * know how to be forked end theirs for each fork, and begin others when they need them: so the
 * first fork is one for nothing. */
static bool is_alone(const struct own_memory *own)
{
	struct own_status now;
	pid_t child;

	if (!own_memory_status(own, &now))
		return false;
	if (now.threads > OWN_THREADS) {
		child = fork();
		if (child == 0)
			_exit(0);
		while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
	}
	return is_quiet(own);
}

/* What there is. */

struct run {
	uintptr_t start, end;
	uintptr_t fixed; /* where what was never written to ends */
	bool code;       /* of a library: nobody writes to it */
	bool stays;      /* somebody has: it is not moved */
};

struct runs {
	struct run list[RUNS_MAX]; /* by address: the program's own come first; then libraries */
	size_t n;
};

static void add_run(struct runs *runs, const struct run *run)
{
	if (run->end - run->start < RUN_LEAST || runs->n == RUNS_MAX ||
	    !pages_are_there(run->start, run->end))
		return;
	runs->list[runs->n++] = *run;
}

/* Pages of the region that are there, with small gaps between them. */
static void find_runs(struct runs *runs, int pagemap, const struct run *region)
{
	uint64_t entries[256];
	struct run now = {0};

	for (uintptr_t at = region->start; at < region->end; at += PAGE) {
		size_t i = (at - region->start) / PAGE % ARRAY_LEN(entries);

		if (i == 0 && pread(pagemap, entries, sizeof(entries),
				    (off_t)(at / PAGE * sizeof(entries[0]))) <= 0)
			return;
		if (!(entries[i] >> 63))
			continue;
		if (now.end == 0 || at - now.end > GAP) {
			add_run(runs, &now);
			now = (struct run){.start = at, .end = at};
		}
		now.end = at + PAGE;
	}
	add_run(runs, &now);
}

/* Is it memory that can be moved?  That of threads cannot: one of them is at work here. */
static bool is_movable(const struct mapping *m)
{
	uintptr_t here = (uintptr_t)&m;

	return strcmp(m->rights, "rw-p") == 0 &&
	       (!strchr(m->name, '[') || strcmp(m->name, "[heap]") == 0) &&
	       (here < m->start || here >= m->end);
}

static void add_libraries(struct runs *runs, const struct library *found, size_t n)
{
	for (size_t i = 0; i < n && runs->n < RUNS_MAX; i++) {
		const struct span *span = &found[i].span;

		if (!span_is_read_only(span) || !pages_are_there(span->start, span->end))
			continue;
		runs->list[runs->n++] = (struct run){
			.start = span->start,
			.end = span->end,
			.fixed = found[i].fixed,
			.code = true,
		};
	}
}

static void list_memory(const struct own_memory *own, struct runs *ret)
{
	struct library libraries[RUNS_MAX];
	size_t n = libraries_list(libraries, RUNS_MAX, LIBRARY_MOST);
	bool alone = is_alone(own);
	struct mappings list;
	struct mapping m;

	mappings_begin(own, &list);
	while (mappings_next(&list, &m)) {
		if (alone && is_movable(&m))
			find_runs(ret, own->pagemap, &(struct run){.start = m.start, .end = m.end});
		for (size_t i = 0; i < n; i++)
			span_see(&libraries[i].span, &m);
	}
	add_libraries(ret, libraries, n);
}

/* The move. */

/* What does not fit into whole huge pages is left out. */
static size_t fit(struct runs *runs)
{
	size_t size = 0, room = 0, kept = 0;

	for (size_t i = 0; i < runs->n; i++)
		size += runs->list[i].end - runs->list[i].start;
	room = (size + HUGE_PAGE - LAST_LEAST) / HUGE_PAGE * HUGE_PAGE;
	for (size = 0; kept < runs->n && size < room; kept++) {
		struct run *run = &runs->list[kept];

		if (run->end - run->start > room - size)
			run->end = run->start + (room - size);
		size += run->end - run->start;
	}
	runs->n = kept;
	return room;
}

/* Where the kernel has set a trap for somebody who traces this library, the copy would have it, and
 * nobody would know whose it is.  Asked behind the copy: one that was set meanwhile is seen, one
 * that was taken away has left a difference, and one that comes now goes with what lies there. */
static bool is_traced(const struct own_memory *own, const struct run *run, const char *copy)
{
	uintptr_t fixed = run->fixed < run->end ? run->fixed : run->end;

	return !own_memory_is_of_file(own, run->start, fixed) ||
	       memcmp(copy, (void *)run->start, run->end - run->start) != 0;
}

/* Between the copy and the move nobody writes to it: other threads sleep, or only what is never
 * written to is here, and our own words are on the stack. */
static bool copy_runs(const struct own_memory *own, struct runs *runs, char *at, size_t room)
{
	char *start = at;

	for (size_t i = 0; i < runs->n; i++) {
		struct run *run = &runs->list[i];

		memcpy(at, (void *)run->start, run->end - run->start);
		run->stays = run->code && is_traced(own, run, at);
		at += run->end - run->start;
	}
	if (madvise(start, room, MADV_COLLAPSE) < 0)
		return false;
	for (size_t i = 0; i < runs->n; i++) {
		size_t size = runs->list[i].end - runs->list[i].start;

		if (runs->list[i].code && mprotect(start, size, PROT_READ | PROT_EXEC) < 0)
			return false;
		start += size;
	}
	return true;
}

/* Returns how many bytes of the room are used. */
static size_t move_runs(const struct runs *runs, char *at)
{
	size_t used = 0;

	for (size_t i = 0; i < runs->n; i++) {
		const struct run *run = &runs->list[i];
		size_t size = run->end - run->start;
		bool moved = !run->stays && mremap(at, size, size, MREMAP_MAYMOVE | MREMAP_FIXED,
						   (void *)run->start) != MAP_FAILED;

		/* What was there may be gone already; not that of a library that is sealed. */
		if (!moved && !run->stays && !(run->code && errno == EPERM))
			_exit(EX_LOST);
		if (moved && run->code)
			__builtin___clear_cache((char *)run->start, (char *)run->end);
		if (!moved)
			(void)munmap(at, size);
		used += moved ? size : 0;
		at += size;
	}
	return used;
}

/* false: something of it may not be done.  Then all is as it was. */
static bool lay(const struct own_memory *own, struct runs *runs, uint64_t *ret_lost)
{
	size_t room = fit(runs), size = 0;
	char *start = room ? huge_room(room) : NULL;

	if (!start)
		return true;
	if (!copy_runs(own, runs, start, room)) {
		(void)munmap(start, room);
		return false;
	}
	for (size_t i = 0; i < runs->n; i++)
		size += runs->list[i].end - runs->list[i].start;
	if (size < room)
		(void)munmap(start + size, room - size);
	*ret_lost = room - move_runs(runs, start);
	return true;
}

/* They are the last ones. */
static void leave_libraries(struct runs *runs)
{
	while (runs->n && runs->list[runs->n - 1].code)
		runs->n--;
}

uint64_t settle_memory(const struct own_memory *own)
{
	struct runs runs = {0};
	uint64_t lost = 0;

	if (own->maps >= 0 && own->pagemap >= 0 && sysconf(_SC_PAGESIZE) == PAGE)
		list_memory(own, &runs);
	if (lay(own, &runs, &lost))
		return lost;
	/* There are hosts where nothing that was written may be run. */
	leave_libraries(&runs);
	(void)lay(own, &runs, &lost);
	return lost;
}

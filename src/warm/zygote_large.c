/* SPDX-License-Identifier: Apache-2.0 */
/* zygote_large.c - a warm interpreter's memory, laid into huge pages.
 *
 * A fork counts each page that it shares, and the child's end counts each back: with some ten MiB
 * that is more than everything else between.  Pages that are parts of one huge page and lie side by
 * side are counted at once.  So the memory is copied into a huge page, which then is moved, piece
 * by piece, to where the memory was; no address changes.  A child that writes has a copy of 4 KiB
 * as before.
 *
 * Nothing here can be noticed by a program; where something cannot be done, it is only slower.
 */
#include "warm/zygote_large.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/native/zygotewire.h"
#include "warm/zygote_settle.h"

enum {
	PAGE = 4096,
	RUN_LEAST = 32 * PAGE,          /* for less it is not worth a mapping more */
	GAP = 16 * PAGE,                /* as much that was never touched becomes resident */
	LAST_LEAST = HUGE_PAGE / 4 * 3, /* what is left of a huge page is lost */
	RUNS_MAX = 64,
	EX_LOST = 70,
};

struct own_memory own_memory_take(void)
{
	struct own_memory ret = {-1, -1};
	struct statfs fs;

	if (fstatfs(ZYGOTE_PROC_FD, &fs) < 0 || fs.f_type != PROC_SUPER_MAGIC)
		return ret;
	ret.maps = openat(ZYGOTE_PROC_FD, "maps", O_RDONLY | O_CLOEXEC);
	ret.pagemap = openat(ZYGOTE_PROC_FD, "pagemap", O_RDONLY | O_CLOEXEC);
	(void)close(ZYGOTE_PROC_FD);
	return ret;
}

/* What there is. */

struct run {
	uintptr_t start, end;
};

struct runs {
	struct run list[RUNS_MAX]; /* by address: the program's own come first */
	size_t first, n;
	uint64_t holes; /* bytes in them that are not there yet */
};

static void add_run(struct runs *runs, const struct run *run, uint64_t holes)
{
	if (run->end - run->start < RUN_LEAST || runs->n == RUNS_MAX)
		return;
	runs->list[runs->n++] = *run;
	runs->holes += holes;
}

/* Pages of the region that are there, with small gaps between them. */
static void find_runs(struct runs *runs, int pagemap, const struct run *region)
{
	uint64_t entries[256], holes = 0;
	struct run now = {0};

	for (uintptr_t at = region->start; at < region->end; at += PAGE) {
		size_t i = (at - region->start) / PAGE % ARRAY_LEN(entries);

		if (i == 0 && pread(pagemap, entries, sizeof(entries),
				    (off_t)(at / PAGE * sizeof(entries[0]))) <= 0)
			return;
		if (!(entries[i] >> 63))
			continue;
		if (now.end == 0 || at - now.end > GAP) {
			add_run(runs, &now, holes);
			now = (struct run){at, at};
			holes = 0;
		}
		holes += at - now.end;
		now.end = at + PAGE;
	}
	add_run(runs, &now, holes);
}

/* The list of mappings, line by line.  It is kept on the stack: what is mapped for it would be
 * in it. */
struct lines {
	int fd;
	size_t at, len;
	char text[4096];
};

static bool read_on(struct lines *l)
{
	ssize_t n;

	memmove(l->text, l->text + l->at, l->len - l->at);
	l->len -= l->at;
	l->at = 0;
	n = read(l->fd, l->text + l->len, sizeof(l->text) - l->len);
	l->len += n > 0 ? (size_t)n : 0;
	return n > 0;
}

/* NULL: there is no more. */
static const char *next_line(struct lines *l)
{
	char *line, *end;

	while (!(end = memchr(l->text + l->at, '\n', l->len - l->at)))
		if (!read_on(l))
			return NULL;
	*end = '\0';
	line = l->text + l->at;
	l->at = (size_t)(end + 1 - l->text);
	return line;
}

/* "1000-2000 rw-p ... NAME": is it memory that can be moved?  That of threads cannot: one of them
 * is at work here. */
static bool is_movable(const char *line, struct run *ret)
{
	uintptr_t here = (uintptr_t)&line;
	const char *name = strchr(line, '[');
	int end = 0;

	if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " rw-p %n", &ret->start, &ret->end, &end) != 2 ||
	    end == 0)
		return false;
	return (!name || strcmp(name, "[heap]") == 0) && (here < ret->start || here >= ret->end);
}

static void list_runs(const struct own_memory *own, struct runs *ret)
{
	struct lines lines = {.fd = own->maps};
	struct run region;
	const char *line;

	while ((line = next_line(&lines)))
		if (is_movable(line, &region))
			find_runs(ret, own->pagemap, &region);
}

/* The move. */

/* As much of the runs as fits into a huge page; what is taken is no longer in them. */
static size_t take_part(struct runs *runs, struct runs *ret)
{
	size_t size = 0;

	ret->n = 0;
	while (runs->first < runs->n && size < HUGE_PAGE) {
		struct run *run = &runs->list[runs->first], *taken = &ret->list[ret->n++];

		*taken = *run;
		if (run->end - run->start > HUGE_PAGE - size)
			run->start = taken->end = run->start + HUGE_PAGE - size;
		else
			runs->first++;
		size += taken->end - taken->start;
	}
	return size;
}

/* Between the copy and the move nobody writes to it: our own words are on the stack. */
static void move_part(const struct runs *part)
{
	char *room = huge_room(), *at = room;

	if (!room)
		return;
	for (size_t i = 0; i < part->n; i++) {
		const struct run *run = &part->list[i];

		memcpy(at, (void *)run->start, run->end - run->start);
		at += run->end - run->start;
	}
	if (madvise(room, HUGE_PAGE, MADV_COLLAPSE) < 0) {
		(void)munmap(room, HUGE_PAGE);
		return;
	}
	at = room;
	for (size_t i = 0; i < part->n; i++) {
		const struct run *run = &part->list[i];
		size_t size = run->end - run->start;

		/* When it fails, what was there is gone already. */
		if (mremap(at, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)run->start) ==
		    MAP_FAILED)
			_exit(EX_LOST);
		at += size;
	}
	if (at < room + HUGE_PAGE)
		(void)munmap(at, (size_t)(room + HUGE_PAGE - at));
}

uint64_t settle_memory(struct own_memory *own)
{
	struct runs runs = {0}, part = {0};

	if (own->maps >= 0 && own->pagemap >= 0)
		list_runs(own, &runs);
	while (take_part(&runs, &part) >= LAST_LEAST)
		move_part(&part);
	own_fd_end(&own->maps);
	own_fd_end(&own->pagemap);
	return runs.holes;
}

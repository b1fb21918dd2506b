/* SPDX-License-Identifier: Apache-2.0 */
/* copy_rest.c - a process that became a template gives back what is as it was there.
 *
 * Most of what an interpreter writes are counts of references, which are the
 * same again when the snippet has ended.  A private page that does not differ
 * from the template's is let go of: whoever reads there next sees the
 * template's.  Nobody may write between the two: so there must be one thread
 * only, and no signal comes in between.
 *
 * Whoever sleeps (copy_doze.c) writes down what differs, a few words of most
 * pages, and lets go of those as well, and of what files show.
 */
#include "warm/copy_rest.h"

#include <fcntl.h>
#include <linux/stat.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/pagediff.h"
#include "warm/copy_calls.h"

#define STACK_MOST     (8ull << 20)
#define STACK_NEAR     (2ull * COPY_PAGE)
#define LOOKED_AT_MOST (1ull << 30)

enum {
	LINKS_ALONE = 3,                      /* of /proc/self/task, for one thread */
	NOTE_MOST = PAGEDIFF_NUMBERS * 3 / 4, /* what is longer is better left where it is */
	STAY_MOST = 2048, /* pages that stay: to move more than that takes too long */
};

bool rest_is_alone(void)
{
	struct statx st;

	st.stx_nlink = 0;
	return CALL5(SYS_statx, AT_FDCWD, "/proc/self/task", 0, STATX_NLINK, &st) == 0 &&
	       st.stx_nlink == LINKS_ALONE;
}

static bool is_same(uint64_t a, uint64_t b)
{
	const uint64_t *x = (const uint64_t *)a, *y = (const uint64_t *)b;

	for (size_t i = 0; i < COPY_PAGE / sizeof(*x); i++)
		if (x[i] != y[i])
			return false;
	return true;
}

static void flush(struct rest *r)
{
	if (r->run_len && CALL3(SYS_madvise, r->run, r->run_len, MADV_DONTNEED) == 0)
		r->n += (long)(r->run_len / COPY_PAGE);
	r->run_len = 0;
}

static void give(struct rest *r, uint64_t page)
{
	if (r->run_len && r->run + r->run_len != page)
		flush(r);
	if (!r->run_len)
		r->run = page;
	r->run_len += COPY_PAGE;
}

/* false: it is too much, or there is no room. */
static bool note(struct rest_notes *n, uint64_t page, uint64_t there)
{
	uint32_t *end;

	if (n->end - n->at < PAGEDIFF_MOST)
		return false;
	end = pagediff_note(n->at, page, (const uint32_t *)there);
	if (end - n->at > NOTE_MOST)
		return false;
	n->at = end;
	return true;
}

static bool is_template(const struct rest *r, const struct copy_entry *e)
{
	return copy_is_template(r->w, e) && e->read == 'r' &&
	       e->offset + (e->end - e->start) <= r->view_len;
}

/* Can this page be had again? */
static bool can_go(struct rest *r, const struct copy_entry *e, uint64_t page, uint64_t facts)
{
	uint64_t there = r->view + e->offset + (page - e->start);

	if (facts & COPY_PAGE_FILE)
		return r->notes != NULL;
	if (facts & COPY_PAGE_GUARD || !is_template(r, e))
		return false;
	if (is_same(page, there))
		return true;
	/* What was written down must be written back: nobody but its owner opens it for that. */
	return r->notes && e->write == 'w' && note(r->notes, page, there);
}

static void rest_one(struct rest *r, const struct copy_entry *e)
{
	struct copy_work *w = r->w;
	uint64_t n = (e->end - e->start) / COPY_PAGE;

	for (uint64_t done = 0; done < n;) {
		uint64_t some = n - done < COPY_PAGES_AT_ONCE ? n - done : COPY_PAGES_AT_ONCE;
		uint64_t first = e->start + done * COPY_PAGE;

		if (CALL4(SYS_pread64, w->pagemap, w->pages, some * 8, first / COPY_PAGE * 8) !=
		    (long)(some * 8)) {
			r->stays += n - done;
			break;
		}
		for (uint64_t i = 0; i < some; i++) {
			uint64_t page = first + i * COPY_PAGE;

			if (!(w->pages[i] & COPY_PAGE_THERE))
				continue;
			if (can_go(r, e, page, w->pages[i]))
				give(r, page);
			else
				r->stays++;
		}
		done += some;
	}
	flush(r);
}

/* Whoever was called deeper is back. */
static void rest_stack(const struct rest *r, const struct copy_entry *e)
{
	uint64_t top = (r->here - r->near) & ~(uint64_t)(COPY_PAGE - 1);
	uint64_t end = e->end < top ? e->end : top;
	uint64_t start = e->start < top - STACK_MOST ? top - STACK_MOST : e->start;

	if (start < end)
		(void)CALL3(SYS_madvise, start, end - start, MADV_DONTNEED);
}

static bool is_own(const struct rest *r, const struct copy_entry *e)
{
	const struct rest_notes *n = r->notes;

	return e->start == (uint64_t)(uintptr_t)r->w || e->start == r->view ||
	       e->start >= COPY_ADDRESS || (e->start < n->hole + n->hole_len && n->hole < e->end);
}

/* The kernel's own. */
static bool is_special(const char *path)
{
	return copy_begins(path, "[v");
}

/* For who sleeps: all that is to be moved.  n_maps is too many where there is no room.
 *
 * What has many pages has tables of its own wherever it is; and they would be moved one by one,
 * twice, while somebody waits, and huge ones split. */
static void rest_noting(struct rest *r, const struct copy_entry *e)
{
	struct copy_map *m = &r->w->maps[r->notes->n_maps % COPY_MAPS_MAX];
	uint64_t len = e->end - e->start;

	if (is_own(r, e) || len > LOOKED_AT_MOST)
		return;
	r->stays = is_special(e->path);
	if (!r->stays)
		rest_one(r, e);
	if (r->stays > STAY_MOST)
		return;
	*m = (struct copy_map){.start = e->start, .len = len, .has_runs = r->stays > 0};
	r->notes->n_maps++;
}

static void walk(struct rest *r)
{
	struct copy_entry e, below = {0};

	for (char *at = r->w->list; *at;) {
		copy_entry_read(copy_line(&at), &e);
		if (r->here >= e.start && r->here < e.end) {
			rest_stack(r, &e);
			/* What a template has of it is a mapping of its own. */
			if (below.end == e.start && below.write == 'w' && !below.path[0])
				rest_stack(r, &below);
		}
		if (r->notes)
			rest_noting(r, &e);
		else if (is_template(r, &e))
			rest_one(r, &e);
		below = e;
	}
}

static bool rest_listed(struct rest *r, uint64_t view)
{
	bool listed;

	if (!copy_open_pagemap(r->w))
		return false;
	listed = copy_read_list(r->w, "/proc/self/maps");
	if (listed) {
		copy_find_place(r->w, view);
		walk(r);
	}
	(void)CALL1(SYS_close, r->w->pagemap);
	return listed;
}

bool rest_all(struct rest *r, uint64_t view, uint64_t view_len)
{
	/* A length of nothing: the mapping stays, and there is another of the same. */
	long at = CALL4(SYS_mremap, view, 0, view_len, MREMAP_MAYMOVE);
	bool rested = false;

	if (copy_failed(at))
		return false;
	r->view = (uint64_t)at;
	r->view_len = view_len;
	r->w = copy_work_new();
	if (r->w)
		rested = rest_listed(r, view);
	(void)CALL2(SYS_munmap, r->view, view_len);
	return rested;
}

long copy_rest(uint64_t view, uint64_t view_len)
{
	struct rest r = {.near = STACK_NEAR};
	uint64_t all = ~0ull, before = 0;

	if (!view || !rest_is_alone())
		return -1;
	r.here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
	(void)CALL4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, 8);
	if (!rest_all(&r, view, view_len))
		r.n = -1;
	(void)CALL4(SYS_rt_sigprocmask, SIG_SETMASK, &before, 0, 8);
	if (r.w)
		copy_work_free(r.w);
	return r.n;
}

void copy_sleep(int fd)
{
	struct pollfd one = {.fd = fd, .events = POLLIN};

	(void)CALL5(SYS_ppoll, &one, 1, 0, 0, 8);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* copy_rest.c - a process that became a template gives back what is as it was there.
 *
 * Most of what an interpreter writes are counts of references, which are the
 * same again when the snippet has ended.  A private page that does not differ
 * from the template's is let go of: whoever reads there next sees the
 * template's.  Nobody may write between the two: so there must be one thread
 * only, and no signal comes in between.
 */
#include <fcntl.h>
#include <linux/stat.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "warm/copy_calls.h"
#include "warm/copy_list.h"
#include "warm/copy_work.h"

#define STACK_MOST (8ull << 20)
#define STACK_NEAR (2ull * COPY_PAGE)

enum { LINKS_ALONE = 3 }; /* of /proc/self/task, for one thread */

struct rest {
	struct copy_work *w;
	uint64_t view;     /* a second one, which goes when we are done */
	uint64_t view_len; /* */
	uint64_t run, run_len;
	long n;
};

static bool is_alone(void)
{
	struct statx st;

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

static void rest_one(struct rest *r, const struct copy_entry *e)
{
	struct copy_work *w = r->w;
	uint64_t n = (e->end - e->start) / COPY_PAGE;

	for (uint64_t done = 0; done < n;) {
		uint64_t some = n - done < COPY_PAGES_AT_ONCE ? n - done : COPY_PAGES_AT_ONCE;
		uint64_t first = e->start + done * COPY_PAGE;

		if (CALL4(SYS_pread64, w->pagemap, w->pages, some * 8, first / COPY_PAGE * 8) !=
		    (long)(some * 8))
			return;
		for (uint64_t i = 0; i < some; i++) {
			uint64_t page = first + i * COPY_PAGE;

			if (w->pages[i] & COPY_PAGE_THERE && !(w->pages[i] & COPY_PAGE_FILE) &&
			    is_same(page, r->view + e->offset + (page - e->start)))
				give(r, page);
		}
		done += some;
	}
	flush(r);
}

/* Whoever was called deeper is back. */
static void rest_stack(const struct copy_entry *e, uint64_t here)
{
	uint64_t top = (here - STACK_NEAR) & ~(uint64_t)(COPY_PAGE - 1);
	uint64_t end = e->end < top ? e->end : top;
	uint64_t start = e->start < top - STACK_MOST ? top - STACK_MOST : e->start;

	if (start < end)
		(void)CALL3(SYS_madvise, start, end - start, MADV_DONTNEED);
}

static bool is_template(const struct rest *r, const struct copy_entry *e)
{
	return copy_is_template(r->w, e) && e->read == 'r' &&
	       e->offset + (e->end - e->start) <= r->view_len;
}

static void walk(struct rest *r, uint64_t here)
{
	struct copy_entry e, below = {0};

	for (char *at = r->w->list; *at;) {
		copy_entry_read(copy_line(&at), &e);
		if (here >= e.start && here < e.end) {
			rest_stack(&e, here);
			/* What a template has of it is a mapping of its own. */
			if (below.end == e.start && below.write == 'w' && !below.path[0])
				rest_stack(&below, here);
		}
		if (is_template(r, &e))
			rest_one(r, &e);
		below = e;
	}
}

static void rest_all(struct rest *r, uint64_t view)
{
	if (!copy_open_pagemap(r->w))
		return;
	if (copy_read_list(r->w, "/proc/self/maps")) {
		copy_find_place(r->w, view);
		walk(r, (uint64_t)(uintptr_t)__builtin_frame_address(0));
	}
	(void)CALL1(SYS_close, r->w->pagemap);
}

long copy_rest(uint64_t view, uint64_t view_len)
{
	struct rest r = {.view_len = view_len, .n = 0};
	uint64_t all = ~0ull, before = 0;
	long at;

	if (!view || !is_alone())
		return -1;
	/* A length of nothing: the mapping stays, and there is another of the same. */
	at = CALL4(SYS_mremap, view, 0, view_len, MREMAP_MAYMOVE);
	if (copy_failed(at))
		return -1;
	r.view = (uint64_t)at;
	r.w = copy_work_new();
	if (r.w) {
		(void)CALL4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, 8);
		rest_all(&r, view);
		(void)CALL4(SYS_rt_sigprocmask, SIG_SETMASK, &before, 0, 8);
		copy_work_free(r.w);
	}
	(void)CALL2(SYS_munmap, r.view, view_len);
	return r.n;
}

void copy_sleep(int fd)
{
	struct pollfd one = {.fd = fd, .events = POLLIN};

	(void)CALL5(SYS_ppoll, &one, 1, 0, 0, 8);
}

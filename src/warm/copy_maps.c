/* SPDX-License-Identifier: Apache-2.0 */
/* copy_maps.c - which memory the process has, and which of it an image must carry.
 *
 * /proc/self/smaps tells what was mapped and how much of it is the process's
 * own; /proc/self/pagemap tells which pages those are.  A page of a file that
 * nobody changed is not carried: the other side maps the same file.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "warm/copy_calls.h"
#include "warm/copy_list.h"
#include "warm/copy_work.h"

#define STACK_LEN (8ull << 20)
#define STACK_GAP (1ull << 20)

enum { POPULATE_READ = 22 }; /* MADV_POPULATE_READ, which has no name in older headers */

/* One entry of the list, with what smaps tells of it. */
struct entry {
	struct copy_entry at;
	uint64_t own_kib, there_kib;
	bool wiped, left_out;
};

static uint64_t decimal(const char *at)
{
	uint64_t n = 0;

	while (*at == ' ')
		at++;
	while (*at >= '0' && *at <= '9')
		n = n * 10 + (uint64_t)(*at++ - '0');
	return n;
}

static bool has_flag(const char *flags, char a, char b)
{
	for (; flags[0] && flags[1]; flags++)
		if (flags[0] == a && flags[1] == b)
			return true;
	return false;
}

static void read_fact(const char *line, struct entry *e)
{
	if (copy_begins(line, "Anonymous:"))
		e->own_kib += decimal(line + 10);
	else if (copy_begins(line, "Rss:"))
		e->there_kib += decimal(line + 4);
	if (copy_begins(line, "Swap:")) {
		e->own_kib += decimal(line + 5);
		e->there_kib += decimal(line + 5);
	}
	if (copy_begins(line, "VmFlags:")) {
		e->wiped = has_flag(line + 8, 'w', 'f');
		e->left_out = has_flag(line + 8, 'd', 'c');
	}
}

static uint32_t prot_of(const struct entry *e)
{
	return (e->at.read == 'r' ? PROT_READ : 0u) | (e->at.write == 'w' ? PROT_WRITE : 0u) |
	       (e->at.exec == 'x' ? PROT_EXEC : 0u);
}

static bool is_special(const char *path)
{
	return copy_begins(path, "[vdso]") || copy_begins(path, "[vvar");
}

static bool add_special(struct copy_work *w, const struct entry *e)
{
	struct copy_special *s = &w->head.specials[w->head.n_specials];

	if (w->head.n_specials == COPY_SPECIALS || copy_length(e->at.path) >= sizeof(s->name))
		return copy_refuse(w, "memory of the kernel's that is unknown here", e->at.path);
	*s = (struct copy_special){.start = e->at.start, .len = e->at.end - e->at.start};
	copy_bytes(s->name, e->at.path, copy_length(e->at.path));
	w->head.n_specials++;
	return true;
}

/* Behind the last piece, or the first of a new one. */
static bool extend(struct iovec *pieces, uint32_t *n, uint32_t most, uint64_t start, uint64_t len)
{
	struct iovec *last = *n ? &pieces[*n - 1] : NULL;

	if (last && (uint64_t)(uintptr_t)last->iov_base + last->iov_len == start) {
		last->iov_len += len;
		return true;
	}
	if (*n == most)
		return false;
	pieces[(*n)++] = (struct iovec){(void *)(uintptr_t)start, len};
	return true;
}

static bool add_run(struct copy_work *w, uint64_t start, uint64_t len)
{
	w->head.content_len += len;
	return extend(w->runs, &w->head.n_runs, COPY_RUNS_MAX, start, len) ||
	       copy_refuse(w, "its memory is in too many pieces", NULL);
}

/* A guard has no contents, and looks like a page in swap.  Kernels name it only from 6.15 on, two
 * versions after they had it: so it is touched by one who is told, and not killed. */
static bool is_guard(const struct copy_work *w, uint64_t at, uint64_t page)
{
	return w->has_guards && (page & COPY_PAGE_THERE) == COPY_PAGE_SWAP &&
	       CALL3(SYS_madvise, at, COPY_PAGE, POPULATE_READ) == -EFAULT;
}

static bool add_page(struct copy_work *w, struct copy_map *m, uint64_t at, uint64_t page,
		     bool contents)
{
	if (is_guard(w, at, page))
		return extend(w->guards, &w->head.n_guards, COPY_GUARDS_MAX, at, COPY_PAGE) ||
		       copy_refuse(w, "it has too many pages that nobody may touch", NULL);
	if (!contents)
		return true;
	m->has_runs = 1;
	return add_run(w, at, COPY_PAGE);
}

/* Every page that is there, but none that shows nothing else than its file.  Where there are no
 * contents, pages of zeros that were only read are none. */
static bool add_pages(struct copy_work *w, struct copy_map *m, bool contents)
{
	uint64_t first = m->start / COPY_PAGE, n = m->len / COPY_PAGE;

	for (uint64_t done = 0; done < n;) {
		uint64_t some = n - done < COPY_PAGES_AT_ONCE ? n - done : COPY_PAGES_AT_ONCE;

		if (CALL4(SYS_pread64, w->pagemap, w->pages, some * 8, (first + done) * 8) !=
		    (long)(some * 8))
			return copy_refuse(w, "/proc/self/pagemap cannot be read", NULL);
		for (uint64_t i = 0; i < some; i++) {
			uint64_t page = w->pages[i];

			if (!(page & COPY_PAGE_THERE) ||
			    ((m->kind == COPY_PRIVATE || m->image_at) && page & COPY_PAGE_FILE))
				continue;
			if (!add_page(w, m, (first + done + i) * COPY_PAGE, page, contents))
				return false;
		}
		done += some;
	}
	return true;
}

/* A file that the other side can open by its name: else its contents travel. */
static bool take_file(struct copy_work *w, const struct entry *e, struct copy_map *m)
{
	static const int flags = 0;
	struct statx st;
	const struct copy_map *last = w->head.n_maps ? &w->maps[w->head.n_maps - 1] : NULL;
	const char *known = last && last->path ? w->texts + last->path : "";

	m->offset = e->at.offset;
	if (CALL5(SYS_statx, AT_FDCWD, e->at.path, flags, STATX_BASIC_STATS, &st) != 0)
		return false;
	m->size = st.stx_size;
	m->sec = (uint64_t)st.stx_mtime.tv_sec;
	m->nsec = st.stx_mtime.tv_nsec;
	m->path = copy_same(known, e->at.path) ? last->path : copy_text(w, e->at.path);
	return m->path != 0;
}

static bool has_name(const char *path)
{
	if (path[0] != '/' || copy_begins(path, "/memfd:") || copy_ends(path, " (deleted)"))
		return false;
	while (*path)
		if (*path++ == '\\')
			return false;
	return true;
}

static bool fill_contents(struct copy_work *w, const struct entry *e, struct copy_map *m)
{
	bool file = e->at.path[0] == '/' && !m->image_at;

	if (m->kind == COPY_SHARED || e->wiped)
		return true;
	/* What has no contents may still have guards. */
	if (m->kind == COPY_MEMORY && !m->image_at ? e->there_kib == 0 && !file : e->own_kib == 0)
		return m->kind != COPY_MEMORY || !w->has_guards || add_pages(w, m, false);
	/* What writes this ends afterwards: it needs not be put back. */
	if (e->at.read != 'r' && !w->only_looks &&
	    CALL3(SYS_mprotect, m->start, m->len, PROT_READ) != 0)
		return copy_refuse(w, "memory that cannot be read", e->at.path);
	if (m->kind != COPY_MEMORY || !file)
		return add_pages(w, m, true);
	m->has_runs = 1;
	return add_run(w, m->start, m->len);
}

/* The kernel lets a stack grow; here it is one piece from the beginning. */
static void stretch_stack(const struct copy_work *w, struct copy_map *m)
{
	uint64_t end = m->start + m->len, start = end - STACK_LEN;

	if (start < w->last_end + STACK_GAP)
		start = w->last_end + STACK_GAP;
	if (start >= m->start)
		return;
	m->start = start;
	m->len = end - start;
}

static bool take_entry(struct copy_work *w, const struct entry *e)
{
	struct copy_map *m = &w->maps[w->head.n_maps];

	if (e->at.start >= COPY_ADDRESS || e->left_out || e->at.start == (uint64_t)(uintptr_t)w ||
	    (w->view && e->at.start == w->view))
		return true;
	if (is_special(e->at.path))
		return add_special(w, e);
	if (w->head.n_maps == COPY_MAPS_MAX)
		return copy_refuse(w, "its memory is in too many pieces", NULL);
	*m = (struct copy_map){.start = e->at.start,
			       .len = e->at.end - e->at.start,
			       .prot = prot_of(e),
			       .kind = COPY_MEMORY,
			       .wiped = e->wiped};
	if (e->at.share == 's' && (e->at.write == 'w' || !has_name(e->at.path)))
		return copy_refuse(w, "memory that is shared", e->at.path);
	if (copy_is_template(w, &e->at))
		m->image_at = e->at.offset;
	else if (has_name(e->at.path) && take_file(w, e, m))
		m->kind = e->at.share == 's' ? COPY_SHARED : COPY_PRIVATE;
	else if (e->at.share == 's')
		return copy_refuse(w, "memory that is shared", e->at.path);
	if (!fill_contents(w, e, m))
		return false;
	if (copy_same(e->at.path, "[stack]"))
		stretch_stack(w, m);
	w->last_end = e->at.end;
	w->head.n_maps++;
	return true;
}

/* What is as in the template that the process became needs not travel, if it is there as well; who
 * lays a new one has none. */
static bool find_template(struct copy_work *w)
{
	if (!w->view || w->at || w->whole)
		return true;
	if (!copy_read_list(w, "/proc/self/maps"))
		return false;
	copy_find_place(w, w->view);
	w->head.template = copy_inode(w->place);
	w->head.image_len = w->view_len;
	return true;
}

bool copy_take_maps(struct copy_work *w)
{
	struct entry e = {0};
	bool have = false;

	w->has_guards = CALL3(SYS_madvise, 0, 0, COPY_GUARD) == 0;
	if (!find_template(w) || !copy_open_pagemap(w) || !copy_read_list(w, "/proc/self/smaps"))
		return false;
	for (char *at = w->list; *at;) {
		char *line = copy_line(&at);

		if (line[0] >= 'A' && line[0] <= 'Z') {
			read_fact(line, &e);
			continue;
		}
		if (have && !take_entry(w, &e))
			return false;
		e = (struct entry){0};
		copy_entry_read(line, &e.at);
		have = true;
	}
	(void)CALL1(SYS_close, w->pagemap);
	return !have || take_entry(w, &e);
}

bool copy_find_specials(struct copy_work *w)
{
	struct entry e;

	if (!copy_read_list(w, "/proc/self/maps"))
		return false;
	for (char *at = w->list; *at;) {
		e = (struct entry){0};
		copy_entry_read(copy_line(&at), &e.at);
		if (is_special(e.at.path) && !add_special(w, &e))
			return false;
	}
	return true;
}

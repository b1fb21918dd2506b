/* SPDX-License-Identifier: Apache-2.0 */
/* copy_become.c - reads the tables of an image and prepares to become what they describe.
 *
 * Everything that can be known to fail is looked at here, while there is still
 * somebody who can say so.
 */
#include <asm/prctl.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/stat.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "warm/copy_calls.h"
#include "warm/copy_restore.h"
#include "warm/copy_work.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

#define HOLE_FIRST 0x200000000ull /* 8 GiB: above what is not position independent */
#define HOLE_STEP  0x40000000ull

enum { PARK_MAX = 256 << 10, STREAM_FD_LEAST = 3 };

extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned __rseq_size __attribute__((weak));

/* The next bytes.  A template's file has no place of its own: others read it at the same time. */
static bool take(struct copy_work *w, void *data, size_t len)
{
	char *to = data;

	if (!w->at)
		return copy_read_all(w->stream, data, len);
	while (len) {
		long n = CALL4(SYS_pread64, w->stream, to, len, w->at);

		if (n == -4) /* EINTR */
			continue;
		if (n <= 0)
			return false;
		to += n;
		w->at += (uint64_t)n;
		len -= (size_t)n;
	}
	return true;
}

static bool read_tables(struct copy_work *w)
{
	struct copy_head *h = &w->head;

	if (!take(w, h, sizeof(*h)))
		return copy_refuse(w, "the image ends before its end", NULL);
	if (h->magic != COPY_MAGIC || h->version != COPY_VERSION || h->head_len != sizeof(*h) ||
	    h->n_maps > COPY_MAPS_MAX || h->n_files > COPY_FILES_MAX || h->n_runs > COPY_RUNS_MAX ||
	    h->n_guards > COPY_GUARDS_MAX || h->texts_len > COPY_TEXTS_MAX || h->texts_len == 0 ||
	    h->n_specials > COPY_SPECIALS)
		return copy_refuse(w, "this is no image", NULL);
	if (!take(w, w->maps, h->n_maps * sizeof(*w->maps)) ||
	    !take(w, w->files, h->n_files * sizeof(*w->files)) ||
	    !take(w, w->runs, h->n_runs * sizeof(*w->runs)) ||
	    !take(w, w->guards, h->n_guards * sizeof(*w->guards)) ||
	    !take(w, w->texts, h->texts_len))
		return copy_refuse(w, "the image ends before its end", NULL);
	w->texts[0] = '\0';
	w->texts[h->texts_len - 1] = '\0';
	return true;
}

static bool is_range(uint64_t start, uint64_t len)
{
	return start % COPY_PAGE == 0 && len % COPY_PAGE == 0 && len != 0 && start < COPY_ADDRESS &&
	       len <= COPY_ADDRESS - start;
}

static bool check_map(struct copy_work *w, const struct copy_map *m)
{
	struct statx st;

	if (!is_range(m->start, m->len) || m->path >= w->head.texts_len || m->kind > COPY_SHARED ||
	    m->image_at % COPY_PAGE || (m->image_at && !w->at && !w->head.template))
		return copy_refuse(w, "this is no image", NULL);
	if (m->kind == COPY_MEMORY)
		return true;
	if (CALL5(SYS_statx, AT_FDCWD, w->texts + m->path, 0, STATX_BASIC_STATS, &st) != 0)
		return copy_refuse(w, "a file of its memory is missing here", w->texts + m->path);
	if (st.stx_size != m->size || (uint64_t)st.stx_mtime.tv_sec != m->sec ||
	    st.stx_mtime.tv_nsec != m->nsec)
		return copy_refuse(w, "a file of its memory is another here", w->texts + m->path);
	return true;
}

/* What a stream leaves out must be the same here. */
static bool check_template(struct copy_work *w)
{
	struct statx st;

	if (w->at)
		return true;
	if (!w->head.template) {
		w->template = -1; /* closed with all others */
		return true;
	}
	if (w->template <0 ||
			 CALL5(SYS_statx, w->template, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st) !=
				 0 ||
			 st.stx_ino != w->head.template)
		return copy_refuse(w, "what it has in common with others is not here: try again",
				   NULL);
	return true;
}

static bool check_tables(struct copy_work *w)
{
	if (!check_template(w))
		return false;
	if (w->head.cwd >= w->head.texts_len)
		return copy_refuse(w, "this is no image", NULL);
	for (uint32_t i = 0; i < w->head.n_maps; i++)
		if (!check_map(w, &w->maps[i]))
			return false;
	for (uint32_t i = 0; i < w->head.n_files; i++)
		if (w->files[i].path >= w->head.texts_len)
			return copy_refuse(w, "this is no image", NULL);
	for (uint32_t i = 0; i < w->head.n_guards; i++)
		if (!is_range((uint64_t)(uintptr_t)w->guards[i].iov_base, w->guards[i].iov_len))
			return copy_refuse(w, "this is no image", NULL);
	return true;
}

/* The kernel's pages must be the same in kind, size and order: then only their place differs. */
static bool check_specials(struct copy_work *w, struct copy_work *me)
{
	uint64_t len = 0;

	if (w->head.n_specials != me->head.n_specials)
		return copy_refuse(w, "another kernel", NULL);
	for (uint32_t i = 0; i < w->head.n_specials; i++) {
		const struct copy_special *a = &w->head.specials[i], *b = &me->head.specials[i];

		if (!is_range(a->start, a->len) || a->len != b->len || !copy_same(a->name, b->name))
			return copy_refuse(w, "another kernel", NULL);
		len += a->len;
	}
	return len <= PARK_MAX || copy_refuse(w, "another kernel", NULL);
}

/* Descriptors: all of the other's, at their numbers, and none of this one's but 0, 1, 2. */

static bool is_taken(const struct copy_work *w, int fd)
{
	for (uint32_t i = 0; i < w->head.n_files; i++)
		if (w->files[i].fd == (uint32_t)fd)
			return true;
	return false;
}

/* By a name in /proc it could be had for longer than it takes to become it. */
static bool is_template(const struct copy_work *w, long fd)
{
	int own = w->at ? w->stream : w->template;
	struct statx a, b;

	if (own < 0)
		return false;
	return CALL5(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &a) != 0 ||
	       CALL5(SYS_statx, own, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &b) != 0 ||
	       (a.stx_ino == b.stx_ino && a.stx_dev_major == b.stx_dev_major &&
		a.stx_dev_minor == b.stx_dev_minor);
}

static bool open_one(struct copy_work *w, const struct copy_file *f)
{
	const uint32_t once = O_CREAT | O_EXCL | O_TRUNC | O_NOCTTY;
	long fd =
		CALL4(SYS_openat, AT_FDCWD, w->texts + f->path, (f->flags & ~once) | O_CLOEXEC, 0);
	long at = fd;

	if (copy_failed(fd))
		return copy_refuse(w, "an open file is missing here", w->texts + f->path);
	if (is_template(w, fd))
		return copy_refuse(w, "this is no image", NULL);
	if (f->offset && CALL3(SYS_lseek, fd, f->offset, SEEK_SET) != (long)f->offset)
		return copy_refuse(w, "an open file is another here", w->texts + f->path);
	if (fd != (long)f->fd) {
		at = CALL3(SYS_dup3, fd, f->fd, f->closes ? O_CLOEXEC : 0);
		(void)CALL1(SYS_close, fd);
	} else if (!f->closes) {
		(void)CALL3(SYS_fcntl, fd, F_SETFD, 0);
	}
	return at == (long)f->fd || copy_refuse_number(w, "a descriptor has no place", (long)f->fd);
}

/* The lowest number that is nobody's. */
static int free_place(const struct copy_work *w, int not_this)
{
	int fd = STREAM_FD_LEAST;

	while (fd == not_this || is_taken(w, fd))
		fd++;
	return fd;
}

static bool move_to(int *fd, int to)
{
	if (*fd == to)
		return true;
	if (CALL3(SYS_dup3, *fd, to, O_CLOEXEC) != to)
		return false;
	*fd = to;
	return true;
}

/* What is read stays for a moment, out of the way; everything else goes. */
static bool close_others(struct copy_work *w)
{
	int first = free_place(w, w->template), second = free_place(w, first);

	if (!move_to(&w->stream, first))
		return copy_refuse(w, "the stream has no place", NULL);
	if (w->template <0)
		second = first;
	else if (!move_to(&w->template, second))
		return copy_refuse(w, "the template has no place", NULL);
	if (second < first) {
		int other = first;

		first = second;
		second = other;
	}
	if (first > STREAM_FD_LEAST)
		(void)CALL3(SYS_close_range, STREAM_FD_LEAST, first - 1, 0);
	if (second > first + 1)
		(void)CALL3(SYS_close_range, first + 1, second - 1, 0);
	(void)CALL3(SYS_close_range, second + 1, ~0u, 0);
	return true;
}

static bool open_files(struct copy_work *w)
{
	if (!close_others(w))
		return false;
	for (uint32_t i = 0; i < w->head.n_files; i++)
		if (!open_one(w, &w->files[i]))
			return false;
	(void)CALL1(SYS_umask, w->head.umask);
	return CALL1(SYS_chdir, w->texts + w->head.cwd) == 0 ||
	       copy_refuse(w, "its working directory is missing here", w->texts + w->head.cwd);
}

/* The hole. */

static bool overlaps(const struct copy_work *w, uint64_t start, uint64_t len)
{
	for (uint32_t i = 0; i < w->head.n_maps; i++)
		if (start < w->maps[i].start + w->maps[i].len && w->maps[i].start < start + len)
			return true;
	for (uint32_t i = 0; i < w->head.n_specials; i++)
		if (start < w->head.specials[i].start + w->head.specials[i].len &&
		    w->head.specials[i].start < start + len)
			return true;
	return false;
}

static uint64_t find_hole(const struct copy_work *w, uint64_t len)
{
	for (uint64_t at = HOLE_FIRST; at + len < COPY_ADDRESS; at += HOLE_STEP)
		if (!overlaps(w, at, len) &&
		    copy_mmap(at, len, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == (long)at)
			return at;
	return 0;
}

static uint64_t round_up(uint64_t n)
{
	return (n + COPY_PAGE - 1) & ~(uint64_t)(COPY_PAGE - 1);
}

static void *put(uint64_t *at, const void *data, size_t len)
{
	void *to = (void *)*at;

	copy_bytes(to, data, len);
	*at += (len + 15) & ~15ull;
	return to;
}

/* Code | stack | plan and tables | park */
static struct copy_plan *make_plan(struct copy_work *w, const struct copy_work *me)
{
	size_t code = (size_t)(__stop_copy_code - __start_copy_code);
	size_t tables = w->head.n_maps * sizeof(*w->maps) + w->head.n_runs * sizeof(*w->runs) +
			w->head.n_guards * sizeof(*w->guards) + w->head.texts_len + w->env_len +
			round_up(sizeof(struct copy_plan)) + 80;
	uint64_t code_len = round_up(code),
		 len = code_len + COPY_RESTORE_STACK + round_up(tables) + PARK_MAX;
	uint64_t hole = find_hole(w, len), at = hole + code_len + COPY_RESTORE_STACK;
	struct copy_plan *p = (struct copy_plan *)at;

	if (!hole) {
		(void)copy_refuse(w, "there is no hole in its memory", NULL);
		return NULL;
	}
	copy_bytes((void *)hole, __start_copy_code, code);
	if (CALL3(SYS_mprotect, hole, code_len, PROT_READ | PROT_EXEC) != 0) {
		(void)copy_refuse(w, "code cannot be made here", NULL);
		return NULL;
	}
	at += round_up(sizeof(*p));
	copy_bytes(&p->head, &w->head, sizeof(p->head));
	p->maps = put(&at, w->maps, w->head.n_maps * sizeof(*w->maps));
	p->runs = put(&at, w->runs, w->head.n_runs * sizeof(*w->runs));
	p->guards = put(&at, w->guards, w->head.n_guards * sizeof(*w->guards));
	p->texts = put(&at, w->texts, w->head.texts_len);
	p->env = put(&at, w->env, w->env_len);
	p->env_len = w->env_len;
	p->template = w->at ? w->stream : w->template;
	p->view_len = p->template <0 ? 0 : round_up(w->head.image_len);
	copy_bytes(p->mine, me->head.specials, sizeof(p->mine));
	p->park = hole + len - PARK_MAX;
	p->hole = hole;
	p->hole_len = len;
	p->stream = w->at ? -1 : w->stream;
	return p;
}

static void enter(const struct copy_plan *p)
{
	uint64_t code = (uint64_t)(uintptr_t)copy_restore - (uint64_t)(uintptr_t)__start_copy_code;
	uint64_t stack = (uint64_t)(uintptr_t)p - 64;

	__asm__ volatile("mov %1, %%rsp\n\t"
			 "xor %%ebp, %%ebp\n\t"
			 "call *%2"
			 :
			 : "D"(p), "r"(stack & ~15ull), "r"(p->hole + code)
			 : "memory");
	__builtin_unreachable();
}

void copy_become(struct copy_work *w)
{
	struct copy_work *me = copy_work_new();
	struct copy_plan *p;
	uint64_t fs = 0;

	if (!me) {
		(void)copy_refuse(w, "there is no memory for it", NULL);
		return;
	}
	if (!read_tables(w) || !check_tables(w) || !copy_find_specials(me) ||
	    !check_specials(w, me) || !open_files(w))
		return;
	p = make_plan(w, me);
	if (!p)
		return;
	if (&__rseq_offset && &__rseq_size && __rseq_size &&
	    CALL2(SYS_arch_prctl, ARCH_GET_FS, &fs) == 0)
		p->rseq_at = fs + (uint64_t)__rseq_offset;
	enter(p);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* copy_restore.c - takes the memory of this process away and puts another's in its place.
 *
 * Runs from a copy in a hole that is free in both, on a stack there, when
 * nothing else is mapped any more: no library, no constants, no tables, no
 * thread-local storage.  So the whole file is one section, compiled without
 * anything that the compiler would put elsewhere.
 */
#include "warm/copy_restore.h"

#include <asm/prctl.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "warm/copy_calls.h"

#define HERE __attribute__((section("copy_code"), noinline, used))

HERE static void leave(int code)
{
	for (;;)
		(void)CALL1(SYS_exit_group, code);
}

/* Nothing may come in between, and nothing of the old memory may be touched by the kernel. */
HERE static uint32_t let_go(struct copy_plan *p)
{
	uint64_t all = ~0ull;
	uint32_t len = 0;

	(void)CALL4(SYS_rt_sigprocmask, SIG_SETMASK, &all, 0, 8);
	(void)CALL2(SYS_set_robust_list, 0, 24);
	(void)CALL1(SYS_set_tid_address, 0);
	if (!p->rseq_at)
		return 0;
	for (len = COPY_RSEQ_LEN; len <= COPY_RSEQ_LEN_MAX; len += COPY_RSEQ_LEN)
		if (CALL4(SYS_rseq, p->rseq_at, len, COPY_RSEQ_LEAVE, COPY_RSEQ_SIGN) == 0)
			return len;
	/* Whose ancestor shared another's memory, as vfork() does, has none, whatever the C library
	 * believes: then one can be had, and given back. */
	if (CALL4(SYS_rseq, p->rseq_at, COPY_RSEQ_LEN, 0, COPY_RSEQ_SIGN) != 0 ||
	    CALL4(SYS_rseq, p->rseq_at, COPY_RSEQ_LEN, COPY_RSEQ_LEAVE, COPY_RSEQ_SIGN) != 0)
		leave(COPY_EXIT_THREAD);
	return COPY_RSEQ_LEN;
}

HERE static void move(uint64_t from, uint64_t to, uint64_t len)
{
	if (from == to)
		return;
	if (CALL5(SYS_mremap, from, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, to) != (long)to)
		leave(COPY_EXIT_KERNEL);
}

HERE static void park_specials(struct copy_plan *p)
{
	uint64_t to = p->park;

	for (uint32_t i = 0; i < p->head.n_specials; i++) {
		move(p->mine[i].start, to, p->mine[i].len);
		to += p->mine[i].len;
	}
}

HERE static void place_specials(struct copy_plan *p)
{
	uint64_t from = p->park;

	for (uint32_t i = 0; i < p->head.n_specials; i++) {
		move(from, p->head.specials[i].start, p->mine[i].len);
		from += p->mine[i].len;
	}
}

HERE static void clear(const struct copy_plan *p)
{
	uint64_t end = p->hole + p->hole_len;

	if (CALL2(SYS_munmap, 0, p->hole) != 0 || CALL2(SYS_munmap, end, COPY_ADDRESS - end) != 0)
		leave(COPY_EXIT_MEMORY);
}

HERE static long open_file(const struct copy_plan *p, const struct copy_map *m)
{
	long fd = CALL4(SYS_openat, AT_FDCWD, p->texts + m->path, O_RDONLY | O_CLOEXEC, 0);
	struct statx st;

	if (copy_failed(fd) ||
	    CALL5(SYS_statx, fd, p->texts, AT_EMPTY_PATH, STATX_BASIC_STATS, &st) != 0 ||
	    st.stx_size != m->size || (uint64_t)st.stx_mtime.tv_sec != m->sec ||
	    st.stx_mtime.tv_nsec != m->nsec)
		leave(COPY_EXIT_FILE);
	return fd;
}

HERE static void map_one(const struct copy_plan *p, const struct copy_map *m)
{
	long prot = m->has_runs ? PROT_READ | PROT_WRITE : (long)m->prot, fd = -1, at;
	long flags = MAP_FIXED | MAP_NORESERVE;
	uint64_t offset = m->image_at ? m->image_at : m->offset;

	if (m->image_at)
		flags |= MAP_PRIVATE;
	else if (m->kind == COPY_MEMORY)
		flags |= MAP_PRIVATE | MAP_ANONYMOUS;
	else
		flags |= m->kind == COPY_SHARED ? MAP_SHARED : MAP_PRIVATE;
	if (m->image_at)
		fd = p->template;
	else if (m->kind != COPY_MEMORY)
		fd = open_file(p, m);
	at = copy_mmap(m->start, m->len, prot, flags, fd, offset);
	if (at != (long)m->start)
		leave(COPY_EXIT_MEMORY);
	if (fd >= 0 && fd != p->template)
		(void)CALL1(SYS_close, fd);
	if (m->wiped)
		(void)CALL3(SYS_madvise, m->start, m->len, MADV_WIPEONFORK);
}

/* So that what is the same can be found later.  Nothing is read there before; and where it cannot
 * be had, nothing will be. */
HERE static void map_view(struct copy_plan *p)
{
	long at;

	if (p->template <0)
		return;
	at = copy_mmap(0, p->view_len, PROT_READ, MAP_SHARED | MAP_NORESERVE, p->template, 0);
	p->view = copy_failed(at) ? 0 : (uint64_t)at;
	/* Always: locks and watches on it would be everybody's. */
	(void)CALL1(SYS_close, p->template);
}

/* As many bytes as one call brings; the runs shrink from the left. */
HERE static void read_contents(const struct copy_plan *p)
{
	struct iovec *at = p->runs, *end = at + p->head.n_runs;

	while (at < end) {
		long left = end - at;
		long n = CALL3(SYS_readv, p->stream, at, left < 1024 ? left : 1024);

		if (n == -4) /* EINTR */
			continue;
		if (n <= 0)
			leave(COPY_EXIT_STREAM);
		while (at < end && (uint64_t)n >= at->iov_len) {
			n -= (long)at->iov_len;
			at++;
		}
		if (at < end) {
			at->iov_base = (char *)at->iov_base + n;
			at->iov_len -= (uint64_t)n;
		}
	}
	if (p->stream >= 0)
		(void)CALL1(SYS_close, p->stream);
}

HERE static void protect(const struct copy_plan *p)
{
	for (uint32_t i = 0; i < p->head.n_maps; i++) {
		const struct copy_map *m = &p->maps[i];

		if (m->has_runs && m->prot != (PROT_READ | PROT_WRITE) &&
		    CALL3(SYS_mprotect, m->start, m->len, m->prot) != 0)
			leave(COPY_EXIT_MEMORY);
	}
}

/* Last: they forget what was written there. */
HERE static void guard(const struct copy_plan *p)
{
	for (uint32_t i = 0; i < p->head.n_guards; i++)
		if (CALL3(SYS_madvise, p->guards[i].iov_base, p->guards[i].iov_len, COPY_GUARD) !=
		    0)
			leave(COPY_EXIT_GUARD);
}

/* What the C library believes of its thread becomes true. */
HERE static void settle_thread(const struct copy_plan *p, uint32_t rseq_len)
{
	const struct copy_head *h = &p->head;
	volatile uint32_t *rseq = (uint32_t *)h->rseq_at; /* one by one: no constants */

	if (CALL2(SYS_arch_prctl, ARCH_SET_FS, h->fs) != 0 ||
	    CALL2(SYS_arch_prctl, ARCH_SET_GS, h->gs) != 0)
		leave(COPY_EXIT_THREAD);
	*(int *)h->tid_at = (int)CALL1(SYS_set_tid_address, h->tid_at);
	(void)CALL2(SYS_set_robust_list, h->robust_at, 24);
	if (!rseq || !rseq_len)
		return;
	rseq[0] = 0;
	rseq[1] = ~0u; /* not registered */
	rseq[2] = rseq[3] = 0;
	if (CALL4(SYS_rseq, rseq, rseq_len, 0, COPY_RSEQ_SIGN) != 0)
		leave(COPY_EXIT_THREAD);
}

HERE static void settle_signals(const struct copy_plan *p)
{
	for (int i = 0; i < COPY_SIGNALS; i++)
		(void)CALL4(SYS_rt_sigaction, i + 1, &p->head.actions[i], 0, 8);
	(void)CALL2(SYS_sigaltstack, &p->head.stack, 0);
	(void)CALL4(SYS_rt_sigprocmask, SIG_SETMASK, &p->head.mask, 0, 8);
}

HERE static void go_on(const struct copy_plan *p)
{
	__asm__ volatile("ldmxcsr %0\n\t"
			 "fldcw %1"
			 :
			 : "m"(p->head.mxcsr), "m"(p->head.fcw));
	__asm__ volatile("mov %2, %%rsp\n\t"
			 "jmp *%3"
			 :
			 : "a"(p), "d"(1L), "r"(p->head.sp), "r"(p->head.pc)
			 : "memory");
	__builtin_unreachable();
}

HERE void copy_restore(struct copy_plan *p)
{
	uint32_t rseq_len = let_go(p);

	park_specials(p);
	clear(p);
	for (uint32_t i = 0; i < p->head.n_maps; i++)
		map_one(p, &p->maps[i]);
	place_specials(p);
	map_view(p);
	read_contents(p);
	protect(p);
	guard(p);
	settle_thread(p, rseq_len);
	settle_signals(p);
	go_on(p);
}

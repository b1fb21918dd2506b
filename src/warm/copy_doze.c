/* SPDX-License-Identifier: Apache-2.0 */
/* copy_doze.c - a process that became a template and has nothing to do gives all of itself away.
 *
 * What differs from the template are some ten KiB in a hundred pages, and the
 * kernel's tables for what is mapped are twenty pages more.  Whoever sleeps
 * writes the differences down, lets go of every page that can be had again,
 * moves its mappings to where there is nothing that would need a table, and
 * waits in a hole, on a stack there.  When there is something to read all is
 * put back.  A signal that would do anything wakes it as well, and is not
 * delivered before.
 */
#include "warm/copy_doze.h"

#include <asm/prctl.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>

#include "warm/copy_calls.h"
#include "warm/copy_rest.h"
#include "warm/copy_restore.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

#define HOLE_FIRST 0x200000000ull /* 8 GiB: above what is not position independent */
#define HOLE_STEP  0x40000000ull
#define AWAY_MOST  (64ull << 30)

enum {
	HOLE_TRIES = 64,
	HOLE_CODE = COPY_PAGE,
	HOLE_STACK = 2 * COPY_PAGE,
	HOLE_NOTES = 1 << 20,
	HOLE_LEN = HOLE_CODE + HOLE_STACK + HOLE_NOTES,
	MOVES_MAX = 1024,
	TABLE_LEN = 2 << 20, /* what one of the kernel's tables is for */
	RED_ZONE = 512,      /* and a frame */
};

extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned __rseq_size __attribute__((weak));

/* At the beginning of the notes; nothing of it may lie on the stack that is let go of. */
struct dozer {
	struct doze d;
	struct rest_notes notes;
	struct rest rest;
	uint64_t hole;
	uint64_t view, view_len;
	uint64_t away_len;
};

static uint64_t find_hole(void)
{
	uint64_t at = HOLE_FIRST;

	for (int i = 0; i < HOLE_TRIES; i++, at += HOLE_STEP)
		if (copy_mmap(at, HOLE_LEN, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
			      0) == (long)at)
			return at;
	return 0;
}

static bool put_code(uint64_t hole)
{
	size_t len = (size_t)(__stop_doze_code - __start_doze_code);

	if (len > HOLE_CODE)
		return false;
	copy_bytes((void *)hole, __start_doze_code, len);
	return CALL3(SYS_mprotect, hole, HOLE_CODE, PROT_READ | PROT_EXEC) == 0;
}

/* The kernel writes there whenever a thread comes back from it.  false: it is there, and cannot be
 * let go of. */
static bool leave_rseq(struct doze *d)
{
	uint64_t fs = 0, at;

	if (!&__rseq_offset || !&__rseq_size || !__rseq_size)
		return true;
	if (CALL2(SYS_arch_prctl, ARCH_GET_FS, &fs) != 0)
		return false;
	at = fs + (uint64_t)__rseq_offset;
	for (uint32_t len = COPY_RSEQ_LEN; len <= COPY_RSEQ_LEN_MAX; len += COPY_RSEQ_LEN) {
		if (CALL4(SYS_rseq, at, len, COPY_RSEQ_LEAVE, COPY_RSEQ_SIGN) != 0)
			continue;
		d->rseq_at = at;
		d->rseq_len = len;
		return true;
	}
	/* Who has none can have one, and give it back. */
	return CALL4(SYS_rseq, at, COPY_RSEQ_LEN, 0, COPY_RSEQ_SIGN) == 0 &&
	       CALL4(SYS_rseq, at, COPY_RSEQ_LEN, COPY_RSEQ_LEAVE, COPY_RSEQ_SIGN) == 0;
}

static bool does_nothing(int number, const struct copy_action *a)
{
	return a->handler == (uint64_t)(uintptr_t)SIG_IGN ||
	       (a->handler == (uint64_t)(uintptr_t)SIG_DFL &&
		(number == SIGCHLD || number == SIGCONT || number == SIGURG || number == SIGWINCH));
}

/* Of those that would do something if they were not blocked. */
static int watch_signals(uint64_t blocked)
{
	uint64_t set = 0;
	struct copy_action a;

	for (int i = 1; i <= COPY_SIGNALS; i++)
		if (!(blocked >> (i - 1) & 1) && CALL4(SYS_rt_sigaction, i, 0, &a, 8) == 0 &&
		    !does_nothing(i, &a))
			set |= 1ull << (i - 1);
	return (int)CALL4(SYS_signalfd4, -1, &set, 8, SFD_CLOEXEC);
}

/* From 6.14 on tables that became empty are given back with what was in them, if they are for one
 * mapping alone: each is made so large. */
static bool gives_tables_back(void)
{
	struct utsname name;
	unsigned parts[2] = {0, 0};
	const char *at = name.release;

	if (CALL1(SYS_uname, &name) != 0)
		return false;
	for (int i = 0; i < 2; i++, at++)
		for (; *at >= '0' && *at <= '9'; at++)
			parts[i] = parts[i] * 10 + (unsigned)(*at - '0');
	return parts[0] > 6 || (parts[0] == 6 && parts[1] >= 14);
}

/* One behind the other, behind the hole: first those that have pages, which the hole's own table is
 * for, then the others. */
static uint64_t place(struct doze_move *moves, const struct copy_map *maps, uint32_t n,
		      uint64_t away)
{
	const uint64_t table = gives_tables_back() ? TABLE_LEN : COPY_PAGE;
	uint32_t at = 0;

	for (uint64_t empties = 0; empties < 2; empties++) {
		uint64_t unit = empties ? table : COPY_PAGE;

		away = (away + unit - 1) & ~(unit - 1);
		for (uint32_t i = 0; i < n; i++) {
			struct doze_move *m = &moves[at];

			if (maps[i].has_runs == empties)
				continue;
			*m = (struct doze_move){.home = maps[i].start,
						.len = maps[i].len,
						.away = away,
						.away_len = (maps[i].len + unit - 1) & ~(unit - 1),
						.empties = empties};
			away += m->away_len;
			at++;
		}
	}
	return away;
}

static void plan_moves(struct dozer *z)
{
	struct doze_move *moves =
		(struct doze_move *)(((uint64_t)(uintptr_t)z->notes.at + 15) & ~15ull);
	uint64_t begin = z->hole + HOLE_LEN, len;
	uint32_t n = z->notes.n_maps;

	if (n > MOVES_MAX || (uint32_t *)(moves + n) > z->notes.end)
		return;
	len = place(moves, z->rest.w->maps, n, begin) - begin;
	if (len > AWAY_MOST ||
	    copy_mmap(begin, len, PROT_NONE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
		      0) != (long)begin)
		return;
	z->away_len = len;
	z->d.moves = moves;
	z->d.n_moves = n;
}

static void sleep_there(const struct dozer *z)
{
	uint64_t code = (uint64_t)(uintptr_t)doze_here - (uint64_t)(uintptr_t)__start_doze_code;

	((void (*)(const struct doze *))(z->hole + code))(&z->d);
}

/* On the hole's stack. */
static void doze(struct dozer *z)
{
	z->d.differences = z->notes.at;
	if (rest_all(&z->rest, z->view, z->view_len)) {
		z->d.differences_end = z->notes.at;
		plan_moves(z);
	} else {
		z->d.differences_end = z->d.differences; /* as it is */
	}
	if (z->rest.w)
		copy_work_free(z->rest.w);
	sleep_there(z);
}

/* Nothing is written to the stack that we were called on until we are back on it. */
__attribute__((noinline)) static void doze_elsewhere(struct dozer *z)
{
	uint64_t stack = z->hole + HOLE_CODE + HOLE_STACK;

	z->rest.here = (uint64_t)(uintptr_t)__builtin_frame_address(0) - RED_ZONE;
	__asm__ volatile("mov %%rsp, %%rbx\n\t"
			 "mov %[stack], %%rsp\n\t"
			 "call *%[doze]\n\t"
			 "mov %%rbx, %%rsp"
			 : [stack] "+r"(stack), "+D"(z)
			 : [doze] "r"(doze)
			 : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory",
			   "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
			   "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}

bool copy_doze(uint64_t view, uint64_t view_len, int fd)
{
	uint64_t all = ~0ull, mask = 0, hole, notes;
	struct dozer *z;
	bool sleeps;

	if (!view || !rest_is_alone())
		return false;
	hole = find_hole();
	if (!hole)
		return false;
	notes = hole + HOLE_CODE + HOLE_STACK;
	z = (struct dozer *)notes;
	z->hole = hole;
	z->view = view;
	z->view_len = view_len;
	z->notes = (struct rest_notes){.at = (uint32_t *)(z + 1),
				       .end = (uint32_t *)(notes + HOLE_NOTES),
				       .hole = hole,
				       .hole_len = HOLE_LEN};
	z->rest.notes = &z->notes;
	(void)CALL4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &mask, 8);
	z->d.fds[DOZE_STREAM] = (struct pollfd){.fd = fd, .events = POLLIN};
	z->d.fds[DOZE_SIGNALS] = (struct pollfd){.fd = watch_signals(mask), .events = POLLIN};
	sleeps = z->d.fds[DOZE_SIGNALS].fd >= 0 && put_code(hole) && leave_rseq(&z->d);
	if (sleeps)
		doze_elsewhere(z);
	(void)CALL1(SYS_close, z->d.fds[DOZE_SIGNALS].fd);
	(void)CALL2(SYS_munmap, hole, HOLE_LEN + z->away_len);
	(void)CALL4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, 8);
	return sleeps;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* copy_state.c - what the kernel knows of a thread beside its memory: signals, and what the C
 * library has registered. */
#include <asm/prctl.h>
#include <signal.h>

#include "warm/copy_calls.h"
#include "warm/copy_work.h"

enum {
	THREAD_ROOM = 0xa00,    /* of struct pthread, which begins where fs points */
	LOCK_OFFSET = -32,      /* from a robust mutex's link to its lock: glibc's, for ever */
	SHADOW_STATUS = 0x5005, /* ARCH_SHSTK_STATUS */
};

/* Those of glibc 2.35 and later; there may be none. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned __rseq_size __attribute__((weak));

/* struct pthread has the thread's number, and two words behind it the head of the robust list,
 * whose second word no other member looks like. */
static bool find_thread(struct copy_work *w)
{
	int tid = (int)CALL0(SYS_gettid);

	for (uint64_t at = w->head.fs; at < w->head.fs + THREAD_ROOM; at += 8) {
		const int *number = (const int *)at;
		const int64_t *offset = (const int64_t *)(at + 24);

		if (*number != tid || *offset != LOCK_OFFSET)
			continue;
		w->head.tid_at = at;
		w->head.robust_at = at + 16;
		return true;
	}
	return copy_refuse(w, "this C library is not known here", NULL);
}

static bool take_signals(struct copy_work *w)
{
	if (CALL4(SYS_rt_sigprocmask, SIG_SETMASK, 0, &w->head.mask, 8) != 0 ||
	    CALL2(SYS_sigaltstack, 0, &w->head.stack) != 0)
		return copy_refuse(w, "its signals cannot be read", NULL);
	for (int i = 0; i < COPY_SIGNALS; i++)
		if (CALL4(SYS_rt_sigaction, i + 1, 0, &w->head.actions[i], 8) != 0)
			return copy_refuse(w, "its signals cannot be read", NULL);
	return true;
}

bool copy_take_state(struct copy_work *w)
{
	uint64_t shadow = 0;

	if (CALL2(SYS_arch_prctl, SHADOW_STATUS, &shadow) == 0 && shadow)
		return copy_refuse(w, "it has a shadow stack", NULL);
	if (CALL2(SYS_arch_prctl, ARCH_GET_FS, &w->head.fs) != 0 ||
	    CALL2(SYS_arch_prctl, ARCH_GET_GS, &w->head.gs) != 0)
		return copy_refuse(w, "its registers cannot be read", NULL);
	if (&__rseq_offset && &__rseq_size && __rseq_size)
		w->head.rseq_at = w->head.fs + (uint64_t)__rseq_offset;
	__asm__ volatile("stmxcsr %0" : "=m"(w->head.mxcsr));
	__asm__ volatile("fnstcw %0" : "=m"(w->head.fcw));
	return take_signals(w) && find_thread(w);
}

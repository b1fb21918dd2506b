/* SPDX-License-Identifier: Apache-2.0 */
/* copy_dozing.c - the part of a sleeping process that is there: it waits, and puts all back.
 *
 * Runs from a copy in a hole, on a stack there, while nothing else of the
 * process is where it belongs.  So the whole file is one section, compiled
 * without anything that the compiler would put elsewhere.
 */
#include <sys/mman.h>

#include "base/pagediff.h"
#include "warm/copy_calls.h"
#include "warm/copy_doze.h"
#include "warm/copy_restore.h"

#define HERE __attribute__((section("doze_code"), noinline, used))

HERE static bool move(uint64_t from, uint64_t len, uint64_t to, uint64_t to_len)
{
	return CALL5(SYS_mremap, from, len, to_len, MREMAP_MAYMOVE | MREMAP_FIXED, to) == (long)to;
}

/* What cannot be brought home is lost, and nobody could go on without it. */
HERE static void bring_home(const struct doze *d, uint64_t n)
{
	while (n-- > 0) {
		const struct doze_move *m = &d->moves[n];

		while (!move(m->away, m->away_len, m->home, m->len))
			(void)CALL1(SYS_exit_group, COPY_EXIT_MEMORY);
	}
}

HERE static void empty(const struct doze_move *m, uint64_t start, uint64_t len)
{
	if (m->empties)
		(void)CALL3(SYS_madvise, start, len, MADV_DONTNEED);
}

/* Where nothing is mapped the kernel keeps no tables, and where an empty mapping has all that a
 * table is for, it gives the table back.  All of it or nothing. */
HERE static uint64_t put_away(const struct doze *d)
{
	for (uint64_t i = 0; i < d->n_moves; i++) {
		const struct doze_move *m = &d->moves[i];

		empty(m, m->home, m->len); /* again: what was run until now */
		if (!move(m->home, m->len, m->away, m->away_len)) {
			bring_home(d, i);
			return 0;
		}
		empty(m, m->away, m->away_len);
	}
	return d->n_moves;
}

HERE static void register_again(const struct doze *d)
{
	volatile uint32_t *rseq = (uint32_t *)d->rseq_at; /* one by one: no constants */

	if (!rseq)
		return;
	rseq[0] = 0;
	rseq[1] = ~0u; /* not registered */
	rseq[2] = rseq[3] = 0;
	while (CALL4(SYS_rseq, rseq, d->rseq_len, 0, COPY_RSEQ_SIGN) != 0)
		(void)CALL1(SYS_exit_group, COPY_EXIT_THREAD);
}

HERE void doze_here(const struct doze *d)
{
	uint64_t away = put_away(d);

	while (CALL5(SYS_ppoll, d->fds, DOZE_WAITS, 0, 0, 8) == -4) /* EINTR */
		;
	bring_home(d, away);
	pagediff_put_back(d->differences, d->differences_end);
	register_again(d);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* session_peaks.c - what the account of a snippet says of memory, processes and files.
 *
 * They are the box's, and only its slot can count them.  To ask takes as long as a short snippet
 * does, and in so short a time nothing grows by more than a few megabytes: so it is asked when
 * snippets have run for some milliseconds since, or when the last answer is old.  Peaks never go
 * down: what is said then may be a little less than the truth, never more.
 */
#include "base/clock.h"
#include "keeper/session_state.h"

enum { ASK_AFTER_US = 5000, OLD_US = 5000000 };

static bool is_due(const struct session *s, uint64_t now_us)
{
	return s->peaks_us == 0 || s->unasked_us >= ASK_AFTER_US || now_us - s->peaks_us >= OLD_US;
}

void session_peaks(struct session *s, uint64_t ran_us, struct usage *u)
{
	const struct usage *seen = &s->peaks;
	uint64_t now_us = clock_us();
	struct error ignored;

	if (s->end != SESSION_OPEN || u->memory_peak_bytes)
		return; /* its slot has said what the box has used, to its end */
	s->unasked_us += ran_us;
	if (is_due(s, now_us) && kept_usage(&s->kept, &s->peaks, &ignored) == 0) {
		s->peaks_us = now_us;
		s->unasked_us = 0;
	}
	u->memory_peak_bytes = seen->memory_peak_bytes;
	u->processes_peak = seen->processes_peak;
	u->disk_peak_bytes = seen->disk_peak_bytes;
	u->inodes_peak = seen->inodes_peak;
	u->forks_refused = seen->forks_refused;
	u->memory_limit_hits = seen->memory_limit_hits;
	u->disk_full = seen->disk_full;
	u->inodes_full = seen->inodes_full;
}

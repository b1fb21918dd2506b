/* SPDX-License-Identifier: Apache-2.0 */
/* session_rest.c - what the keeper of a session gives back while nobody asks for anything.
 *
 * Memory that one snippet has used is kept for the next: to get it again costs
 * more than the snippet.  But most sessions sleep most of the time, and there
 * may be thousands.  So after some seconds everything goes that holds nothing:
 * the heap's free pages, the stack below us, the connection to the scribe.
 */
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "keeper/session_state.h"

enum {
	STACK_MOST = 1 << 20, /* that far down somebody may have been */
	PAGES_NEAR = 2,       /* this function's own, and what it calls */
};

static void drop_stack(void)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t here = (uintptr_t)__builtin_frame_address(0) & ~(page - 1);
	uintptr_t high = here - PAGES_NEAR * page;

	/* Where the stack does not reach that far nothing is mapped, and nothing is done. */
	for (uintptr_t at = high - page; at > here - STACK_MOST; at -= page)
		if (madvise((void *)at, page, MADV_DONTNEED) < 0)
			return;
}

void session_rest(struct session *s)
{
	for (size_t i = 0; i < SESSION_DRIVERS; i++)
		driver_rest(&s->drivers[i]);
	if (s->k->has_audit)
		audit_rest(&s->k->audit);
	(void)malloc_trim(0);
	drop_stack();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* session_rest.c - what the keeper of a session gives back while nobody asks for anything.
 *
 * Memory that one snippet has used is kept for the next: to get it again costs
 * more than the snippet.  But most sessions sleep most of the time, and there
 * may be thousands.  So after some seconds everything goes that holds nothing:
 * the heap's free pages, the stack below us, the connection to the scribe.
 */
#include <malloc.h>

#include "base/pages.h"
#include "keeper/session_state.h"

void session_rest(struct session *s)
{
	for (size_t i = 0; i < SESSION_DRIVERS; i++)
		driver_rest(&s->drivers[i]);
	if (s->k->has_audit)
		audit_rest(&s->k->audit);
	(void)malloc_trim(0);
	pages_forget_stack();
}

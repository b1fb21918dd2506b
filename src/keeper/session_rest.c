/* SPDX-License-Identifier: Apache-2.0 */
/* session_rest.c - what the keeper of a session gives back while nobody asks for anything.
 *
 * Memory that one snippet has used is kept for the next: to get it again costs
 * more than the snippet.  But most sessions sleep most of the time, and there
 * may be thousands.  So after some seconds everything goes that holds nothing:
 * the heap's free pages, the stack below us, the connection to the scribe.
 */
#include <link.h>
#include <malloc.h>

#include "base/pages.h"
#include "keeper/session_state.h"

/* The program itself, as far as nobody has written to it, comes back out of the file when it is run
 * again; the tables that say where it lies go with it (from Linux 6.14 on). */
static int forget_code(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	(void)context;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && !(p->p_flags & PF_W))
			pages_forget((void *)(info->dlpi_addr + p->p_vaddr), p->p_memsz);
	}
	return 1; /* ours, and no library's */
}

void session_rest(struct session *s)
{
	for (size_t i = 0; i < SESSION_DRIVERS; i++)
		driver_rest(s, &s->drivers[i]);
	if (s->k->has_audit)
		audit_rest(&s->k->audit);
	(void)malloc_trim(0);
	pages_forget_stack();
	(void)dl_iterate_phdr(forget_code, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* pages.h - large room from the kernel itself: zeros, and not a page of it touched before its use.
 *
 * For what is made in every call and mostly not used: an allocator writes its
 * own marks into the first and the last page, and a page fault costs microseconds.
 */
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stddef.h>
#include <sys/mman.h>

/* NULL: there is no room. */
static inline void *pages_new(size_t size)
{
	void *room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return room == MAP_FAILED ? NULL : room;
}

static inline void pages_free(void *room, size_t size)
{
	if (room)
		(void)munmap(room, size);
}

struct pages {
	void *room;
	size_t size;
};

/* For own(pages). */
static inline void pages_end(struct pages *p)
{
	pages_free(p->room, p->size);
}

#endif

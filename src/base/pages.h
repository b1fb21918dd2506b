/* SPDX-License-Identifier: Apache-2.0 */
/* pages.h - large room from the kernel itself: zeros, and not a page of it touched before its use.
 *
 * For what is made in every call and mostly not used: an allocator writes its
 * own marks into the first and the last page, and a page fault costs microseconds.
 */
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stddef.h>
#include <stdint.h>
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

/* What is in it is not wanted any more: it goes back to the kernel, and is zeros when it is used
 * again.  Bytes beside whole pages stay. */
static inline void pages_forget(void *room, size_t size)
{
	const uintptr_t page = 4096; /* of larger ones none is touched: the kernel refuses */
	uintptr_t from = ((uintptr_t)room + page - 1) & ~(page - 1);
	uintptr_t to = ((uintptr_t)room + size) & ~(page - 1);

	if (from < to)
		(void)madvise((void *)from, to - from, MADV_DONTNEED);
}

/* The same for the stack beneath the caller's frame, however far somebody has been down there.
 * Below a stack the kernel keeps a gap of a mebibyte, so that nothing else lies in reach. */
__attribute__((noinline, unused)) static void pages_forget_stack(void)
{
	enum { REACH = 1 << 20, NEAR = 1024 };
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	pages_forget((void *)(here - REACH), REACH - NEAR);
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

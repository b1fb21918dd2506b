/* SPDX-License-Identifier: Apache-2.0 */
/* heaproom.c - memory that is about to be needed is had at once.
 *
 * musl's malloc maps each group of small blocks by itself, and each of their
 * pages is a fault when it is first touched: a quarter of the time that a call
 * takes to read its policy.  So small maps are pieces of one, whose pages are
 * there from the beginning, until it is used up.  Each piece is given out once;
 * whoever unmaps one unmaps it.  Defined here, the names keep musl's out.
 */
#include "base/heap.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, PIECE_MAX = 16 * PAGE };

static char *at;
static size_t left;

void *__mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset);

void heap_expect(size_t bytes)
{
	void *room = __mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (room == MAP_FAILED)
		return;
	at = room;
	left = bytes & ~(size_t)(PAGE - 1);
}

static void *take_piece(size_t len)
{
	size_t size = (len + PAGE - 1) & ~(size_t)(PAGE - 1);
	char *piece = at;

	if (len == 0 || len > PIECE_MAX || size > left)
		return NULL;
	at += size;
	left -= size;
	return piece;
}

/* As musl's: what the kernel says of a range that it cannot have is called want of memory. */
void *__mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	void *piece = NULL;
	long got;

	if (!addr && prot == (PROT_READ | PROT_WRITE) && flags == (MAP_PRIVATE | MAP_ANONYMOUS))
		piece = take_piece(len);
	if (piece)
		return piece;
	if (offset & (PAGE - 1)) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	if (len >= PTRDIFF_MAX) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	got = syscall(SYS_mmap, addr, len, prot, flags, fd, offset);
	if (got == -1 && errno == EPERM && !addr && (flags & MAP_ANONYMOUS) && !(flags & MAP_FIXED))
		errno = ENOMEM;
	return (void *)got;
}

void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
	__attribute__((alias("__mmap")));

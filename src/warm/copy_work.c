/* SPDX-License-Identifier: Apache-2.0 */
/* copy_work.c - the room in which an image is put together, and the words for what cannot be. */
#include "warm/copy_work.h"

#include <sys/mman.h>

#include "warm/copy_calls.h"

struct copy_work *copy_work_new(void)
{
	/* Shared, so that the kernel does not join it with memory that is the process's. */
	long at = copy_mmap(0, sizeof(struct copy_work), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct copy_work *w;

	if (copy_failed(at))
		return NULL;
	w = (struct copy_work *)at;
	w->stream = w->template = w->also = w->pagemap = -1;
	w->head.texts_len = 1; /* 0 is no text */
	return w;
}

void copy_work_free(struct copy_work *w)
{
	(void)CALL2(SYS_munmap, w, sizeof(*w));
}

static size_t add(char *to, size_t at, size_t room, const char *text)
{
	while (*text && at + 1 < room)
		to[at++] = *text++;
	to[at] = '\0';
	return at;
}

bool copy_refuse(struct copy_work *w, const char *why, const char *which)
{
	size_t at = add(w->reason, 0, sizeof(w->reason), why);

	if (which) {
		at = add(w->reason, at, sizeof(w->reason), ": ");
		(void)add(w->reason, at, sizeof(w->reason), which);
	}
	return false;
}

bool copy_refuse_number(struct copy_work *w, const char *why, long number)
{
	char digits[24];
	size_t at = sizeof(digits) - 1;
	unsigned long n = number < 0 ? 0ul - (unsigned long)number : (unsigned long)number;

	digits[at] = '\0';
	do {
		digits[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	if (number < 0)
		digits[--at] = '-';
	return copy_refuse(w, why, digits + at);
}

uint32_t copy_text(struct copy_work *w, const char *text)
{
	size_t len = copy_length(text) + 1;
	uint32_t at = w->head.texts_len;

	if (len > COPY_TEXTS_MAX - at) {
		(void)copy_refuse(w, "too many names of files", NULL);
		return 0;
	}
	copy_bytes(w->texts + at, text, len);
	w->head.texts_len += (uint32_t)len;
	return at;
}

/* All of it, by a call that takes or brings as much as it can. */
static bool all(long call, int fd, const char *at, size_t len)
{
	while (len) {
		long n = CALL3(call, fd, at, len);

		if (n == -4) /* EINTR */
			continue;
		if (n <= 0)
			return false;
		at += n;
		len -= (size_t)n;
	}
	return true;
}

bool copy_write_all(int fd, const void *data, size_t len)
{
	return all(SYS_write, fd, data, len);
}

bool copy_read_all(int fd, void *data, size_t len)
{
	return all(SYS_read, fd, data, len);
}

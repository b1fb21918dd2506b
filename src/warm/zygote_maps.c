/* SPDX-License-Identifier: Apache-2.0 */
/* zygote_maps.c - what the kernel tells a warm interpreter of its own memory. */
#include "warm/zygote_maps.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/native/zygotewire.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

enum { PAGE = 4096 };

struct own_memory own_memory_take(void)
{
	struct own_memory ret = {-1, -1, -1};
	struct statfs fs;

	if (fstatfs(ZYGOTE_PROC_FD, &fs) < 0 || fs.f_type != PROC_SUPER_MAGIC)
		return ret;
	ret.maps = openat(ZYGOTE_PROC_FD, "maps", O_RDONLY | O_CLOEXEC);
	ret.pagemap = openat(ZYGOTE_PROC_FD, "pagemap", O_RDONLY | O_CLOEXEC);
	ret.status = openat(ZYGOTE_PROC_FD, "status", O_RDONLY | O_CLOEXEC);
	(void)close(ZYGOTE_PROC_FD);
	return ret;
}

void own_memory_end(struct own_memory *own)
{
	own_fd_end(&own->maps);
	own_fd_end(&own->pagemap);
	own_fd_end(&own->status);
	*own = (struct own_memory){-1, -1, -1};
}

void mappings_begin(const struct own_memory *own, struct mappings *ret)
{
	ret->fd = own->maps;
	ret->at = ret->len = 0;
	if (lseek(ret->fd, 0, SEEK_SET) != 0)
		ret->fd = -1;
}

static bool read_on(struct mappings *l)
{
	ssize_t n;

	memmove(l->text, l->text + l->at, l->len - l->at);
	l->len -= l->at;
	l->at = 0;
	n = read(l->fd, l->text + l->len, sizeof(l->text) - l->len);
	l->len += n > 0 ? (size_t)n : 0;
	return n > 0;
}

bool mappings_next(struct mappings *l, struct mapping *ret)
{
	char *line, *end;
	char device[16], inode[24];
	int at = 0;

	while (!(end = memchr(l->text + l->at, '\n', l->len - l->at)))
		if (!read_on(l))
			return false;
	*end = '\0';
	line = l->text + l->at;
	l->at = (size_t)(end + 1 - l->text);
	if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %*s %15s %23s %n", &ret->start, &ret->end,
		   ret->rights, device, inode, &at) != 5)
		return false;
	ret->file[0] = '\0';
	if (strcmp(inode, "0") != 0)
		(void)snprintf(ret->file, sizeof(ret->file), "%s %s", device, inode);
	ret->name = line + at;
	return true;
}

void span_see(struct span *span, const struct mapping *m)
{
	if (m->start > span->seen || m->end <= span->seen || span->seen >= span->end)
		return;
	if (m->rights[0] != 'r' || m->rights[1] != '-' || m->rights[3] != 'p' || !m->file[0])
		return;
	if (span->seen == span->start)
		memcpy(span->file, m->file, sizeof(span->file));
	else if (strcmp(span->file, m->file) != 0)
		return;
	span->seen = m->end;
}

bool span_is_read_only(const struct span *span)
{
	return span->seen >= span->end;
}

bool pages_are_there(uintptr_t start, uintptr_t end)
{
	return madvise((void *)start, end - start, MADV_POPULATE_READ) == 0;
}

/* There, or swapped out, and not the file's: whoever wrote to it has a copy, and so has the kernel
 * where it has set a trap. */
static bool is_changed(uint64_t entry)
{
	return entry >> 62 && !(entry >> 61 & 1);
}

bool own_memory_is_of_file(const struct own_memory *own, uintptr_t start, uintptr_t end)
{
	uint64_t entries[256];

	for (uintptr_t at = start; at < end; at += PAGE) {
		size_t i = (at - start) / PAGE % ARRAY_LEN(entries);
		size_t left = (end - at) / PAGE;
		size_t size = (left < ARRAY_LEN(entries) ? left : ARRAY_LEN(entries)) *
			      sizeof(entries[0]);

		if (i == 0 && pread(own->pagemap, entries, size,
				    (off_t)(at / PAGE * sizeof(entries[0]))) != (ssize_t)size)
			return false;
		if (is_changed(entries[i]))
			return false;
	}
	return true;
}

bool own_memory_status(const struct own_memory *own, struct own_status *ret)
{
	char text[4096], state = 0;
	ssize_t n = pread(own->status, text, sizeof(text) - 1, 0);
	const char *first, *threads, *resident;

	*ret = (struct own_status){0};
	if (n <= 0)
		return false;
	text[n] = '\0';
	first = strstr(text, "\nState:");
	threads = strstr(text, "\nThreads:");
	resident = strstr(text, "\nVmRSS:");
	if (!first || !threads || !resident ||
	    sscanf(resident, "\nVmRSS: %" SCNu64, &ret->resident) != 1 ||
	    sscanf(first, "\nState: %c", &state) != 1 ||
	    sscanf(threads, "\nThreads: %u", &ret->threads) != 1)
		return false;
	ret->resident *= 1024;
	ret->main_sleeps = state == 'S';
	return true;
}

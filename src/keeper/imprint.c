/* SPDX-License-Identifier: Apache-2.0 */
/* imprint.c - a keeper that sleeps keeps of its memory what differs from its nursery's.
 *
 * It has written some words into each of two dozen pages: most are counts and
 * links of malloc's.  Where the pages that it was born with are a file's, mapped
 * privately, it can write those words down and let go of the pages.  Between
 * that and putting them back nothing may be written there: so there is no call
 * of libc's, which has its errno there, and no signal has a handler.
 *
 * Only the program's own variables and malloc's heap are laid: everything else
 * could be unmapped by whoever made it.
 */
#include "keeper/imprint.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "base/pagediff.h"
#include "base/pages.h"
#include "sandbox/native/rawcall.h"

/* No call may be made of a loop. */
#ifndef __clang__
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif

enum {
	PAGE = PAGEDIFF_PAGE,
	MAPS_ROOM = 32 << 10,
	LAID_MOST = 64 << 20,
	NOTES_LEN = 512 << 10,
};

/* Which memory. */

static int find_variables(struct dl_phdr_info *info, size_t size, void *context)
{
	struct imprint_part *ret = context;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_W))
			continue;
		ret->start = (info->dlpi_addr + p->p_vaddr) & ~(uintptr_t)(PAGE - 1);
		ret->end = (info->dlpi_addr + p->p_vaddr + p->p_memsz + PAGE - 1) &
			   ~(uintptr_t)(PAGE - 1);
	}
	return 1; /* ours, and no library's */
}

static bool read_line(const char *line, const struct imprint_part *variables, uintptr_t heap_end,
		      struct imprint_part *ret)
{
	char mode[5];

	if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &ret->start, &ret->end, mode) != 3 ||
	    strcmp(mode, "rw-p") != 0)
		return false;
	if (strstr(line, "[heap]"))
		return ret->end <= heap_end;
	/* It may be one with what was mapped behind it. */
	if (ret->end > variables->end)
		ret->end = variables->end;
	return ret->start >= variables->start && ret->start < ret->end;
}

/* true: all of the variables and all of the heap are there. */
static bool choose_parts(struct imprint *i, char *text)
{
	const uintptr_t heap_end = (uintptr_t)sbrk(0);
	struct imprint_part variables = {0}, part;
	bool heap = false;
	size_t len = 0;

	(void)dl_iterate_phdr(find_variables, &variables);
	i->n = 0;
	for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		*end = '\0';
		if (!read_line(line, &variables, heap_end, &part))
			continue;
		if (i->n == IMPRINT_PARTS)
			return false;
		heap |= part.end == heap_end;
		len += part.end - part.start;
		i->parts[i->n++] = part;
	}
	i->grown_from = heap_end;
	return heap && i->n > 1 && len <= LAID_MOST;
}

static int read_maps(char *text, size_t room, struct error *err)
{
	own_fd fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n = -1;

	while (fd >= 0 && len + 1 < room && (n = read(fd, text + len, room - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	return n == 0 ? 0 : fail_sys(err, "read our maps");
}

/* Laying it. */

static bool is_empty(const void *page)
{
	const uint64_t *at = page;

	for (size_t i = 0; i < PAGE / sizeof(*at); i++)
		if (at[i])
			return false;
	return true;
}

/* Into whose view all of it will be seen: nothing is written to it any more. */
static int make_file(struct imprint *i, int *ret_fd, struct error *err)
{
	own_fd fd = memfd_create("belljar-nursery", MFD_CLOEXEC | MFD_ALLOW_SEALING), reading = -1;
	char name[32];
	size_t len = 0;
	void *view;

	if (fd < 0)
		return fail_sys(err, "memory for an imprint");
	for (size_t n = 0; n < i->n; n++)
		len += i->parts[n].end - i->parts[n].start;
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	reading = open(name, O_RDONLY | O_CLOEXEC);
	if (ftruncate(fd, (off_t)len) < 0 || reading < 0)
		return fail_sys(err, "memory for an imprint");
	view = mmap(NULL, len, PROT_READ, MAP_SHARED | MAP_NORESERVE, reading, 0);
	if (view == MAP_FAILED)
		return fail_sys(err, "see an imprint");
	i->view = i->view_end = (uintptr_t)view;
	for (size_t n = 0; n < i->n; n++) {
		i->parts[n].as = i->view_end;
		i->view_end += i->parts[n].end - i->parts[n].start;
	}
	*ret_fd = take_fd(&fd);
	return 0;
}

/* All that is in the memory that is written, this function's work included, is done before. */
static int write_parts(const struct imprint *i, int fd, struct error *err)
{
	for (size_t n = 0; n < i->n; n++) {
		const struct imprint_part *p = &i->parts[n];

		for (uintptr_t at = p->start; at < p->end; at += PAGE)
			if (!is_empty((const void *)at) &&
			    pwrite(fd, (const void *)at, PAGE,
				   (off_t)(p->as - i->view + at - p->start)) != PAGE)
				return fail_sys(err, "write an imprint");
	}
	/* Else who captures a keeper could write into all others. */
	return fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0
		       ? fail_sys(err, "seal an imprint")
		       : 0;
}

static int map_parts(const struct imprint *i, int fd, struct error *err)
{
	for (size_t n = 0; n < i->n; n++) {
		const struct imprint_part *p = &i->parts[n];

		if (mmap((void *)p->start, p->end - p->start, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, fd,
			 (off_t)(p->as - i->view)) == MAP_FAILED)
			return fail_sys(err, "map an imprint");
	}
	return 0;
}

static int lay(struct imprint *i, struct error *err)
{
	own_fd fd = -1;

	if (make_file(i, &fd, err) < 0)
		return -1;
	/* A page of somebody else's: malloc gives nothing back to the kernel from below it. */
	if (sbrk(PAGE) == (void *)-1)
		return fail_sys(err, "memory beyond an imprint");
	if (write_parts(i, fd, err) < 0 || map_parts(i, fd, err) < 0)
		return -1;
	return 0;
}

int imprint_take(struct imprint *i, struct error *err)
{
	char text[MAPS_ROOM];

	*i = (struct imprint){0};
#if defined(__SANITIZE_ADDRESS__)
	return fail(err, ERR_CONFIG, "memory is somebody else's here");
#endif
	if (read_maps(text, sizeof(text), err) < 0)
		return -1;
	if (!choose_parts(i, text)) {
		i->n = 0;
		return fail(err, ERR_CONFIG, "our memory is not known here");
	}
	if (lay(i, err) == 0)
		return 0;
	i->n = 0;
	return -1;
}

/* Sleeping. */

struct notes {
	uint32_t *at, *end;
};

/* as: NULL for zeros.  false: there is no room. */
static bool note(struct notes *n, uintptr_t page, const uint32_t *as)
{
	if (n->end - n->at < PAGEDIFF_MOST)
		return false;
	n->at = pagediff_note(n->at, page, as);
	return true;
}

/* The kernel writes there whenever we come back from it, and our frames have their marks from
 * there: it stays. */
static bool is_threads(uintptr_t page)
{
	uintptr_t thread;

#if defined(__x86_64__)
	__asm__("mov %%fs:0, %0" : "=r"(thread));
#else
	thread = (uintptr_t)__builtin_thread_pointer();
#endif
	return page + 2ul * PAGE > thread && page < thread + PAGE;
}

static bool note_all(const struct imprint *i, uintptr_t grown_to, struct notes *notes)
{
	for (size_t n = 0; n < i->n; n++) {
		const struct imprint_part *p = &i->parts[n];

		for (uintptr_t at = p->start; at < p->end; at += PAGE)
			if (!is_threads(at) &&
			    !note(notes, at, (const uint32_t *)(p->as + at - p->start)))
				return false;
	}
	for (uintptr_t at = i->grown_from; at < grown_to; at += PAGE)
		if (!is_threads(at) && !note(notes, at, NULL))
			return false;
	return true;
}

static void forget(uintptr_t start, uintptr_t end)
{
	uintptr_t from = start;

	for (uintptr_t at = start; at <= end; at += PAGE) {
		if (at < end && !is_threads(at))
			continue;
		if (from < at)
			(void)raw_call(SYS_madvise, (long)from, (long)(at - from), MADV_DONTNEED, 0,
				       0);
		from = at + PAGE;
	}
}

/* From the first line to the last nothing is written but our own stack. */
__attribute__((noinline)) static long sleep_without(struct imprint i, uintptr_t grown_to,
						    const struct notes *notes,
						    const uint32_t *first, const long call[3])
{
	long came;

	for (size_t n = 0; n < i.n; n++)
		forget(i.parts[n].start, i.parts[n].end);
	forget(i.grown_from, grown_to);
	forget(i.view, i.view_end);
	came = raw_call(SYS_ppoll, call[0], call[1], call[2], 0, 8);
	pagediff_put_back(first, notes->at);
	return came;
}

int imprint_poll(const struct imprint *i, struct pollfd *fds, size_t n, int wait_ms)
{
	struct timespec wait = {.tv_sec = wait_ms / 1000, .tv_nsec = wait_ms % 1000 * 1000000L};
	const long call[3] = {(long)fds, (long)n, wait_ms < 0 ? 0 : (long)&wait};
	uintptr_t grown_to = (uintptr_t)sbrk(0);
	uint32_t *room = i && i->n ? pages_new(NOTES_LEN) : NULL;
	struct notes notes = {room, room};
	long came;

	if (!room)
		return poll(fds, n, wait_ms);
	notes.end += NOTES_LEN / sizeof(*room);
	(void)madvise(room, NOTES_LEN, MADV_DONTDUMP);
	if (grown_to % PAGE || !note_all(i, grown_to, &notes)) {
		pages_free(room, NOTES_LEN);
		return poll(fds, n, wait_ms);
	}
	came = sleep_without(*i, grown_to, &notes, room, call);
	explicit_bzero(room, (size_t)((char *)notes.at - (char *)room));
	pages_free(room, NOTES_LEN);
	if (came >= 0)
		return (int)came;
	errno = (int)-came;
	return -1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* zygote_settle.c - what a warm interpreter does before it bears anybody, so that its children
 * write to few pages of it.
 *
 * A child has a copy of each page that it writes to, made when it does: most of what it costs.
 * A program can notice this only where it asks how its memory is laid out: in /proc/self/maps its
 * own code has no name.  Where something cannot be done, it is only slower.
 */
#include "warm/zygote_settle.h"

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	BLOCK_STEP = 16, /* sizes of Python's small blocks */
	BLOCK_MAX = 512,
	PAGE = 4096, /* the first block of a pool lies behind its head in a page */
	HEAD = 48,
	FRESH = 2048,        /* so much in a row is a fresh one */
	HOLES_MAX = 1 << 17, /* of one size, in bytes: another allocator has no pools */
};

/* All free blocks of a size that lie about, one here and one there, are taken and never given back:
 * what a child makes then lies side by side, in a pool that was never used. */
static void fill_holes(size_t size)
{
	uintptr_t last = 0;
	size_t run = 0;

	for (size_t taken = 0; taken < HOLES_MAX && run < FRESH; taken += size) {
		uintptr_t at = (uintptr_t)PyObject_Malloc(size);

		if (!at)
			return;
		if (run && at == last + size)
			run += size;
		else
			run = at % PAGE == HEAD ? size : 0;
		last = at;
	}
}

void settle_blocks(void)
{
	for (size_t size = BLOCK_STEP; size <= BLOCK_MAX; size += BLOCK_STEP)
		fill_holes(size);
}

/* The interpreter's code, in huge pages. */

enum { PARTS_MAX = 16 };

struct code {
	struct {
		uintptr_t start, end;
	} parts[PARTS_MAX]; /* what nobody writes to, in order */
	size_t n;
};

/* The first object is the program itself. */
static int note_parts(struct dl_phdr_info *info, size_t size, void *context)
{
	struct code *code = context;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum && code->n < PARTS_MAX; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + part->p_vaddr;

		if (part->p_type != PT_LOAD || part->p_flags & PF_W)
			continue;
		code->parts[code->n].start = start & ~(uintptr_t)(PAGE - 1);
		code->parts[code->n++].end =
			(start + part->p_filesz + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
	}
	return 1;
}

/* One after another, without a gap. */
static bool is_covered(const struct code *code, uintptr_t start, uintptr_t end)
{
	for (size_t i = 0; i < code->n && start < end; i++)
		if (code->parts[i].start <= start && code->parts[i].end > start)
			start = code->parts[i].end;
	return start >= end;
}

void *huge_room(size_t size)
{
	size_t room = size + HUGE_PAGE;
	char *all = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *at;

	if (all == MAP_FAILED)
		return NULL;
	at = (char *)(((uintptr_t)all + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1));
	if (at > all)
		(void)munmap(all, (size_t)(at - all));
	if (at + size < all + room)
		(void)munmap(at + size, (size_t)(all + room - (at + size)));
	return at;
}

static bool is_read_only(const struct own_memory *own, uintptr_t at)
{
	struct span span = {.start = at, .end = at + HUGE_PAGE, .seen = at};
	struct mappings list;
	struct mapping m;

	mappings_begin(own, &list);
	while (mappings_next(&list, &m))
		span_see(&span, &m);
	return span_is_read_only(&span) && pages_are_there(span.start, span.end);
}

/* As of libraries (zygote_large.c): nobody must have changed what lies there, nor who may. */
static void *huge_copy(const struct own_memory *own, const void *from)
{
	char *at = is_read_only(own, (uintptr_t)from) ? huge_room(HUGE_PAGE) : NULL;

	if (!at)
		return NULL;
	memcpy(at, from, HUGE_PAGE);
	if (own_memory_is_of_file(own, (uintptr_t)from, (uintptr_t)from + HUGE_PAGE) &&
	    memcmp(at, from, HUGE_PAGE) == 0 && madvise(at, HUGE_PAGE, MADV_COLLAPSE) == 0 &&
	    mprotect(at, HUGE_PAGE, PROT_READ | PROT_EXEC) == 0)
		return at;
	(void)munmap(at, HUGE_PAGE);
	return NULL;
}

/* A mapped file has no page tables in a child: it would find the code again fault by fault, and
 * give each page back at its end.  A huge page is one entry.  Nobody runs code of the program
 * meanwhile: its other thread sleeps in the C library. */
void settle_code(const struct own_memory *own)
{
	struct code code = {0};
	uintptr_t at, end;

	(void)dl_iterate_phdr(note_parts, &code);
	if (!code.n)
		return;
	end = code.parts[code.n - 1].end;
	at = (code.parts[0].start + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
	for (; at + HUGE_PAGE <= end; at += HUGE_PAGE) {
		void *copy =
			is_covered(&code, at, at + HUGE_PAGE) ? huge_copy(own, (void *)at) : NULL;

		if (copy && mremap(copy, HUGE_PAGE, HUGE_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
				   (void *)at) == (void *)at)
			__builtin___clear_cache((char *)at, (char *)at + HUGE_PAGE);
		else if (copy)
			(void)munmap(copy, HUGE_PAGE);
	}
}

/* Functions that only a child calls are looked up now. */
void settle_names(void)
{
	Py_tss_t *key = PyThread_tss_alloc();

	if (key && PyThread_tss_create(key) == 0)
		PyThread_tss_delete(key);
	PyThread_tss_free(key);
}

/* The kernel lays the words of the command line one behind another, and those of the environment
 * behind them. */
static char *behind_words(char *start)
{
	PyObject *words = PySys_GetObject("orig_argv"); /* borrowed; none before 3.10 */
	Py_ssize_t n = words && PyList_Check(words) ? PyList_Size(words) : 0;
	char *at = start;

	for (Py_ssize_t i = 0; i < n; i++)
		at += strlen(at) + 1;
	return n > 0 && environ && environ[0] == at ? at : NULL;
}

void settle_title(struct title *ret)
{
	char *start = program_invocation_name, *last = behind_words(start);

	*ret = (struct title){0};
	if (!last)
		return;
	*ret = (struct title){.start = start, .size = (size_t)(last - start)};
	start += strlen(start) + 1; /* its name stays */
	memset(start, 0, (size_t)(last - start));
}

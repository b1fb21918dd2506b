/* SPDX-License-Identifier: Apache-2.0 */
/* zygote_libraries.c - which parts of a warm interpreter's libraries nobody writes to. */
#include "warm/zygote_libraries.h"

#include <link.h>
#include <stdbool.h>

enum { PAGE = 4096 };

static uintptr_t floor_page(uintptr_t at)
{
	return at & ~(uintptr_t)(PAGE - 1);
}

static uintptr_t ceil_page(uintptr_t at)
{
	return floor_page(at + PAGE - 1);
}

/* What is written to while a library is loaded, and by nobody afterwards, begins the part that is
 * written to. */
static uintptr_t end_of_relocated(const struct dl_phdr_info *info, uintptr_t start)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + part->p_vaddr;

		if (part->p_type == PT_GNU_RELRO && floor_page(at) == start)
			return floor_page(at + part->p_memsz);
	}
	return start;
}

/* From its first byte to the first that may change, or to the first gap: on machines that may have
 * large pages there is one before what may change.  false: something cannot be read, or everything
 * is as it was made, as in what the kernel maps into every process. */
static bool find_span(const struct dl_phdr_info *info, struct library *ret)
{
	uintptr_t start = 0, end = 0;

	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + part->p_vaddr;
		bool gap;

		if (part->p_type != PT_LOAD)
			continue;
		if (end == 0)
			start = end = floor_page(at);
		gap = floor_page(at) > end;
		if (floor_page(at) < end || !(part->p_flags & PF_R))
			return false;
		if (gap || part->p_flags & PF_W) {
			*ret = (struct library){.fixed = end};
			ret->span.start = ret->span.seen = start;
			ret->span.end = gap ? end : end_of_relocated(info, end);
			return ret->span.end > start;
		}
		end = ceil_page(at + part->p_memsz);
	}
	return false;
}

struct list {
	struct library *found;
	size_t n, room, most;
	bool begun;
};

static int add_library(struct dl_phdr_info *info, size_t size, void *context)
{
	struct list *list = context;
	struct library found;

	(void)size;
	if (!list->begun) { /* the first object is the program itself */
		list->begun = true;
		return 0;
	}
	if (list->n < list->room && find_span(info, &found) &&
	    found.span.end - found.span.start <= list->most)
		list->found[list->n++] = found;
	return 0;
}

size_t libraries_list(struct library *ret, size_t room, size_t most)
{
	struct list list = {.found = ret, .room = room, .most = most};

	(void)dl_iterate_phdr(add_library, &list);
	return list.n;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* relro.c - what was filled in at the start is read-only before main: musl's static start leaves
 * it.
 *
 * In it are the tables with addresses of functions, and the program reads what strangers wrote.
 */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>

/* The linker's: where the headers of the file are in memory. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));

__attribute__((constructor)) static void protect(void)
{
	const Elf64_Phdr *headers = (const void *)(uintptr_t)getauxval(AT_PHDR);
	uintptr_t base = (uintptr_t)__ehdr_start, page = getauxval(AT_PAGESZ);

	for (size_t i = 0, n = getauxval(AT_PHNUM); i < n; i++) {
		uintptr_t from = (base + headers[i].p_vaddr) & -page;
		uintptr_t to = (base + headers[i].p_vaddr + headers[i].p_memsz) & -page;

		if (headers[i].p_type == PT_GNU_RELRO && to > from &&
		    mprotect((void *)from, to - from, PROT_READ) < 0)
			abort();
	}
}

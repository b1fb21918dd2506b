/* SPDX-License-Identifier: Apache-2.0 */
/* elf.h - what an ELF file says it needs to be loaded: its loader, libraries and search paths.
 *
 * Reads only what ld.so would read, trusts no number in the file, and runs nothing.
 */
#ifndef NATIVE_ELF_H
#define NATIVE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
	ELF_HEADERS_MAX = 256,  /* program headers */
	ELF_DYNAMIC_MAX = 4096, /* entries of the dynamic section */
	ELF_NEEDED_MAX = 512,   /* libraries named by one file */
	ELF_STRING_MAX = 16384, /* bytes of one name or search path */
};

struct elf {
	bool foreign; /* ELF, but not 64 bit little endian x86_64 or aarch64: nothing else is set */
	uint16_t machine; /* EM_X86_64 or EM_AARCH64 */
	char *interp;     /* the loader; NULL: static, or a library */
	char *soname;
	char *rpath;
	char *runpath;
	char **needed; /* in the order ld.so takes them */
	size_t n_needed;
};

void elf_done(struct elf *elf);
void elf_end(struct elf *elf); /* for own(elf) */

/* Malformed: ERR_REFUSED with the reason.  fd is read with pread(); a file that shrinks
 * meanwhile is an error like any other, which a mapping could not promise. */
int elf_read_fd(int fd, struct elf *ret, struct error *err);
int elf_read_memory(const void *data, size_t len, struct elf *ret, struct error *err);

/* What the words in a search path stand for. */
struct elf_words {
	const char *origin;
	const char *lib;
	const char *platform;
};

/* Expands $ORIGIN, $LIB and $PLATFORM (also as ${ORIGIN}) in the len bytes at text; an unknown
 * word stays as it is, as in ld.so.  Fails if the result does not fit. */
int elf_expand(const char *text, size_t len, const struct elf_words *words, char *ret_path,
	       size_t room, struct error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* tiny_elf.h - makes the smallest ELF files that name a loader, libraries and search paths. */
#ifndef TESTS_TINY_ELF_H
#define TESTS_TINY_ELF_H

#include <assert.h>
#include <elf.h>
#include <stdint.h>
#include <string.h>

enum {
	TINY_STRINGS = 512,
	TINY_INTERP = 256, /* offset in strings of the loader's name, outside the string table */
	TINY_ENTRIES = 16,
	TINY_HEADERS = 3,
};

struct tiny_elf {
	Elf64_Ehdr header;
	Elf64_Phdr load, dynamic, interp;
	Elf64_Dyn entries[TINY_ENTRIES];
	char strings[TINY_STRINGS];
};

struct tiny_wants {
	uint16_t machine; /* 0: x86_64 */
	const char *interp;
	const char *soname;
	const char *rpath;
	const char *runpath;
	const char *needed[8];
};

struct tiny_maker {
	struct tiny_elf *elf;
	size_t entry;
	size_t string;
};

static inline void tiny_entry(struct tiny_maker *m, int64_t tag, uint64_t value)
{
	assert(m->entry < TINY_ENTRIES);
	m->elf->entries[m->entry].d_tag = tag;
	m->elf->entries[m->entry++].d_un.d_val = value;
}

static inline void tiny_name(struct tiny_maker *m, int64_t tag, const char *text)
{
	size_t len;

	if (!text)
		return;
	len = strlen(text) + 1;
	assert(m->string + len <= TINY_INTERP);
	memcpy(m->elf->strings + m->string, text, len);
	tiny_entry(m, tag, m->string);
	m->string += len;
}

static inline void tiny_elf_make(struct tiny_elf *e, const struct tiny_wants *wants)
{
	struct tiny_maker m = {.elf = e, .string = 1};
	size_t interp_len = wants->interp ? strlen(wants->interp) + 1 : 0;

	memset(e, 0, sizeof(*e));
	memcpy(e->header.e_ident, ELFMAG, SELFMAG);
	e->header.e_ident[EI_CLASS] = ELFCLASS64;
	e->header.e_ident[EI_DATA] = ELFDATA2LSB;
	e->header.e_ident[EI_VERSION] = EV_CURRENT;
	e->header.e_type = ET_DYN;
	e->header.e_machine = wants->machine ? wants->machine : EM_X86_64;
	e->header.e_version = EV_CURRENT;
	e->header.e_phoff = offsetof(struct tiny_elf, load);
	e->header.e_phentsize = sizeof(Elf64_Phdr);
	e->header.e_phnum = wants->interp ? TINY_HEADERS : TINY_HEADERS - 1;
	e->load = (Elf64_Phdr){.p_type = PT_LOAD, .p_filesz = sizeof(*e), .p_memsz = sizeof(*e)};
	e->dynamic = (Elf64_Phdr){
		.p_type = PT_DYNAMIC,
		.p_offset = offsetof(struct tiny_elf, entries),
		.p_vaddr = offsetof(struct tiny_elf, entries),
		.p_filesz = sizeof(e->entries),
		.p_memsz = sizeof(e->entries),
	};
	e->interp = (Elf64_Phdr){
		.p_type = PT_INTERP,
		.p_offset = offsetof(struct tiny_elf, strings) + TINY_INTERP,
		.p_filesz = interp_len,
	};
	assert(interp_len <= TINY_STRINGS - TINY_INTERP);
	if (wants->interp)
		memcpy(e->strings + TINY_INTERP, wants->interp, interp_len);
	tiny_entry(&m, DT_STRTAB, offsetof(struct tiny_elf, strings));
	tiny_entry(&m, DT_STRSZ, TINY_INTERP);
	tiny_name(&m, DT_SONAME, wants->soname);
	tiny_name(&m, DT_RPATH, wants->rpath);
	tiny_name(&m, DT_RUNPATH, wants->runpath);
	for (size_t i = 0; i < sizeof(wants->needed) / sizeof(wants->needed[0]); i++)
		tiny_name(&m, DT_NEEDED, wants->needed[i]);
}

#endif

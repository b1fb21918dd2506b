/* SPDX-License-Identifier: Apache-2.0 */
/* elf.c - what an ELF file says it needs to be loaded.
 *
 * The way is the loader's own: file header, program headers, PT_DYNAMIC, and from there the
 * string table by its virtual address.  Section headers are never looked at: they may lie, and
 * ld.so does not ask them either.  Every offset and size is checked against the file before it
 * is used; every count has a ceiling.
 */
#include "sandbox/native/elf.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"

enum { PIECE = 4096, PIECES = 3 }; /* headers, dynamic section, strings */

/* What was read of a file: what is asked for next is mostly beside it. */
struct piece {
	uint64_t offset;
	size_t len;
	unsigned char data[PIECE];
};

struct pieces {
	struct piece list[PIECES];
	size_t next; /* the one that goes first */
};

/* The file, in memory or behind a descriptor. */
struct image {
	const unsigned char *data; /* NULL: use fd */
	int fd;
	uint64_t size;
	struct pieces *pieces; /* of a descriptor's */
};

/* What the dynamic section says, still as offsets. */
struct dynamic {
	uint64_t strtab; /* virtual address */
	uint64_t strsz;
	uint64_t soname, rpath, runpath; /* offsets in the string table; UINT64_MAX: none */
	uint64_t needed[ELF_NEEDED_MAX];
	size_t n_needed;
};

/* The string table, as a range of the file. */
struct strings {
	uint64_t offset;
	uint64_t size;
};

static int malformed(struct error *err, const char *what)
{
	return fail(err, ERR_REFUSED, "malformed ELF file: %s", what);
}

static bool is_inside(uint64_t size, uint64_t offset, uint64_t len)
{
	return offset <= size && len <= size - offset;
}

/* At least least bytes of at most room; returns how many, or -1. */
static ssize_t read_at(int fd, uint64_t offset, void *ret, size_t least, size_t room,
		       struct error *err)
{
	size_t got = 0;

	while (got < least) {
		ssize_t n = pread(fd, (char *)ret + got, room - got, (off_t)(offset + got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail_sys(err, "read");
		if (n == 0)
			return malformed(err, "it shrank while it was read");
		got += (size_t)n;
	}
	return (ssize_t)got;
}

static const unsigned char *find_piece(const struct pieces *p, uint64_t offset, size_t len)
{
	for (size_t i = 0; i < PIECES; i++) {
		const struct piece *one = &p->list[i];

		if (offset >= one->offset && is_inside(one->len, offset - one->offset, len))
			return one->data + (offset - one->offset);
	}
	return NULL;
}

static int fetch(const struct image *image, uint64_t offset, void *ret, size_t len,
		 struct error *err)
{
	const unsigned char *there;
	struct piece *piece;
	ssize_t n;

	if (!is_inside(image->size, offset, len))
		return malformed(err, "it ends too early");
	if (!image->data && len > PIECE)
		return read_at(image->fd, offset, ret, len, len, err) < 0 ? -1 : 0;
	there = image->data ? image->data + offset : find_piece(image->pieces, offset, len);
	if (!there) {
		piece = &image->pieces->list[image->pieces->next];
		piece->len = 0;
		n = read_at(image->fd, offset, piece->data, len, PIECE, err);
		if (n < 0)
			return -1;
		piece->offset = offset;
		piece->len = (size_t)n;
		image->pieces->next = (image->pieces->next + 1) % PIECES;
		there = piece->data;
	}
	memcpy(ret, there, len);
	return 0;
}

/* A NUL-terminated string within [offset, offset + limit) of the file. */
static int fetch_string(const struct image *image, uint64_t offset, uint64_t limit, char **ret,
			struct error *err)
{
	own_str text = NULL;
	size_t have = 0;

	if (!is_inside(image->size, offset, limit))
		return malformed(err, "a string lies outside the file");
	if (limit > ELF_STRING_MAX)
		limit = ELF_STRING_MAX;
	while (have < limit) {
		size_t step = limit - have < 128 ? (size_t)(limit - have) : 128;
		char *grown = realloc(text, have + step);

		if (!grown)
			return fail_sys(err, "read a string");
		text = grown;
		if (fetch(image, offset + have, text + have, step, err) < 0)
			return -1;
		if (memchr(text + have, '\0', step)) {
			*ret = TAKE(text);
			return 0;
		}
		have += step;
	}
	return malformed(err, "a string has no end");
}

/* Sets foreign, and goes no further, for what ld.so would pass over in its search. */
static int read_header(const struct image *image, struct elf *elf, Elf64_Ehdr *ret,
		       struct error *err)
{
	unsigned char ident[EI_NIDENT];

	if (fetch(image, 0, ident, sizeof(ident), err) < 0)
		return -1;
	if (memcmp(ident, ELFMAG, SELFMAG) != 0)
		return fail(err, ERR_REFUSED, "not an ELF file");
	elf->foreign = ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB;
	if (elf->foreign)
		return 0;
	if (fetch(image, 0, ret, sizeof(*ret), err) < 0)
		return -1;
	elf->foreign = ret->e_machine != EM_X86_64 && ret->e_machine != EM_AARCH64;
	if (elf->foreign)
		return 0;
	if (ret->e_type != ET_EXEC && ret->e_type != ET_DYN)
		return malformed(err, "neither a program nor a library");
	if (ret->e_phentsize != sizeof(Elf64_Phdr) || ret->e_phnum == 0 ||
	    ret->e_phnum > ELF_HEADERS_MAX)
		return malformed(err, "bad program headers");
	elf->machine = ret->e_machine;
	return 0;
}

static const Elf64_Phdr *find_header(const Elf64_Phdr *headers, size_t n, uint32_t type)
{
	for (size_t i = 0; i < n; i++)
		if (headers[i].p_type == type)
			return &headers[i];
	return NULL;
}

/* Where in the file the loader would find the string table. */
static int locate_strings(const struct image *image, const Elf64_Phdr *headers, size_t n,
			  const struct dynamic *dynamic, struct strings *ret, struct error *err)
{
	for (size_t i = 0; i < n; i++) {
		const Elf64_Phdr *load = &headers[i];
		uint64_t offset;

		if (load->p_type != PT_LOAD || dynamic->strtab < load->p_vaddr ||
		    !is_inside(load->p_filesz, dynamic->strtab - load->p_vaddr, dynamic->strsz))
			continue;
		if (__builtin_add_overflow(load->p_offset, dynamic->strtab - load->p_vaddr,
					   &offset) ||
		    !is_inside(image->size, offset, dynamic->strsz))
			break;
		*ret = (struct strings){.offset = offset, .size = dynamic->strsz};
		return 0;
	}
	return malformed(err, "its string table lies outside the file");
}

static int note_entry(const Elf64_Dyn *entry, struct dynamic *d, struct error *err)
{
	switch (entry->d_tag) {
	case DT_STRTAB:
		d->strtab = entry->d_un.d_ptr;
		return 0;
	case DT_STRSZ:
		d->strsz = entry->d_un.d_val;
		return 0;
	case DT_SONAME:
		d->soname = entry->d_un.d_val;
		return 0;
	case DT_RPATH:
		d->rpath = entry->d_un.d_val;
		return 0;
	case DT_RUNPATH:
		d->runpath = entry->d_un.d_val;
		return 0;
	case DT_NEEDED:
		if (d->n_needed == ELF_NEEDED_MAX)
			return malformed(err, "it names too many libraries");
		d->needed[d->n_needed++] = entry->d_un.d_val;
		return 0;
	}
	return 0;
}

static int read_dynamic(const struct image *image, const Elf64_Phdr *header, struct dynamic *ret,
			struct error *err)
{
	size_t n = header->p_filesz / sizeof(Elf64_Dyn);
	own_mem Elf64_Dyn *entries = NULL;

	if (n == 0 || n > ELF_DYNAMIC_MAX)
		return malformed(err, "bad dynamic section");
	entries = calloc(n, sizeof(*entries));
	if (!entries)
		return fail_sys(err, "read the dynamic section");
	if (fetch(image, header->p_offset, entries, n * sizeof(*entries), err) < 0)
		return -1;
	*ret = (struct dynamic){.soname = UINT64_MAX, .rpath = UINT64_MAX, .runpath = UINT64_MAX};
	for (size_t i = 0; i < n && entries[i].d_tag != DT_NULL; i++)
		if (note_entry(&entries[i], ret, err) < 0)
			return -1;
	return 0;
}

static int read_name(const struct image *image, const struct strings *strings, uint64_t at,
		     char **ret, struct error *err)
{
	if (at == UINT64_MAX)
		return 0;
	if (at >= strings->size)
		return malformed(err, "a name lies outside the string table");
	return fetch_string(image, strings->offset + at, strings->size - at, ret, err);
}

static int read_needed(const struct image *image, const struct strings *strings,
		       const struct dynamic *dynamic, struct elf *elf, struct error *err)
{
	if (dynamic->n_needed == 0)
		return 0;
	elf->needed = calloc(dynamic->n_needed, sizeof(*elf->needed));
	if (!elf->needed)
		return fail_sys(err, "read the names of libraries");
	for (size_t i = 0; i < dynamic->n_needed; i++) {
		char *name = NULL;

		if (dynamic->needed[i] == UINT64_MAX)
			return malformed(err, "a name lies outside the string table");
		if (read_name(image, strings, dynamic->needed[i], &name, err) < 0)
			return -1;
		elf->needed[elf->n_needed++] = name;
		if (!name[0])
			return malformed(err, "a library without a name");
	}
	return 0;
}

static int read_names(const struct image *image, const Elf64_Phdr *headers, size_t n,
		      struct elf *elf, struct error *err)
{
	const Elf64_Phdr *header = find_header(headers, n, PT_DYNAMIC);
	own_mem struct dynamic *dynamic = NULL;
	struct strings strings = {0};

	if (!header)
		return 0; /* static */
	dynamic = malloc(sizeof(*dynamic));
	if (!dynamic)
		return fail_sys(err, "read the dynamic section");
	if (read_dynamic(image, header, dynamic, err) < 0 ||
	    locate_strings(image, headers, n, dynamic, &strings, err) < 0 ||
	    read_name(image, &strings, dynamic->soname, &elf->soname, err) < 0 ||
	    read_name(image, &strings, dynamic->rpath, &elf->rpath, err) < 0 ||
	    read_name(image, &strings, dynamic->runpath, &elf->runpath, err) < 0)
		return -1;
	return read_needed(image, &strings, dynamic, elf, err);
}

static int read_interp(const struct image *image, const Elf64_Phdr *headers, size_t n,
		       struct elf *elf, struct error *err)
{
	const Elf64_Phdr *header = find_header(headers, n, PT_INTERP);

	if (!header)
		return 0;
	if (fetch_string(image, header->p_offset, header->p_filesz, &elf->interp, err) < 0)
		return -1;
	if (elf->interp[0] != '/')
		return malformed(err, "its loader is not an absolute path");
	return 0;
}

static int read_image(const struct image *image, struct elf *elf, struct error *err)
{
	Elf64_Phdr headers[ELF_HEADERS_MAX];
	Elf64_Ehdr header;

	if (read_header(image, elf, &header, err) < 0)
		return -1;
	if (elf->foreign)
		return 0;
	if (fetch(image, header.e_phoff, headers, header.e_phnum * sizeof(headers[0]), err) < 0)
		return -1;
	if (read_interp(image, headers, header.e_phnum, elf, err) < 0)
		return -1;
	return read_names(image, headers, header.e_phnum, elf, err);
}

static int read_whole(const struct image *image, struct elf *ret, struct error *err)
{
	own(elf) elf = {0};

	if (read_image(image, &elf, err) < 0)
		return -1;
	*ret = elf;
	elf = (struct elf){0};
	return 0;
}

int elf_read_fd(int fd, struct elf *ret, struct error *err)
{
	struct pieces pieces;
	struct stat st;

	pieces.next = 0;
	for (size_t i = 0; i < PIECES; i++)
		pieces.list[i].offset = pieces.list[i].len = 0;
	if (fstat(fd, &st) < 0)
		return fail_sys(err, "stat");
	return read_whole(
		&(struct image){.fd = fd, .size = (uint64_t)st.st_size, .pieces = &pieces}, ret,
		err);
}

int elf_read_memory(const void *data, size_t len, struct elf *ret, struct error *err)
{
	/* A pointer that is never NULL tells memory from a descriptor, even when it is empty. */
	return read_whole(&(struct image){.data = data ? data : "", .fd = -1, .size = len}, ret,
			  err);
}

void elf_done(struct elf *elf)
{
	for (size_t i = 0; i < elf->n_needed; i++)
		free(elf->needed[i]);
	free(elf->needed);
	free(elf->interp);
	free(elf->soname);
	free(elf->rpath);
	free(elf->runpath);
	*elf = (struct elf){0};
}

void elf_end(struct elf *elf)
{
	elf_done(elf);
}

/* The word at text (behind the $) and how many bytes it takes, or NULL. */
static const char *find_word(const char *text, size_t len, const struct elf_words *words,
			     size_t *ret_taken)
{
	const struct {
		const char *name, *value;
	} known[] = {
		{"ORIGIN", words->origin},
		{"LIB", words->lib},
		{"PLATFORM", words->platform},
	};
	bool braces = len > 0 && text[0] == '{';

	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		size_t n = strlen(known[i].name), taken = n + (braces ? 2 : 0);

		if (len < taken || memcmp(text + braces, known[i].name, n) != 0 ||
		    (braces && text[n + 1] != '}'))
			continue;
		*ret_taken = taken;
		return known[i].value;
	}
	return NULL;
}

int elf_expand(const char *text, size_t len, const struct elf_words *words, char *ret_path,
	       size_t room, struct error *err)
{
	size_t used = 0;

	for (size_t i = 0; i < len;) {
		const char *piece = text + i;
		size_t taken = 0, n = 1;

		if (text[i] == '$') {
			const char *value = find_word(text + i + 1, len - i - 1, words, &taken);

			if (value) {
				piece = value;
				n = strlen(value);
			}
		}
		if (n >= room - used)
			return fail(err, ERR_REFUSED, "a library search path is too long");
		memcpy(ret_path + used, piece, n);
		used += n;
		i += 1 + taken;
	}
	ret_path[used] = '\0';
	return 0;
}

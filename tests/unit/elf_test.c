/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/native/elf.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>

#include "base/own.h"
#include "tap.h"
#include "tiny_elf.h"

static const struct tiny_wants usual = {
	.interp = "/lib64/ld-linux-x86-64.so.2",
	.soname = "libit.so.1",
	.runpath = "$ORIGIN/../lib:/opt/lib",
	.needed = {"libm.so.6", "libc.so.6"},
};

/* Reads from a buffer of exactly len bytes, so that a sanitizer sees one byte too far. */
static int read_bytes(const void *data, size_t len, struct elf *ret, struct error *err)
{
	own_mem void *copy = malloc(len ? len : 1);

	memcpy(copy, data, len);
	return elf_read_memory(copy, len, ret, err);
}

static bool is_refused(const struct tiny_elf *e, size_t len)
{
	struct error err = {0};
	struct elf elf = {0};

	if (read_bytes(e, len, &elf, &err) == 0) {
		elf_done(&elf);
		return false;
	}
	return err.kind == ERR_REFUSED && err.text[0];
}

TEST(names_come_out_in_their_order)
{
	own(elf) elf = {0};
	struct error err;
	struct tiny_elf e;

	tiny_elf_make(&e, &usual);
	CHECK(read_bytes(&e, sizeof(e), &elf, &err) == 0);
	CHECK(!elf.foreign && elf.machine == EM_X86_64);
	CHECK_STR(elf.interp, "/lib64/ld-linux-x86-64.so.2");
	CHECK_STR(elf.soname, "libit.so.1");
	CHECK_STR(elf.runpath, "$ORIGIN/../lib:/opt/lib");
	CHECK(elf.rpath == NULL);
	CHECK(elf.n_needed == 2);
	CHECK_STR(elf.needed[0], "libm.so.6");
	CHECK_STR(elf.needed[1], "libc.so.6");
}

TEST(a_descriptor_reads_like_memory)
{
	own_fd fd = memfd_create("tiny", MFD_CLOEXEC);
	own(elf) elf = {0};
	struct error err;
	struct tiny_elf e;

	tiny_elf_make(&e, &usual);
	CHECK(write(fd, &e, sizeof(e)) == (ssize_t)sizeof(e));
	CHECK(elf_read_fd(fd, &elf, &err) == 0);
	CHECK_STR(elf.interp, "/lib64/ld-linux-x86-64.so.2");
	CHECK(elf.n_needed == 2);
}

TEST(both_machines_are_known_and_others_are_foreign)
{
	struct error err;
	struct tiny_elf e;
	struct elf elf;

	tiny_elf_make(&e, &(struct tiny_wants){.machine = EM_AARCH64});
	CHECK(read_bytes(&e, sizeof(e), &elf, &err) == 0 && elf.machine == EM_AARCH64);
	elf_done(&elf);
	tiny_elf_make(&e, &(struct tiny_wants){.machine = EM_RISCV});
	CHECK(read_bytes(&e, sizeof(e), &elf, &err) == 0 && elf.foreign);
	elf_done(&elf);
	tiny_elf_make(&e, &usual);
	e.header.e_ident[EI_CLASS] = ELFCLASS32;
	CHECK(read_bytes(&e, sizeof(e), &elf, &err) == 0 && elf.foreign);
	elf_done(&elf);
}

TEST(a_static_program_needs_nothing)
{
	own(elf) elf = {0};
	struct error err;
	struct tiny_elf e;

	tiny_elf_make(&e, &usual);
	e.header.e_phnum = 1;
	CHECK(read_bytes(&e, sizeof(e), &elf, &err) == 0);
	CHECK(!elf.interp && elf.n_needed == 0 && !elf.soname);
}

TEST(every_length_short_of_the_whole_is_refused)
{
	/* Everything that is looked at lies before the end of the loader's name. */
	size_t end = offsetof(struct tiny_elf, strings) + TINY_INTERP + strlen(usual.interp) + 1;
	struct tiny_elf e;

	tiny_elf_make(&e, &usual);
	CHECK(!is_refused(&e, end));
	for (size_t len = 0; len < end; len++)
		CHECK(is_refused(&e, len));
}

TEST(text_is_not_a_program)
{
	struct tiny_elf e = {.strings = "#!/bin/sh\n"};

	CHECK(is_refused(&e, sizeof(e)));
}

static void set_u64(struct tiny_elf *e, size_t at, uint64_t value)
{
	memcpy((char *)e + at, &value, sizeof(value));
}

/* Where each lie goes; every one of them is told with several values. */
static const struct {
	const char *what;
	size_t at;
} lies[] = {
	{"e_phoff", offsetof(struct tiny_elf, header.e_phoff)},
	{"dynamic p_offset", offsetof(struct tiny_elf, dynamic.p_offset)},
	{"dynamic p_filesz", offsetof(struct tiny_elf, dynamic.p_filesz)},
	{"interp p_offset", offsetof(struct tiny_elf, interp.p_offset)},
	{"load p_offset", offsetof(struct tiny_elf, load.p_offset)},
	{"load p_vaddr", offsetof(struct tiny_elf, load.p_vaddr)},
	{"DT_STRTAB", offsetof(struct tiny_elf, entries[0].d_un)},
	{"DT_STRSZ", offsetof(struct tiny_elf, entries[1].d_un)},
	{"DT_SONAME", offsetof(struct tiny_elf, entries[2].d_un)},
	{"DT_RUNPATH", offsetof(struct tiny_elf, entries[3].d_un)},
	{"DT_NEEDED", offsetof(struct tiny_elf, entries[4].d_un)},
};

TEST(numbers_that_point_outside_are_refused)
{
	static const uint64_t values[] = {UINT64_MAX - 1, INT64_MAX, 1ULL << 32, 1ULL << 31, 65536};
	struct tiny_elf e;

	for (size_t i = 0; i < ARRAY_LEN(lies); i++) {
		for (size_t j = 0; j < ARRAY_LEN(values); j++) {
			tiny_elf_make(&e, &usual);
			set_u64(&e, lies[i].at, values[j]);
			if (is_refused(&e, sizeof(e)))
				continue;
			printf("# %s = %#llx was taken\n", lies[i].what,
			       (unsigned long long)values[j]);
			CHECK(false);
		}
	}
}

TEST(an_offset_that_wraps_around_is_refused)
{
	struct tiny_elf e;

	tiny_elf_make(&e, &usual);
	e.load.p_offset = UINT64_MAX - 100;
	e.load.p_filesz = UINT64_MAX;
	CHECK(is_refused(&e, sizeof(e)));
}

TEST(a_library_without_a_name_is_refused)
{
	struct tiny_elf e;

	tiny_elf_make(&e, &usual);
	e.entries[4].d_un.d_val = 0; /* the empty string */
	CHECK(is_refused(&e, sizeof(e)));
}

TEST(a_relative_loader_is_refused)
{
	struct tiny_elf e;

	tiny_elf_make(&e, &(struct tiny_wants){.interp = "ld.so"});
	CHECK(is_refused(&e, sizeof(e)));
}

TEST(a_string_without_an_end_is_refused)
{
	struct tiny_elf e;

	tiny_elf_make(&e, &usual);
	memset(e.strings, 'x', TINY_INTERP);
	CHECK(is_refused(&e, sizeof(e)));
}

static bool expands_to(const char *text, const char *want)
{
	static const struct elf_words words = {"/o", "lib64", "x86_64"};
	struct error err;
	char out[64];

	if (elf_expand(text, strlen(text), &words, out, sizeof(out), &err) < 0)
		return false;
	if (strcmp(out, want) != 0)
		printf("# '%s' became '%s'\n", text, out);
	return strcmp(out, want) == 0;
}

TEST(words_in_search_paths_are_expanded)
{
	CHECK(expands_to("$ORIGIN/../lib", "/o/../lib"));
	CHECK(expands_to("${ORIGIN}/x/$LIB/${PLATFORM}", "/o/x/lib64/x86_64"));
	CHECK(expands_to("/a/$", "/a/$"));
	CHECK(expands_to("/a/${ORIGIN", "/a/${ORIGIN"));
	CHECK(expands_to("/a/$NOBODY", "/a/$NOBODY"));
	CHECK(expands_to("", ""));
}

TEST(an_expansion_that_does_not_fit_is_refused)
{
	static const struct elf_words words = {"/a/long/origin", "lib64", "x86_64"};
	struct error err;
	char out[12];

	CHECK(elf_expand("$ORIGIN", 7, &words, out, sizeof(out), &err) < 0);
	CHECK(err.kind == ERR_REFUSED);
	CHECK(elf_expand("/123456789", 10, &words, out, sizeof(out), &err) == 0);
	CHECK(elf_expand("/1234567890", 11, &words, out, sizeof(out), &err) == 0);
	CHECK(elf_expand("/12345678901", 12, &words, out, sizeof(out), &err) < 0);
}

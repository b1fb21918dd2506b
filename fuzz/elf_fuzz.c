/* SPDX-License-Identifier: Apache-2.0 */
/* elf_fuzz.c - hostile ELF files, and the search paths that they name. */
#include "fuzz.h"

#include <assert.h>
#include <string.h>

#include "sandbox/native/elf.h"

static void expand(const char *path)
{
	static const struct elf_words words = {"/opt/it/bin", "lib/x86_64-linux-gnu", "x86_64"};
	struct error err;
	char out[512];

	if (path && elf_expand(path, strlen(path), &words, out, sizeof(out), &err) == 0)
		assert(strlen(out) < sizeof(out));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err;
	struct elf elf;

	if (elf_read_memory(data, size, &elf, &err) < 0)
		return 0;
	assert(elf.foreign || elf.machine != 0);
	assert(elf.n_needed <= ELF_NEEDED_MAX);
	for (size_t i = 0; i < elf.n_needed; i++)
		expand(elf.needed[i]);
	expand(elf.rpath);
	expand(elf.runpath);
	elf_done(&elf);
	return 0;
}

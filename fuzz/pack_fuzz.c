/* SPDX-License-Identifier: Apache-2.0 */
/* pack_fuzz.c - a job's words from any bytes; what is accepted packs to the same bytes again. */
#include "fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "call/pack.h"

static void check_words(const struct words *words, const uint8_t *data, size_t size)
{
	struct error err = {0};
	own(buf) again;

	assert(words->argv[0]); /* a job without a program is refused */
	buf_init(&again, PACK_BYTES_MAX);
	if (pack_words(words->argv, words->env, &again, &err) < 0)
		return; /* no memory */
	assert(again.len == size && memcmp(again.data, data, size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	own_str bytes = malloc(size ? size : 1);
	own(words) words = {0};
	struct error err = {0};

	if (!bytes)
		return 0;
	memcpy(bytes, data, size);
	if (unpack_words(bytes, size, &words, &err) == 0)
		check_words(&words, data, size);
	else
		assert(!words.block && err.text[0]);
	return 0;
}

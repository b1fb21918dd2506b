/* SPDX-License-Identifier: Apache-2.0 */
/* requestid_fuzz.c - names of requests, calls and keys from any bytes. */
#include "fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "serve/api/requestid.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (request_id_fits(text)) {
		size_t len = strlen(text);

		assert(len >= 1 && len <= 64);
		for (size_t i = 0; i < len; i++)
			assert(text[i] > ' ' && text[i] < 0x7f && !strchr("\"\\/<>&,;:%", text[i]));
	}
	if (once_key_fits(text)) {
		assert(strlen(text) <= ONCE_KEY_MAX);
		for (const char *c = text; *c; c++)
			assert(*c >= ' ' && *c < 0x7f);
	}
	if (id_fits(text, size))
		assert(size < 40 && strlen(text) == size && !strpbrk(text, "./ \"\\"));
	free(text);
	return 0;
}

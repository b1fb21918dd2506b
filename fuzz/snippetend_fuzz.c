/* SPDX-License-Identifier: Apache-2.0 */
/* snippetend_fuzz.c - what a snippet says of its own end: only one form is taken for an end. */
#include "fuzz.h"

#include <assert.h>
#include <string.h>

#include "keeper/snippetend.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char nonce[] = "00112233445566778899aabbccddeeff";
	const char *text = (const char *)data;
	struct snippet_end end;
	int there = snippet_end_read(text, size, nonce, &end);

	assert(there >= -1 && there <= 1);
	if (there == 1) {
		assert(end.status <= 255 && end.result_len <= SNIPPET_RESULT_MAX);
		assert(end.head_len + end.result_len == size);
		assert(size > strlen(nonce) && memcmp(text, nonce, strlen(nonce)) == 0);
		assert(end.has_result || end.result_len == 0);
	}
	/* What is too long to become one is never waited for. */
	assert(there != 0 || size <= SNIPPET_HEAD_MAX + SNIPPET_RESULT_MAX);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* byterange_fuzz.c - the Range header from any bytes. */
#include "fuzz.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "serve/api/byterange.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), again[96];
	struct byte_range r, same;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	range_read(text, &r);
	if (r.kind != RANGE_WHOLE) {
		assert(strncasecmp(text, "bytes=", 6) == 0);
		assert(r.from <= INT64_MAX && r.len <= INT64_MAX);
		assert(r.kind == RANGE_FROM || r.len > 0);
		/* What was read can be written, and is then the same. */
		if (r.kind == RANGE_LAST)
			(void)snprintf(again, sizeof(again), "bytes=-%" PRIu64, r.len);
		else if (r.len == 0)
			(void)snprintf(again, sizeof(again), "bytes=%" PRIu64 "-", r.from);
		else
			(void)snprintf(again, sizeof(again), "bytes=%" PRIu64 "-%" PRIu64, r.from,
				       r.from + r.len - 1);
		range_read(again, &same);
		assert(same.kind == r.kind && same.from == r.from && same.len == r.len);
	}
	free(text);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* scribe_fuzz.c - messages to the scribe and back, from any bytes: what is taken is whole. */
#include "fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "audit/scribetalk.h"
#include "base/text.h"

static void check_request(const struct scribe_request *r, const char *line, size_t size)
{
	assert(r->head.kind > PUT_NONE && r->head.kind < PUT_COUNT);
	assert(line == (const char *)(r + 1) && r->line_len == size - sizeof(*r));
	assert(r->line_len <= SCRIBE_LINE_MAX && text_is_utf8(line, r->line_len));
	assert(!memchr(line, '\n', r->line_len) && !memchr(line, '\0', r->line_len));
	if (r->head.kind != PUT_SINGLE)
		assert(r->key[0] && strnlen(r->key, sizeof(r->key)) < sizeof(r->key));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scribe_request *request = malloc(size + sizeof(*request));
	struct scribe_reply reply;
	const char *line = NULL;
	struct error err;

	assert(request);
	/* What came may be shorter than a request: nothing behind it is looked at. */
	memset(request, 0xa5, size + sizeof(*request));
	memcpy(request, data, size);
	if (scribe_check_request(request, size, &line, &err) == 0)
		check_request(request, line, size);
	free(request);

	memset(&reply, 0xa5, sizeof(reply));
	memcpy(&reply, data, size < sizeof(reply) ? size : sizeof(reply));
	if (scribe_check_reply(&reply, size, &err) == 0) {
		assert(size == sizeof(reply) && reply.head.kind < GOT_COUNT);
		assert(memchr(reply.error.text, '\0', sizeof(reply.error.text)));
		assert((unsigned)reply.error.kind < ERR_KIND_COUNT);
	}
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* httpbody_fuzz.c - a body in chunks from any bytes: one verdict, however they are cut, and what we
 * take for a body llhttp takes for the same. */
#include "fuzz.h"

#include <assert.h>
#include <string.h>

#include "serve/http/chunked.h"
#include "serve/http/second.h"

enum { CAP = 4096 };

struct result {
	bool fine;
	struct chunked state;
	size_t used;
	struct fault fault;
	struct buf out;
};

static void run(struct result *r, const char *data, size_t size, size_t step)
{
	struct second_body *second = second_body_new();

	memset(r, 0, sizeof(*r));
	buf_init(&r->out, CAP);
	r->fine = true;
	while (r->used < size && r->state.state != CHUNKED_OVER) {
		size_t used = 0, piece = size - r->used < step ? size - r->used : step;

		r->fine = chunked_read(&r->state, data + r->used, piece, &r->out, &used, &r->fault);
		if (!r->fine)
			break;
		assert(used == piece || r->state.state == CHUNKED_OVER);
		assert(second_body_agrees(second, data + r->used, used,
					  r->state.state == CHUNKED_OVER, r->state.total));
		r->used += used;
	}
	assert(r->out.len <= CAP && !r->out.cut && r->out.len == r->state.total);
	second_body_free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct result whole, pieces;

	run(&whole, (const char *)data, size, SIZE_MAX);
	for (size_t step = 1; step <= 5; step += 2) {
		run(&pieces, (const char *)data, size, step);
		assert(whole.fine == pieces.fine);
		if (whole.fine) {
			assert(whole.used == pieces.used &&
			       whole.state.state == pieces.state.state);
			assert(whole.out.len == pieces.out.len);
			assert(whole.out.len == 0 ||
			       memcmp(whole.out.data, pieces.out.data, whole.out.len) == 0);
		} else {
			assert(whole.fault.status == pieces.fault.status);
			assert(whole.fault.status == 400 || whole.fault.status == 413);
		}
		buf_done(&pieces.out);
	}
	buf_done(&whole.out);
	return 0;
}

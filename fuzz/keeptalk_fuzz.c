/* SPDX-License-Identifier: Apache-2.0 */
/* keeptalk_fuzz.c - messages between front and keeper, from any bytes: what is taken is whole. */
#include "fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"
#include "call/why.h"
#include "keeper/keeptalk.h"

static void check_request(const struct keep_request *r, const struct buf *body)
{
	assert(r->kind > KEEP_ASK_NONE && r->kind < KEEP_ASK_COUNT && r->shape <= SHAPE_TOOL);
	assert(r->body_len == body->len && body->len <= KEEP_INLINE_MAX);
	assert(strnlen(r->client, sizeof(r->client)) < sizeof(r->client));
	assert(strnlen(r->request_id, sizeof(r->request_id)) < sizeof(r->request_id));
	assert(strnlen(r->tool, sizeof(r->tool)) < sizeof(r->tool));
	assert(strnlen(r->path, sizeof(r->path)) < sizeof(r->path));
	assert(strnlen(r->id, sizeof(r->id)) < sizeof(r->id));
}

static void check_reply(const struct keep_reply *r, const struct buf *body)
{
	assert(r->kind > KEEP_SAY_NONE && r->kind < KEEP_SAY_COUNT);
	assert(r->content <= CONTENT_OCTETS && r->body_len == body->len);
	assert(r->kind != KEEP_OUTPUT || r->stream == 1 || r->stream == 2);
	assert(r->facts.status < STATUS_COUNT && r->facts.kill_reason < KILL_COUNT);
	assert(strnlen(r->facts.tool, sizeof(r->facts.tool)) < sizeof(r->facts.tool));
	assert(strnlen(r->facts.rule, sizeof(r->facts.rule)) < sizeof(r->facts.rule));
	assert(r->facts.judged < 2 && r->facts.layer < WHY_COUNT);
	for (size_t i = 0; i < KEEP_COUNTS; i++) {
		assert(memchr(r->facts.redacted[i].name, 0, KEEP_COUNT_ROOM));
		assert(memchr(r->facts.found[i].name, 0, KEEP_COUNT_ROOM));
	}
}

/* As it would come: over a socket. */
static int deliver(const uint8_t *data, size_t size)
{
	int ends[2];

	assert(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
	assert(send(ends[1], data, size, 0) == (ssize_t)size);
	(void)close(ends[1]);
	return ends[0];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct keep_request request;
	struct keep_reply reply;
	struct error err = {0};
	own(buf) first, second;
	own_fd sock = -1, again = -1;

	buf_init(&first, KEEP_INLINE_MAX);
	buf_init(&second, KEEP_INLINE_MAX);
	if (size > sizeof(request) + KEEP_INLINE_MAX + 64)
		return 0;
	sock = deliver(data, size);
	if (keep_take_request(sock, &request, &first, &err) > 0)
		check_request(&request, &first);
	again = deliver(data, size);
	if (keep_take_reply(again, &reply, &second, &err) > 0)
		check_reply(&reply, &second);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* talk_fuzz.c - messages between libbelljar and its helper, from any bytes. */
#include "fuzz.h"

#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "call/call.h"
#include "lib/talk.h"

static bool is_text(const char *text, size_t room)
{
	return memchr(text, '\0', room) != NULL;
}

static void check_reply(const struct talk_reply *r)
{
	const struct outcome *o = &r->outcome;

	assert(r->head.magic == TALK_MAGIC && r->head.version == TALK_VERSION);
	assert(is_text(r->error.text, sizeof(r->error.text)));
	assert(is_text(o->error.text, sizeof(o->error.text)));
	assert((unsigned)r->error.kind < ERR_KIND_COUNT &&
	       (unsigned)o->error.kind < ERR_KIND_COUNT);
	assert((unsigned)o->end <= END_SIGNALLED && (unsigned)o->killed_for < KILL_COUNT);
	for (int i = 0; i < LAYER_COUNT; i++) {
		assert(is_text(o->layers[i].detail, sizeof(o->layers[i].detail)));
		assert((unsigned)o->layers[i].state <= LAYER_FULL);
	}
}

/* The bytes arrive with a descriptor beside them; whatever they are, it must not be lost. */
static void send_it(int sock, const uint8_t *data, size_t size)
{
	static int null = -1;
	struct error err;

	if (null < 0)
		null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd_send(sock, data, size, &null, 1, &err) < 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct talk_request request;
	struct talk_reply reply;
	struct error err;
	int ends[2], fds[FD_PASS_MAX];
	size_t n_fds = FD_PASS_MAX;

	if (size == 0 || size > 65536 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return 0;
	send_it(ends[0], data, size);
	if (talk_take_request(ends[1], &request, fds, &n_fds, &err) > 0)
		assert(request.reason < KILL_COUNT && n_fds == 1);
	else
		assert(n_fds == 0);
	while (n_fds)
		(void)close(fds[--n_fds]);
	send_it(ends[0], data, size);
	n_fds = FD_PASS_MAX;
	if (talk_take_reply(ends[1], &reply, fds, &n_fds, &err) > 0)
		check_reply(&reply);
	else
		assert(n_fds == 0);
	while (n_fds)
		(void)close(fds[--n_fds]);
	(void)close(ends[0]);
	(void)close(ends[1]);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* readtalk_fuzz.c - messages between the front and the reader of the log, from any bytes. */
#include "fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "reader/readtalk.h"

static void check_request(int sock)
{
	struct read_request r;
	struct error err = {0};
	int came = read_take_request(sock, &r, &err);

	assert(came == 1 || (came < 0 && err.kind != ERR_NONE));
	if (came != 1)
		return;
	assert(r.kind > READ_ASK_NONE && r.kind < READ_ASK_COUNT);
	for (size_t i = 0; i < 13; i++)
		assert(memchr(r.tool + i * READ_TEXT_ROOM, '\0', READ_TEXT_ROOM));
}

static void check_reply(int sock)
{
	struct read_reply r;
	struct error err = {0};
	struct buf body;
	int came = read_take_reply(sock, &r, &body, &err);

	assert(came == 1 || (came < 0 && err.kind != ERR_NONE));
	if (came == 1) {
		assert(body.len == r.body_len && !body.cut);
		assert(r.kind > READ_SAY_NONE && r.kind < READ_SAY_COUNT);
		assert(r.content < READ_CONTENT_COUNT);
	}
	buf_done(&body);
}

/* Each as it is, and with a memfd beside it that nobody sealed. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int unsealed = -1;
	struct error err;
	int ends[2];

	if (unsealed < 0)
		unsealed = memfd_create("fuzz", MFD_CLOEXEC);
	if (size == 0 || size > 65536 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return 0;
	for (size_t i = 0; i < 4; i++)
		if (fd_send(ends[0], data, size, &unsealed, i / 2, &err) < 0)
			abort();
	for (int i = 0; i < 2; i++) {
		check_request(ends[1]);
		check_reply(ends[1]);
	}
	(void)close(ends[0]);
	(void)close(ends[1]);
	return 0;
}

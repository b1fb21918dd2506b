/* SPDX-License-Identifier: Apache-2.0 */
/* httpflow_fuzz.c - a connection from any bytes, in any pieces, with a handler of any mood.
 *
 * Each exchange that begins is over exactly once, nothing is left when the
 * client has gone, and what the client read begins like an answer.
 */
#include "fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/http/httpconn.h"

static struct {
	struct loop *loop;
	struct http *http;
	struct http_exchange *live; /* not answered yet */
	size_t begun, over;
} it;

static void send_some(struct http_exchange *x)
{
	static char piece[4096];

	for (int i = 0; i < 3; i++)
		http_send(x, piece, sizeof(piece));
}

/* The last letter of the path decides. */
static void act(struct http_exchange *x, bool whole)
{
	const char *path = http_path(x);

	switch (path[strlen(path) - 1]) {
	case 'a': /* at once, even before the body */
		http_answer(x, 200, NULL, "at once", 7);
		break;
	case 's':
		http_begin(x, 200, NULL);
		send_some(x);
		it.live = x;
		break;
	case 'c':
		http_begin(x, 200, NULL);
		http_send(x, "half", 4);
		http_cut(x);
		break;
	case 'x':
		http_cut(x);
		break;
	case 'l':
		it.live = x;
		break;
	default:
		if (whole)
			http_answer(x, 200, NULL, http_body(x)->data, http_body(x)->len);
	}
}

static void head(void *context, struct http_exchange *x)
{
	const char *path = http_path(x);

	(void)context;
	it.begun++;
	assert(path[0] == '/');
	if (strlen(path) > 1 && path[1] == 'e')
		act(x, false);
	else
		http_cap_body(x, 1000);
}

static void whole(void *context, struct http_exchange *x)
{
	(void)context;
	assert(http_body(x)->len <= 1000);
	if (strlen(http_path(x)) > 1 && http_path(x)[1] == 'e' && it.live == x)
		return;
	act(x, true);
}

static void over(void *context, struct http_exchange *x, bool complete)
{
	(void)context, (void)complete;
	it.over++;
	if (it.live == x)
		it.live = NULL;
}

static void room(void *context, struct http_exchange *x)
{
	(void)context;
	if (it.live == x && http_pending(x) == 0)
		send_some(x);
}

static void start(void)
{
	static const struct http_caps caps = {.head_bytes = 2048,
					      .headers = 16,
					      .body_bytes = 4096,
					      .target_bytes = 256,
					      .connections = 4,
					      .connections_per_peer = 4,
					      .head_ms = 60000,
					      .body_ms = 60000,
					      .idle_ms = 60000,
					      .write_ms = 60000,
					      .pending_bytes = 8192};
	static const struct http_handler handler = {
		.head = head, .whole = whole, .over = over, .room = room};
	struct error err;

	if (it.http)
		return;
	it.loop = loop_new(&err);
	it.http = it.loop ? http_new(it.loop, &caps, &handler, &err) : NULL;
	if (!it.http)
		abort();
}

static void turn(void)
{
	struct error err;

	assert(loop_turn(it.loop, 0, &err) == 0);
}

/* What the handler still owes. */
static void pay(void)
{
	struct http_exchange *x = it.live;

	it.live = NULL;
	if (x && x->streaming)
		http_finish(x);
	else if (x)
		http_answer(x, 404, NULL, NULL, 0);
	turn();
}

static void drain_client(int fd, bool *ret_first)
{
	char answer[8192];
	ssize_t n;

	while ((n = recv(fd, answer, sizeof(answer), MSG_DONTWAIT)) > 0) {
		if (*ret_first && n >= 9)
			assert(memcmp(answer, "HTTP/1.1 ", 9) == 0);
		*ret_first = false;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t step = size ? 1 + (size_t)data[0] * 3 : 1, at = 1;
	const struct http_peer peer = {.is_unix = true};
	const struct peer_key key = {{1}};
	bool first = true;
	int fds[2], full;

	start();
	if (size == 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds) < 0)
		return 0;
	if (!conn_new(it.http, fds[0], NULL, &peer,
		      peer_counts_add(it.http->counts, &key, 4, &full)))
		abort();
	while (at < size && http_connections(it.http) == 1) {
		ssize_t n =
			send(fds[1], data + at, size - at < step ? size - at : step, MSG_NOSIGNAL);

		if (n <= 0)
			break;
		at += (size_t)n;
		turn();
		drain_client(fds[1], &first);
		if (step % 2)
			pay();
	}
	pay();
	drain_client(fds[1], &first);
	(void)close(fds[1]);
	for (int i = 0; i < 5 && http_connections(it.http) > 0; i++)
		turn();
	assert(http_connections(it.http) == 0 && it.begun == it.over && !it.live);
	return 0;
}

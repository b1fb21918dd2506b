/* SPDX-License-Identifier: Apache-2.0 */
/* echo_server.c - src/serve/http with a handler that says what it saw; for the tests.
 *
 *     echo_server [--NAME VALUE]... WORD...
 *
 * Names are those of the caps, "cert", "key", "client-ca".  It says "listening ADDRESS" for each
 * word, and a line for each exchange that is over; "quit" on its input ends it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "serve/http/hostcheck.h"
#include "serve/http/http.h"
#include "serve/http/listeners.h"
#include "serve/http/tls.h"

struct echo {
	struct loop *loop;
	struct http *http;
	struct http_caps caps;
	const char *cert, *key, *client_ca;
	struct http_tls *tls;
	struct loop_watch input;
};

/* The work that goes on after whole() has returned. */
struct work {
	struct echo *echo;
	struct http_exchange *x;
	struct loop_timer timer;
	size_t left; /* of a stream */
};

static void end(const struct error *err)
{
	(void)fprintf(stderr, "echo_server: %s\n", err->text);
	_exit(1);
}

static void say(const char *event, const struct http_exchange *x, const char *rest)
{
	(void)printf("%s %s %s\n", event, http_path(x), rest);
	(void)fflush(stdout);
}

static const struct http_header text_headers[] = {{"Content-Type", "text/plain"}, {NULL, NULL}};

static void answer_text(struct http_exchange *x, int status, const char *text)
{
	http_answer(x, status, text_headers, text, strlen(text));
}

static void push(struct work *w)
{
	char piece[1000];

	memset(piece, 'x', sizeof(piece));
	while (w->left > 0 && http_pending(w->x) < w->echo->caps.pending_bytes) {
		size_t n = w->left < sizeof(piece) ? w->left : sizeof(piece);

		http_send(w->x, piece, n);
		w->left -= n;
	}
	if (w->left == 0)
		http_finish(w->x);
}

static void work_due(void *context)
{
	struct work *w = context;

	answer_text(w->x, 200, "later\n");
}

static struct work *begin_work(struct echo *e, struct http_exchange *x)
{
	struct work *w = calloc(1, sizeof(*w));
	const char *size = http_query(x, "size"), *delay = http_query(x, "ms");
	uint64_t number = 0;
	struct error err;

	if (!w)
		abort();
	*w = (struct work){.echo = e, .x = x, .timer = {.due = work_due, .context = w}};
	if (size && text_parse_uint(size, &number, &err) == 0)
		w->left = (size_t)number;
	if (delay && text_parse_uint(delay, &number, &err) == 0)
		(void)loop_set(e->loop, &w->timer, loop_now_us(e->loop) + number * 1000, &err);
	http_set_user(x, w);
	return w;
}

/* As a service would: whoever sends this is a page in a browser. */
static bool misdirected(struct http_exchange *x)
{
	static const char *const hosts[] = {"a", "box.example:1234", NULL};
	static const char *const origins[] = {"https://app.example", NULL};
	const struct hostcheck c = {hosts, origins};
	const char *detail;
	int status = hostcheck_exchange(&c, x, &detail);

	if (status)
		answer_text(x, status, detail);
	return status != 0;
}

static void head(void *context, struct http_exchange *x)
{
	(void)context;
	if (strcmp(http_path(x), "/checked") == 0 && misdirected(x))
		return;
	if (strcmp(http_path(x), "/early") == 0)
		answer_text(x, 403, "not wanted\n");
	else if (strcmp(http_path(x), "/small") == 0)
		http_cap_body(x, 10);
	http_set_id(x, "id-of-the-api");
}

static void say_peer(struct http_exchange *x)
{
	const struct http_peer *p = http_peer(x);
	char text[512];

	(void)snprintf(text, sizeof(text), "loopback=%d unix=%d uid=%d tls=%d cert=%s address=%s\n",
		       p->loopback, p->is_unix, (int)p->uid, p->tls, p->cert, p->address);
	answer_text(x, 200, text);
}

static void say_request(struct http_exchange *x)
{
	static const char *const names[] = {"host", "accept", "x-test"};
	const char *q = http_query(x, "q");
	struct error err;
	own(buf) out;

	buf_init(&out, 1 << 20);
	(void)buf_printf(&out, &err, "method=%s path=%s body=%zu q=%s\n", http_method_name(x),
			 http_path(x), http_body(x)->len, q ? q : "-");
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *value = http_header(x, names[i]);

		(void)buf_printf(&out, &err, "%s=%s\n", names[i], value ? value : "-");
	}
	http_answer(x, 200, text_headers, out.data, out.len);
}

static void whole(void *context, struct http_exchange *x)
{
	const char *path = http_path(x);
	struct echo *e = context;

	if (strcmp(path, "/echo") == 0) {
		http_answer(x, 200, text_headers, http_body(x)->data, http_body(x)->len);
	} else if (strcmp(path, "/peer") == 0) {
		say_peer(x);
	} else if (strcmp(path, "/later") == 0) {
		(void)begin_work(e, x);
		say("working", x, "");
	} else if (strcmp(path, "/stream") == 0) {
		http_begin(x, 200, text_headers);
		push(begin_work(e, x));
	} else if (strcmp(path, "/cut") == 0) {
		http_begin(x, 200, text_headers);
		http_send(x, "half", 4);
		http_cut(x);
	} else if (strcmp(path, "/split") == 0) {
		http_answer(x, 200, (const struct http_header[]){{"X-A", "a\r\nX-B: b"}, {0}}, "",
			    0);
	} else if (strcmp(path, "/none") == 0) {
		http_answer(x, 204, NULL, "ignored", 7);
	} else {
		say_request(x);
	}
}

static void over(void *context, struct http_exchange *x, bool complete)
{
	struct work *w = http_user(x);
	struct echo *e = context;

	if (w) {
		say("over", x, complete ? "complete" : "incomplete");
		loop_unset(e->loop, &w->timer);
		free(w);
	}
}

static void room(void *context, struct http_exchange *x)
{
	(void)context;
	if (http_user(x))
		push(http_user(x));
}

static void refused(void *context, int status)
{
	(void)context;
	(void)printf("refused %d\n", status);
	(void)fflush(stdout);
}

static void command(void *context, uint32_t events)
{
	struct echo *e = context;
	char line[64] = "";
	struct error err;
	ssize_t n = read(0, line, sizeof(line) - 1);

	(void)events;
	if (n > 0 && strncmp(line, "drain", 5) == 0) {
		http_drain(e->http);
	} else if (n > 0 && strncmp(line, "count", 5) == 0) {
		(void)printf("count %zu\n", http_connections(e->http));
		(void)fflush(stdout);
	} else if (n > 0 && strncmp(line, "reload", 6) == 0) {
		struct http_tls *t = http_tls_load(e->cert, e->key, e->client_ca, &err);

		if (t) {
			http_set_tls(e->http, t);
			http_tls_free(e->tls);
			e->tls = t;
		}
		(void)printf("reload %s\n", t ? "done" : err.text);
		(void)fflush(stdout);
	} else {
		loop_stop(e->loop);
	}
}

static int listen_fd(struct echo *e, int fd, bool tls, struct error *err)
{
	char text[LISTEN_TEXT_MAX];
	struct listen_word w;

	if (listen_name(fd, &w, err) < 0)
		return -1;
	w.tls = tls;
	listen_text(&w, text);
	(void)printf("listening %s\n", text);
	(void)fflush(stdout);
	return http_listen(e->http, fd, tls ? e->tls : NULL, err);
}

static int listen_word(struct echo *e, const char *word, struct error *err)
{
	struct listen_word w;
	int fd;

	if (listen_parse(word, &w, err) < 0)
		return -1;
	if (w.tls && !e->tls)
		return fail(err, ERR_CALLER, "%s needs a certificate", word);
	fd = listen_open(&w, err);
	return fd < 0 ? -1 : listen_fd(e, fd, w.tls, err);
}

static int listen_all(struct echo *e, char **words, struct error *err)
{
	int fds[LISTEN_INHERITED_MAX], n = listen_inherit(fds, err);

	for (int i = 0; i < n; i++)
		if (listen_fd(e, fds[i], false, err) < 0)
			return -1;
	for (; n >= 0 && *words; words++)
		if (listen_word(e, *words, err) < 0)
			return -1;
	return n < 0 ? -1 : 0;
}

static bool take_option(struct echo *e, const char *name, const char *value)
{
	const struct {
		const char *name;
		size_t *size;
		uint64_t *ms;
	} rows[] = {
		{"head-bytes", &e->caps.head_bytes, NULL},
		{"headers", &e->caps.headers, NULL},
		{"body-bytes", &e->caps.body_bytes, NULL},
		{"bodies-bytes", &e->caps.bodies_bytes, NULL},
		{"target-bytes", &e->caps.target_bytes, NULL},
		{"connections", &e->caps.connections, NULL},
		{"per-peer", &e->caps.connections_per_peer, NULL},
		{"pending", &e->caps.pending_bytes, NULL},
		{"head-ms", NULL, &e->caps.head_ms},
		{"body-ms", NULL, &e->caps.body_ms},
		{"idle-ms", NULL, &e->caps.idle_ms},
		{"write-ms", NULL, &e->caps.write_ms},
	};
	uint64_t number;
	struct error err;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (strcmp(rows[i].name, name) != 0 || text_parse_uint(value, &number, &err) < 0)
			continue;
		if (rows[i].size)
			*rows[i].size = (size_t)number;
		else
			*rows[i].ms = number;
		return true;
	}
	if (strcmp(name, "cert") == 0)
		e->cert = value;
	else if (strcmp(name, "key") == 0)
		e->key = value;
	else if (strcmp(name, "client-ca") == 0)
		e->client_ca = value;
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	struct echo e = {.caps = {.head_bytes = 16 << 10,
				  .headers = 64,
				  .body_bytes = 1 << 20,
				  .target_bytes = 8 << 10,
				  .connections = 4096,
				  .connections_per_peer = 4096,
				  .head_ms = 60000,
				  .body_ms = 60000,
				  .idle_ms = 60000,
				  .write_ms = 60000,
				  .pending_bytes = 64 << 10}};
	const struct http_handler h = {head, whole, over, room, NULL, refused, &e};
	struct error err = {0};
	int i = 1;

	for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2)
		if (!take_option(&e, argv[i] + 2, argv[i + 1]))
			return 2;
	e.loop = loop_new(&err);
	e.http = e.loop ? http_new(e.loop, &e.caps, &h, &err) : NULL;
	if (!e.http)
		end(&err);
	if (e.cert && !(e.tls = http_tls_load(e.cert, e.key, e.client_ca, &err)))
		end(&err);
	if (listen_all(&e, argv + i, &err) < 0)
		end(&err);
	e.input = (struct loop_watch){.events = EPOLLIN, .ready = command, .context = &e};
	if (loop_add(e.loop, &e.input, &err) < 0 || loop_run(e.loop, &err) < 0)
		end(&err);
	http_free(e.http);
	loop_free(e.loop);
	http_tls_free(e.tls);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* respond.c - answers leave through here, with the headers that each of them has.
 *
 * Nothing that we answer is a page: browsers are told to show and keep none of
 * it.  There are no CORS headers, so that no page of another origin reads it.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/jsonout.h"
#include "base/own.h"
#include "serve/api/front.h"

enum { HEADERS_MAX = 16, PROBLEM_BYTES = 8192 };

struct headers {
	struct http_header list[HEADERS_MAX];
	size_t n;
};

static void add(struct headers *h, const char *name, const char *value)
{
	if (h->n < HEADERS_MAX - 1)
		h->list[h->n++] = (struct http_header){name, value};
}

static void add_usual(struct headers *h, const struct visit *v, const char *type)
{
	add(h, "Content-Type", type);
	add(h, "X-Request-Id", v->request_id);
	add(h, "X-Content-Type-Options", "nosniff");
	add(h, "Cache-Control", "no-store");
	add(h, "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
	if (v->replayed)
		add(h, "Idempotency-Replayed", "true");
}

bool respond_fits(const struct visit *v, size_t len)
{
	const struct front *f = v->front;
	size_t share = f->view && f->view->n_clients > 1 ? SENDING_MAX / 2 : SENDING_MAX;

	return f->sending_bytes + len <= SENDING_MAX &&
	       (!v->party || v->party->sending_bytes + len <= share);
}

void respond_count(struct visit *v, size_t len)
{
	v->sending += len;
	v->front->sending_bytes += len;
	if (v->party)
		v->party->sending_bytes += len;
}

void respond(struct visit *v, const struct response *a)
{
	struct headers h = {0};
	char retry[16];

	if (!v->x || v->status)
		return;
	if (!a->must && a->len > SMALL_ANSWER && !respond_fits(v, a->len)) {
		respond_problem(v, PROBLEM_OVERLOADED,
				"too much is being sent to this client: read it first");
		return;
	}
	visit_let_go(v);
	add_usual(&h, v, a->type ? a->type : "application/json");
	if (a->retry_after_s > 0) {
		(void)snprintf(retry, sizeof(retry), "%u", (unsigned)a->retry_after_s);
		add(&h, "Retry-After", retry);
	}
	for (size_t i = 0; i < ARRAY_LEN(a->more) && a->more[i].name; i++)
		add(&h, a->more[i].name, a->more[i].value);
	v->status = a->status;
	respond_count(v, a->len);
	http_answer(v->x, a->status, h.list, a->body, a->len);
}

void respond_json(struct visit *v, int status, struct buf *body)
{
	if (body->cut || !body->data) {
		respond_problem(v, PROBLEM_INTERNAL, "the answer is too large");
		return;
	}
	respond(v, &(struct response){.status = status, .body = body->data, .len = body->len});
}

uint32_t respond_retry_after(const struct front *f)
{
	/* As long as it takes until those who wait now have had their turn, give or take. */
	size_t keepers = f->pool.limits.keepers ? f->pool.limits.keepers : 1;
	size_t rounds = f->pool.n_waiting / keepers;

	return rounds < 1 ? 1 : rounds > 30 ? 30 : (uint32_t)rounds;
}

/* 0: trying again would not help. */
static uint32_t retry_after(const struct visit *v, enum problem p)
{
	if (p == PROBLEM_OVERLOADED || p == PROBLEM_TOO_MANY_REQUESTS)
		return respond_retry_after(v->front);
	if (p == PROBLEM_UNAVAILABLE || p == PROBLEM_CONFLICT)
		return 1;
	return p == PROBLEM_DRAINING ? 5 : 0;
}

void respond_problem_more(struct visit *v, enum problem p, const char *detail,
			  const struct http_header *more)
{
	struct response a = {.status = problem_status(p), .type = "application/problem+json"};
	struct error err = {0};
	own(buf) body;

	buf_init(&body, PROBLEM_BYTES);
	if (!v->x || v->status)
		return;
	if (problem_write(p, detail, http_path(v->x), v->request_id, &body, &err) < 0) {
		a.type = "text/plain";
		a.body = "";
	}
	a.body = buf_str(&body);
	a.len = body.len;
	a.retry_after_s = retry_after(v, p);
	for (size_t i = 0; more && i < ARRAY_LEN(a.more) && more[i].name; i++)
		a.more[i] = more[i];
	v->front->metrics.overloaded += p == PROBLEM_OVERLOADED;
	v->front->metrics.too_many += p == PROBLEM_TOO_MANY_REQUESTS;
	respond(v, &a);
}

void respond_problem(struct visit *v, enum problem p, const char *detail)
{
	respond_problem_more(v, p, detail, NULL);
}

void respond_begin(struct visit *v, const char *type)
{
	struct headers h = {0};

	add_usual(&h, v, type);
	add(&h, "X-Accel-Buffering", "no");
	v->status = 200;
	v->streaming = true;
	http_begin(v->x, 200, h.list);
}

void respond_time(struct jsonout *j, const char *key, uint64_t unix_ms)
{
	time_t seconds = (time_t)(unix_ms / 1000);
	struct tm utc;
	char text[48], whole[64];

	if (!gmtime_r(&seconds, &utc) ||
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &utc) == 0)
		text[0] = '\0';
	(void)snprintf(whole, sizeof(whole), "%s.%03uZ", text, (unsigned)(unix_ms % 1000));
	jsonout_str(j, key, whole);
}

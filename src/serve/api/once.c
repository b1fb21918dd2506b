/* SPDX-License-Identifier: Apache-2.0 */
/* once.c - what Idempotency-Key means for a request: first time, replay, or refusal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/own.h"
#include "base/sha256.h"
#include "serve/api/front.h"

static uint64_t unix_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static int add_hex(const char *hex, unsigned char *ret)
{
	for (size_t i = 0; i < ONCE_HASH_BYTES; i++) {
		int high = hex[2 * i] > '9' ? hex[2 * i] - 'a' + 10 : hex[2 * i] - '0';
		int low = hex[2 * i + 1] > '9' ? hex[2 * i + 1] - 'a' + 10 : hex[2 * i + 1] - '0';

		ret[i] = (unsigned char)(high * 16 + low);
	}
	return 0;
}

/* SHA-256 of what makes it the same request. */
static int hash_request(const struct visit *v, unsigned char *ret, struct error *err)
{
	const struct buf *body = http_body(v->x);
	const char *parts[] = {http_method_name(v->x), " ", http_path(v->x), "\n"};
	struct sha256 s = {0};
	char hex[SHA256_HEX];

	if (sha256_init(&s, err) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (sha256_add(&s, parts[i], strlen(parts[i]), err) < 0)
			goto failed;
	if (sha256_add(&s, buf_str(body), body->len, err) < 0)
		goto failed;
	return sha256_done(&s, hex, err) < 0 ? -1 : add_hex(hex, ret);
failed:
	sha256_end(&s);
	return -1;
}

static void replay(struct visit *v, const struct once_answer *a)
{
	if (a->body.len > SMALL_ANSWER && !respond_fits(v, a->body.len)) {
		respond_problem(v, PROBLEM_OVERLOADED,
				"too much is being sent to this client: read it first");
		return;
	}
	v->replayed = true;
	v->front->metrics.replays++;
	if (v->form != FORM_JSON && a->status < 400)
		stream_replay(v, buf_str(&a->body), a->body.len);
	else
		respond(v, &(struct response){.status = a->status,
					      .type = a->status >= 400 ? "application/problem+json"
								       : NULL,
					      .body = buf_str(&a->body),
					      .len = a->body.len});
}

static void replay_unknown(struct visit *v, const struct task *t)
{
	struct once_answer a = {.status = 200};
	struct error err = {0};
	struct unknown u = {
		.tool_shape = t->request.shape == SHAPE_TOOL,
		.request_id = v->request_id,
		.what = "the service ended while this call ran, and nobody saw how it ended",
	};

	buf_init(&a.body, 8192);
	if (unknown_write(&u, &a.body, &err) < 0)
		respond_problem(v, PROBLEM_INTERNAL, "out of memory");
	else
		replay(v, &a);
	buf_done(&a.body);
}

/* Everything but ONCE_NEW. */
static void answer(struct visit *v, const struct task *t, enum once found, struct once_answer *a)
{
	switch (found) {
	case ONCE_FAILED:
		respond_problem(v, PROBLEM_UNAVAILABLE,
				"whether this Idempotency-Key was used cannot be told now");
		break;
	case ONCE_BUSY:
		respond_problem(v, PROBLEM_CONFLICT,
				"a request with this Idempotency-Key has not ended yet");
		break;
	case ONCE_OTHER:
		respond_problem(v, PROBLEM_UNPROCESSABLE,
				"this Idempotency-Key was used for another request");
		break;
	case ONCE_ANSWERED:
		replay(v, a);
		buf_done(&a->body);
		break;
	case ONCE_UNKNOWN:
		replay_unknown(v, t);
		break;
	case ONCE_DROPPED:
		respond_problem(v, PROBLEM_GONE,
				"this request was answered; its answer was too large, or is too "
				"old, to be given again");
		break;
	case ONCE_FULL:
		respond_problem(v, PROBLEM_TOO_MANY_REQUESTS,
				"this client has too many Idempotency-Keys that still count");
		break;
	case ONCE_NEW:
		break;
	}
}

bool once_begin(struct visit *v, struct task *t)
{
	const char *key = http_header(v->x, "Idempotency-Key");
	struct front *f = v->front;
	struct once_ask ask = {.client = v->party->name, .key = key};
	struct once_answer a = {0};
	struct error err = {0};
	enum once found;

	if (!key || !(v->match.route->flags & ROUTE_ONCE))
		return true;
	if (!once_key_fits(key)) {
		respond_problem(v, PROBLEM_BAD_REQUEST,
				"Idempotency-Key has 1 to 255 printable ASCII characters");
		return false;
	}
	ask.now_ms = unix_ms();
	ask.for_ms = f->view->idempotency_ms;
	t->once_key = strdup(key);
	found = t->once_key && hash_request(v, ask.hash, &err) == 0
			? once_claim(f->once, &ask, &a, &err)
			: ONCE_FAILED;
	if (found == ONCE_NEW)
		return true;
	free(TAKE(t->once_key));
	if (found == ONCE_FAILED && f->config.say)
		f->config.say(f->config.context, err.text);
	answer(v, t, found, &a);
	return false;
}

/* 4xx and 503 say that nothing ran. */
static bool may_have_run(int status)
{
	return status < 400 || (status >= 500 && status != 503);
}

void once_end(struct front *f, struct task *t, int status, const struct buf *body)
{
	struct once_answer a = {.status = status, .body = *body};
	struct error err = {0};

	if (!t->once_key)
		return;
	if (!may_have_run(status)) {
		once_forget(f, t);
		return;
	}
	if (once_keep(f->once, t->party->name, t->once_key, &a, &err) < 0 && f->config.say)
		f->config.say(f->config.context, err.text);
	free(TAKE(t->once_key));
}

void once_forget(struct front *f, struct task *t)
{
	struct error err = {0};

	if (!t->once_key)
		return;
	if (once_release(f->once, t->party->name, t->once_key, &err) < 0 && f->config.say)
		f->config.say(f->config.context, err.text);
	free(TAKE(t->once_key));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* keepanswer.c - what a keeper says back: an answer's body, or a problem (RFC 9457). */
#include "keeper/keepanswer.h"

#include <assert.h>
#include <string.h>

#include "base/jsonout.h"
#include "base/jsonread.h"
#include "base/own.h"

enum { PROBLEM_MAX = 64 << 10, SIGNAL_MAX = 64 };

void answer_counts(struct keeper *k, const struct passage *p)
{
	const struct audit_receipt *all[] = {&p->receipt_started, &p->receipt};

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (all[i]->given) {
			k->records++;
			if (all[i]->index > k->last_index)
				k->last_index = all[i]->index;
		}
}

static void send(struct keeper *k, const struct keep_request *r, struct keep_reply *reply,
		 const void *data, size_t len)
{
	struct error err = {0};

	if (r->serial == 0)
		return; /* nobody waits for it */
	reply->kind = KEEP_ANSWER;
	reply->serial = r->serial;
	reply->facts.records = k->records;
	reply->facts.last_index = k->last_index;
	reply->facts.interpreters = k->slots.interpreters;
	reply->facts.forked = k->slots.forked;
	k->records = k->slots.interpreters = k->slots.forked = 0;
	if (keep_send_reply(k->front, reply, data, len, &err) < 0)
		k->over = true;
}

void answer_json(struct keeper *k, const struct keep_request *r, struct keep_reply *reply,
		 const struct buf *body)
{
	static_assert(KEEP_ANSWER_MAX == 64 << 20, "what is said below");

	if (body->cut || body->len > KEEP_ANSWER_MAX) {
		answer_problem(k, r, 500, "internal",
			       "what was asked for was done, but the answer is larger than 64 MiB: "
			       "ask for less output (limits.output), or follow it as a stream",
			       NULL);
		return;
	}
	if (reply->http_status == 0)
		reply->http_status = 200;
	reply->content = CONTENT_JSON;
	send(k, r, reply, body->data, body->len);
}

static const char *title_of(const char *code)
{
	static const char *const titles[][2] = {
		{"bad_request", "The request makes no sense"},
		{"invalid_body", "The body is not what it should be"},
		{"not_found", "There is no such thing"},
		{"conflict", "This cannot be done now"},
		{"too_large", "The body is too large"},
		{"overloaded", "Too much at once"},
		{"not_implemented", "Nobody wrote this for this machine"},
		{"internal", "belljar could not do its own work"},
	};

	for (size_t i = 0; i < ARRAY_LEN(titles); i++)
		if (strcmp(titles[i][0], code) == 0)
			return titles[i][1];
	return code;
}

static void write_errors(struct jsonout *j, const struct api_problems *p)
{
	jsonout_array(j, "errors");
	for (size_t i = 0; i < p->n; i++) {
		jsonout_object(j, NULL);
		jsonout_str(j, "pointer", p->list[i].pointer);
		jsonout_str(j, "detail", p->list[i].detail);
		jsonout_object_end(j);
	}
	jsonout_array_end(j);
}

void answer_problem(struct keeper *k, const struct keep_request *r, unsigned status,
		    const char *code, const char *detail, const struct api_problems *problems)
{
	struct keep_reply reply = {.http_status = status, .content = CONTENT_PROBLEM};
	char type[96];
	struct error err = {0};
	struct jsonout j;
	own(buf) out;

	if (status == 503 || status == 429)
		reply.retry_after_s = 1;
	buf_init(&out, PROBLEM_MAX);
	(void)snprintf(type, sizeof(type), "https://belljar.dev/problems/%s", code);
	jsonout_start(&j, &out, &err);
	jsonout_object(&j, NULL);
	jsonout_str(&j, "type", type);
	jsonout_str(&j, "title", title_of(code));
	jsonout_uint(&j, "status", status);
	jsonout_str(&j, "detail", detail);
	jsonout_str(&j, "code", code);
	jsonout_str(&j, "request_id", r->request_id);
	if (problems && problems->n)
		write_errors(&j, problems);
	jsonout_object_end(&j);
	if (jsonout_end(&j) < 0 || out.cut)
		out.len = 0;
	send(k, r, &reply, out.data, out.len);
}

void answering_begin(struct answering *a, size_t most)
{
	a->err = (struct error){0};
	buf_init(&a->out, most);
	jsonout_start(&a->j, &a->out, &a->err);
	jsonout_object(&a->j, NULL);
}

void answering_send(struct answering *a, struct keeper *k, const struct keep_request *r,
		    struct keep_reply *reply)
{
	jsonout_object_end(&a->j);
	if (jsonout_end(&a->j) == 0)
		answer_json(k, r, reply, &a->out);
	else
		answer_problem(k, r, 500, "internal", "the answer got lost", NULL);
}

void answering_end(struct answering *a)
{
	buf_done(&a->out);
}

json_t *answer_body(struct keeper *k, const struct keep_request *r, const struct buf *body,
		    const char *object)
{
	struct api_problems problems;
	struct error err = {0};
	own_json value = NULL;

	api_no_problems(&problems);
	if (body->len == 0) {
		answer_problem(k, r, 400, "invalid_body", "there is no body: send a JSON object",
			       NULL);
		return NULL;
	}
	value = jsonread(body->data, body->len, KEEP_BODY_MAX, &err);
	if (!value) {
		answer_problem(k, r, 400, "invalid_body", err.text, NULL);
		return NULL;
	}
	if (api_check(api_object(object), value, &problems))
		return TAKE(value);
	answer_problem(k, r, 400, "invalid_body", problems.list[0].detail, &problems);
	return NULL;
}

/* A number, or a name without SIG; the rows of src/api have been held against it. */
static uint64_t signal_of(const json_t *value)
{
	const char *name = json_string_value(value);

	for (int i = 1; name && i <= SIGNAL_MAX; i++) {
		const char *known = sigabbrev_np(i);

		if (known && strcmp(known, name) == 0)
			return (uint64_t)i;
	}
	return name ? 0 : (uint64_t)json_integer_value(value);
}

bool answer_signal(struct keeper *k, const struct keep_request *r, const struct buf *body,
		   uint64_t *ret)
{
	own_json value = NULL;

	*ret = r->number;
	if (r->number == 0) {
		value = answer_body(k, r, body, "signal");
		if (!value)
			return false;
		*ret = signal_of(json_object_get(value, "signal"));
	}
	if (*ret >= 1 && *ret <= SIGNAL_MAX)
		return true;
	answer_problem(k, r, 400, "bad_request", "there is no such signal", NULL);
	return false;
}

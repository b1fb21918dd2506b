/* SPDX-License-Identifier: Apache-2.0 */
/* view.c - what the other roles of the service need to know of a policy, as one JSON object. */
#include "keeper/view.h"

#include <unistd.h>

#include "base/jsonread.h"
#include "base/own.h"
#include "sandbox/ceiling.h"

uint64_t view_concurrency(const struct policy *p)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (p->serve.concurrency)
		return p->serve.concurrency;
	return processors > 2 ? 2 * (uint64_t)processors : 4;
}

uint64_t view_sessions_ready(const struct policy *p)
{
	uint64_t most = p->serve.sessions < p->serve.sessions_ready ? p->serve.sessions
								    : p->serve.sessions_ready;

	for (size_t i = 0; i < p->n_tools; i++)
		if (p->tools[i].kind == KIND_CODE && p->tools[i].sessions.allow)
			return most;
	return 0;
}

static json_t *number(uint64_t n)
{
	return json_integer(n > INT64_MAX ? INT64_MAX : (json_int_t)n);
}

static json_t *texts(const struct words *w)
{
	json_t *list = json_array();

	for (size_t i = 0; i < w->n; i++)
		(void)json_array_append_new(list, json_string(w->word[i]));
	return list;
}

static json_t *serve_view(const struct policy *p)
{
	const struct serve_rules *s = &p->serve;
	const struct {
		const char *key;
		uint64_t value;
	} numbers[] = {
		{"concurrency", view_concurrency(p)},
		{"sessions", s->sessions},
		{"sessions_ready", view_sessions_ready(p)},
		{"queue", s->queue},
		{"queue_wait_ms", s->queue_wait_ms},
		{"body_bytes", s->body_bytes},
		{"connections", s->connections},
		{"head_wait_ms", s->head_wait_ms},
		{"body_wait_ms", s->body_wait_ms},
		{"idle_wait_ms", s->idle_wait_ms},
		{"drain_ms", s->drain_ms},
		{"calls_kept", s->calls_kept},
		{"calls_kept_ms", s->calls_kept_ms},
		{"idempotency_ms", s->idempotency_ms},
		{"warm_node", s->warm_node},
	};
	json_t *ret = json_pack("{s:o, s:{s:s?, s:s?, s:s?}, s:b, s:o, s:o, s:b}", "listen",
				texts(&s->listen), "tls", "cert", s->tls.cert, "key", s->tls.key,
				"client_ca", s->tls.client_ca, "plaintext", s->plaintext, "hosts",
				texts(&s->hosts), "origins", texts(&s->origins),
				"loopback_without_key", s->loopback_without_key);

	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		(void)json_object_set_new(ret, numbers[i].key, number(numbers[i].value));
	return ret;
}

static json_t *uids_of(const struct client *c)
{
	json_t *list;

	if (c->any_uid)
		return json_string("any");
	list = json_array();
	for (size_t i = 0; i < c->n_uids; i++)
		(void)json_array_append_new(list, json_integer(c->uids[i]));
	return list;
}

static json_t *scopes_of(const struct client *c)
{
	json_t *list = json_array();

	for (unsigned bit = SCOPE_EXECUTE; bit <= SCOPE_ADMIN; bit <<= 1)
		if (c->scopes & bit)
			(void)json_array_append_new(list, json_string(scope_name(bit)));
	return list;
}

static json_t *clients_view(const struct policy *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->n_clients; i++) {
		const struct client *c = &p->clients[i];

		(void)json_array_append_new(
			list, json_pack("{s:s, s:o, s:o, s:s?, s:o, s:o, s:o}", "name", c->name,
					"key_sha256", texts(&c->key_sha256), "uids", uids_of(c),
					"cert", c->cert, "scopes", scopes_of(c), "max_concurrent",
					number(c->max_concurrent), "tools", texts(&c->tools)));
	}
	return list;
}

static json_t *tools_view(const struct policy *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->n_tools; i++) {
		const struct tool *t = &p->tools[i];

		(void)json_array_append_new(
			list, json_pack("{s:s, s:s, s:s?, s:b}", "name", t->name, "kind",
					tool_kind_name(t->kind), "description", t->description,
					"sessions", t->sessions.allow));
	}
	return list;
}

static json_t *degraded_view(const struct policy *p)
{
	json_t *list = json_array();

	for (int i = 0; i < LAYER_COUNT; i++)
		if (p->allow_degraded & 1u << i)
			(void)json_array_append_new(list, json_string(layer_name((enum layer)i)));
	return list;
}

json_t *view_make(const struct policy *p, struct error *err)
{
	own(buf) ceiling;
	json_t *ret;

	buf_init(&ceiling, CEILING_TEXT_MAX);
	if (view_ceiling(p, &ceiling, err) < 0)
		return NULL;
	ret = json_pack("{s:s, s:s, s:o, s:o, s:o, s:{s:b, s:s?}, s:o, s:s}", "policy_sha256",
			p->sha256, "source", p->source, "serve", serve_view(p), "clients",
			clients_view(p), "tools", tools_view(p), "audit", "off", p->audit.off,
			"directory", p->audit.directory, "allow_degraded", degraded_view(p),
			"ceiling", buf_str(&ceiling));
	if (!ret)
		(void)fail(err, ERR_SYSTEM, "write the view of the policy");
	return ret;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* serveplan.c - what the supervisor takes from the view of a policy.
 *
 * The view comes from a program of ours that has read the owner's file.  It is
 * checked all the same: what is missing must not turn into a zero that allows.
 */
#include "serve/roles/serveplan.h"

#include <string.h>

#include "base/jsonread.h"

struct taker {
	const json_t *from;
	const char *missing; /* the first that is */
};

static const char *text_of(struct taker *t, const char *key)
{
	const char *value = json_string_value(json_object_get(t->from, key));

	if (!value && !t->missing)
		t->missing = key;
	return value;
}

/* null, or not there: NULL. */
static const char *maybe_text(const json_t *from, const char *key)
{
	return json_string_value(json_object_get(from, key));
}

static uint64_t number_of(struct taker *t, const char *key)
{
	const json_t *value = json_object_get(t->from, key);

	if ((!json_is_integer(value) || json_integer_value(value) < 0) && !t->missing)
		t->missing = key;
	return json_is_integer(value) ? (uint64_t)json_integer_value(value) : 0;
}

static bool bool_of(struct taker *t, const char *key)
{
	const json_t *value = json_object_get(t->from, key);

	if (!json_is_boolean(value) && !t->missing)
		t->missing = key;
	return json_is_true(value);
}

static const json_t *texts_of(struct taker *t, const char *key)
{
	const json_t *list = json_object_get(t->from, key);
	bool fine = json_is_array(list);

	for (size_t i = 0; i < json_array_size(list); i++)
		fine = fine && json_is_string(json_array_get(list, i));
	if (!fine && !t->missing)
		t->missing = key;
	return list;
}

static void take_serve(struct taker *t, struct plan *p)
{
	const json_t *tls = json_object_get(t->from, "tls");

	p->listen = texts_of(t, "listen");
	p->tls_cert = maybe_text(tls, "cert");
	p->tls_key = maybe_text(tls, "key");
	p->tls_client_ca = maybe_text(tls, "client_ca");
	p->plaintext = bool_of(t, "plaintext");
	p->loopback_without_key = bool_of(t, "loopback_without_key");
	p->concurrency = number_of(t, "concurrency");
	p->sessions = number_of(t, "sessions");
	p->sessions_ready = number_of(t, "sessions_ready");
	p->drain_ms = number_of(t, "drain_ms");
	p->warm_node = number_of(t, "warm_node");
}

int plan_read(const char *text, size_t len, struct plan *ret, struct error *err)
{
	own_json view = jsonread(text, len, PLAN_BYTES_MAX, err);
	struct taker top = {.from = view}, serve, audit;
	struct plan p = {.view = view};

	if (!view)
		return fail_in(err, "the view of the policy");
	serve = (struct taker){.from = json_object_get(view, "serve")};
	audit = (struct taker){.from = json_object_get(view, "audit")};
	p.policy_sha256 = text_of(&top, "policy_sha256");
	p.policy_file = text_of(&top, "source");
	p.ceiling = text_of(&top, "ceiling");
	p.allow_degraded = texts_of(&top, "allow_degraded");
	take_serve(&serve, &p);
	p.audit_off = bool_of(&audit, "off");
	p.audit_directory = maybe_text(audit.from, "directory");
	if (top.missing || serve.missing || audit.missing || json_array_size(p.listen) == 0)
		return fail(err, ERR_INTERNAL, "the view of the policy has no %s",
			    top.missing     ? top.missing
			    : serve.missing ? serve.missing
			    : audit.missing ? audit.missing
					    : "listen");
	if (strcmp(p.policy_file, "built in") == 0)
		p.policy_file = NULL;
	view = NULL;
	*ret = p;
	return 0;
}

void plan_done(struct plan *p)
{
	json_decref(p->view);
	*p = (struct plan){0};
}

void plan_end(struct plan *p)
{
	plan_done(p);
}

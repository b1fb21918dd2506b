/* SPDX-License-Identifier: Apache-2.0 */
/* policy.c - a policy that was read: who is who, which tool is which, and its end. */
#include "policy/policy.h"

#include <stdlib.h>
#include <string.h>

#include "base/match.h"
#include "policy/jsonschema.h"

struct kept {
	struct kept *next;
	struct match *match;
	struct jsonschema *schema;
};

static void drop(const struct kept *kept)
{
	match_free(kept->match);
	jsonschema_free(kept->schema);
}

static int keep(struct policy *p, struct kept what, struct error *err)
{
	struct kept *kept = arena_alloc(&p->arena, sizeof(*kept), err);

	if (!kept) {
		drop(&what);
		return -1;
	}
	*kept = what;
	kept->next = p->kept;
	p->kept = kept;
	return 0;
}

int policy_keep_match(struct policy *p, struct match *m, struct error *err)
{
	return keep(p, (struct kept){.match = m}, err);
}

int policy_keep_schema(struct policy *p, struct jsonschema *schema, struct error *err)
{
	return keep(p, (struct kept){.schema = schema}, err);
}

int policy_keep_json(struct policy *p, json_t *value, struct error *err)
{
	if (!p->keeps)
		p->keeps = json_array();
	/* Takes the reference, also when it fails or there is no list. */
	if (json_array_append_new(p->keeps, value) < 0)
		return fail(err, ERR_SYSTEM, "keep a value: out of memory");
	return 0;
}

void policy_free(struct policy *p)
{
	if (!p)
		return;
	for (const struct kept *kept = p->kept; kept; kept = kept->next)
		drop(kept);
	json_decref(p->keeps);
	arena_done(&p->arena);
	free(p);
}

void policy_end(struct policy **p)
{
	policy_free(*p);
}

const struct tool *policy_tool(const struct policy *p, const char *name)
{
	for (size_t i = 0; i < p->n_tools; i++)
		if (strcmp(p->tools[i].name, name) == 0)
			return &p->tools[i];
	return NULL;
}

const struct client *policy_client(const struct policy *p, const char *name)
{
	for (size_t i = 0; i < p->n_clients; i++)
		if (strcmp(p->clients[i].name, name) == 0)
			return &p->clients[i];
	return NULL;
}

static bool names_uid(const struct client *c, uid_t uid)
{
	for (size_t i = 0; i < c->n_uids; i++)
		if (c->uids[i] == uid)
			return true;
	return false;
}

const struct client *policy_client_by_uid(const struct policy *p, uid_t uid)
{
	const struct client *any = NULL;

	for (size_t i = 0; i < p->n_clients; i++) {
		if (names_uid(&p->clients[i], uid))
			return &p->clients[i];
		if (p->clients[i].any_uid)
			any = &p->clients[i];
	}
	return any;
}

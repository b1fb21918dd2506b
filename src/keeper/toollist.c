/* SPDX-License-Identifier: Apache-2.0 */
/* toollist.c - the tools that a client may see, and what each may be sent. */
#include <string.h>

#include "base/jsonread.h"
#include "base/own.h"
#include "call/limits.h"
#include "keeper/keepanswer.h"
#include "keeper/toolschema.h"

enum { LIST_MAX = 64 << 20 };

static json_t *limits_of(const struct tool *t)
{
	json_t *ret = json_object();

	for (size_t i = 0; i < limit_row_count; i++) {
		uint64_t n = limits_get(&t->limits, &limit_rows[i]);

		(void)json_object_set_new(ret, limit_rows[i].key, json_integer((json_int_t)n));
	}
	return ret;
}

static json_t *languages_of(const struct tool *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->languages.n; i++)
		(void)json_array_append_new(list, json_string(t->languages.word[i]));
	return list;
}

static json_t *describe(const struct tool *t)
{
	return json_pack("{s:s, s:s, s:s?, s:o, s:o, s:o, s:b, s:b}", "name", t->name, "kind",
			 tool_kind_name(t->kind), "description", t->description, "languages",
			 languages_of(t), "input_schema", tool_schema(t), "limits", limits_of(t),
			 "sessions", t->sessions.allow, "artifacts", t->artifacts.allow);
}

static json_t *list_for(const struct keeper *k, const struct client *c)
{
	json_t *list = json_array();

	for (size_t i = 0; c && i < k->policy->n_tools; i++)
		if (policy_may_see(c, k->policy->tools[i].name))
			(void)json_array_append_new(list, describe(&k->policy->tools[i]));
	return json_pack("{s:o}", "tools", list);
}

void obey_tools(struct keeper *k, const struct keep_request *r, const struct buf *body)
{
	own_json list = list_for(k, policy_client(k->policy, r->client));
	own_str text = list ? jsonread_text(list) : NULL;
	struct keep_reply reply = {0};
	struct error err = {0};
	own(buf) out;

	(void)body;
	buf_init(&out, LIST_MAX);
	if (!text || buf_add_str(&out, text, &err) < 0)
		answer_problem(k, r, 500, "internal", "the list found no room", NULL);
	else
		answer_json(k, r, &reply, &out);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* settings_schema_test.c - what is made from the rows: a schema that takes policies and refuses
 * mistakes, and a manual that names every setting.
 */
#include "policy/builtin.h"
#include "policy/jsonschema.h"
#include "policy/sectionlist.h"
#include "policy/yamltree.h"
#include "policy_case.h"

/* As an editor's YAML library would see it. */
static json_t *value_of(const struct node *n)
{
	struct error ignored;
	json_t *value = NULL;

	if (n->kind == NODE_SCALAR) {
		if (n->plain)
			value = jsonread(n->text, strlen(n->text), 1 << 16, &ignored);
		return value ? value : json_string(n->text);
	}
	value = n->kind == NODE_LIST ? json_array() : json_object();
	for (const struct node *c = n->first; c; c = c->next)
		if (n->kind == NODE_LIST)
			(void)json_array_append_new(value, value_of(c));
		else
			(void)json_object_set_new(value, c->key->text, value_of(c));
	return value;
}

static json_t *document(const char *text, size_t len)
{
	static struct complaints complaints;
	own(arena) arena;
	const struct node *root;

	arena_init(&arena, 16 << 20);
	root = yamltree_read("test.yaml", text, len, &arena, &complaints);
	if (!root) {
		printf("# %s\n", complaints.list[0].text);
		exit(1);
	}
	return value_of(root);
}

static struct jsonschema *schema(void)
{
	own(buf) text;
	own_json document = NULL;
	struct error err = {0};
	struct jsonschema *s;

	buf_init(&text, 4 << 20);
	CHECK(settings_schema(&text, &err) == 0);
	document = jsonread(buf_str(&text), text.len, 4 << 20, &err);
	s = document ? jsonschema_new(document, &err) : NULL;
	if (!s) {
		printf("# %s\n", err.text);
		exit(1);
	}
	return s;
}

static enum answer judge(const char *text, size_t len)
{
	struct jsonschema *s = schema();
	own_json value = document(text, len);
	struct why why = {0};
	enum answer answer = jsonschema_judge(s, value, "policy", &why);

	if (answer != ANSWER_ALLOW)
		printf("# %s: %s\n", why.rule, why.what);
	jsonschema_free(s);
	return answer;
}

TEST(the_schema_takes_the_built_in_policy)
{
	CHECK(judge(builtin_policy_start, (size_t)(builtin_policy_end - builtin_policy_start)) ==
	      ANSWER_ALLOW);
}

TEST(the_schema_takes_what_the_reader_takes)
{
	static const char text[] =
		"version: 1\n"
		"allow_degraded: [own_uid]\n"
		"rate: { limit: 10, per: 1m, burst: 3, key: [] }\n"
		"defaults: { limits: { wall: 10s, memory: 64M }, concurrency: 2 }\n"
		"clients:\n"
		"  a: { uid: [1, 2], tools: [t], rate: [60/min, 1000/day], budget: { per: 1h, cpu: "
		"5s } }\n"
		"tools:\n"
		"  t:\n"
		"    kind: command\n"
		"    exec: [echo, \"{u}\"]\n"
		"    args:\n"
		"      u: { type: url, schemes: [https], hosts: [a.example.com], ports: [443, "
		"8443] }\n"
		"      l: { type: list, items: { type: object, fields: { x: { type: integer, min: "
		"1 } } }, "
		"required: false }\n"
		"    env: { A: b }\n"
		"    read: [/srv/a, \"/srv/b:/b\"]\n"
		"    test: [ { args: { u: x }, expect: deny } ]\n"
		"  s:\n"
		"    kind: command\n"
		"    programs: [ls]\n"
		"    screen: { mode: warn, rules: { command.sudo: off } }\n";

	policy_free(policy_of(text));
	CHECK(judge(text, strlen(text)) == ANSWER_ALLOW);
}

TEST(the_schema_refuses_what_the_reader_refuses)
{
	static const char *const texts[] = {
		"version: 2\n",
		"tools: {}\n",
		"version: 1\ntool: {}\n",
		"version: 1\ntools: { t: { kind: comand } }\n",
		"version: 1\ntools: { t: { kind: code, languages: python } }\n",
		"version: 1\ntools: { t: { kind: code, languages: [perl] } }\n",
		"version: 1\ntools: { t: { kind: code, languages: [bash], loopback: maybe } }\n",
		"version: 1\nclients: { a: { tools: [], budget: { calls: 1 } } }\n",
		"version: 1\nclients: { a: { tools: [], rate: { limit: 0, per: 1m } } }\n",
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		CHECK(judge(texts[i], strlen(texts[i])) == ANSWER_DENY);
}

TEST(the_manual_names_every_setting_once_in_its_section)
{
	struct sectionlist sections;
	own(buf) text;
	struct error err = {0};
	char line[100];

	buf_init(&text, 4 << 20);
	CHECK(settings_manual(&text, &err) == 0);
	sectionlist_fill(&sections);
	CHECK(sections.n >= 8);
	for (size_t i = 0; i < sections.n; i++) {
		const char *at;

		(void)snprintf(line, sizeof(line), ".Ss %s\n", sections.list[i]->name);
		at = strstr(buf_str(&text), line);
		CHECK(at != NULL);
		for (size_t k = 0; at && k < sections.list[i]->n_rows; k++) {
			const struct setting *row = &sections.list[i]->rows[k];

			CHECK(row->help && row->help[0]);
			(void)snprintf(line, sizeof(line), "\n.It Ic %s", row->key);
			at = strstr(at, line);
			CHECK(at != NULL);
		}
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/* finish.c - what rows cannot say one by one: clients, budgets, arguments, tests, screening,
 * redaction.
 *
 * A tool's are in finish_tool.c.
 */
#include <string.h>

#include "base/match.h"
#include "policy/reader.h"
#include "policy/sources.h"

void finish_client(struct reader *r, const struct node *n, void *target)
{
	struct client *c = target;
	const struct node *key = node_find(n, "key_sha256"), *tools = node_find(n, "tools");
	const struct node *uid = node_find(n, "uid");
	const struct node *item = tools && tools->kind == NODE_LIST ? tools->first : NULL;

	if (!key && !node_find(n, "cert") && (!uid || (uid->kind == NODE_LIST && uid->n == 0)))
		reader_complain(r, n->key ? n->key : n,
				"nobody can be this client: give key_sha256 or uid");
	for (unsigned bit = 1; scope_name(bit); bit <<= 1)
		for (size_t i = 0; i < c->scope_words.n; i++)
			if (strcmp(c->scope_words.word[i], scope_name(bit)) == 0)
				c->scopes |= bit;
	/* What was written and could not be read is complained about, and grants nothing. */
	if (!node_find(n, "scopes"))
		c->scopes = SCOPE_EXECUTE | SCOPE_READ;
	for (size_t i = 0; item && i < c->tools.n; i++, item = item->next) {
		size_t old = reader_enter(r, ".tools[%zu]", i);

		reader_refer(r, item, c->tools.word[i]);
		reader_leave(r, old);
	}
}

void finish_budget(struct reader *r, const struct node *n, void *target)
{
	const struct budget *b = target;

	if (b->calls == 0 && b->cpu_ms == 0 && b->output_bytes == 0)
		reader_complain(r, n, "a budget needs at least one of calls, cpu and output");
}

void finish_argument(struct reader *r, const struct node *n, void *target)
{
	struct arg_rule *a = target;
	const struct node *required = node_find(n, "required");

	if (!a->name)
		a->name = "[]";
	a->has_min = a->min != NULL;
	a->has_max = a->max != NULL;
	if (!required)
		a->required = a->standard == NULL;
	else if (a->required && node_find(n, "default"))
		reader_complain(r, required, "what has a default need not be given: leave one out");
}

void finish_test(struct reader *r, const struct node *n, void *target)
{
	struct policy_test *t = target;
	const struct node *args = node_find(n, "args");
	struct error err;
	size_t old = reader_enter_key(r, "args");

	if (args && t->args && !json_is_object(t->args)) {
		reader_complain(r, args, "a map is expected here, not %s", node_kind_name(args));
	} else if (!args) {
		t->args = json_object();
		if (policy_keep_json(r->policy, t->args, &err) < 0)
			reader_complain(r, n, "%s", err.text);
	}
	reader_leave(r, old);
}

void finish_screen(struct reader *r, const struct node *n, void *target)
{
	struct screen_policy *s = target;

	(void)r;
	s->has_imports = s->has_imports || node_find(n, "imports") != NULL;
}

void finish_own_rule(struct reader *r, const struct node *n, void *target)
{
	struct screen_own_rule *rule = target;
	size_t old = reader_enter_key(r, "pattern");
	struct error err;

	if (rule->pattern) {
		rule->match = match_new(rule->pattern, &err);
		if (!rule->match || policy_keep_match(r->policy, rule->match, &err) < 0)
			reader_complain(r, node_find(n, "pattern"), "%s", err.text);
	}
	reader_leave(r, old);
	if (!node_find(n, "pattern") && !node_find(n, "imports") && !node_find(n, "calls"))
		reader_complain(r, n, "this finds nothing: give imports, calls or pattern");
}

void finish_redact(struct reader *r, const struct node *n, void *target)
{
	struct redact_policy *p = target;

	(void)r;
	p->has_groups = p->has_groups || node_find(n, "groups") != NULL;
}

void finish_run(struct reader *r, const struct node *n, void *target)
{
	struct run_policy *run = target;
	const struct redact_policy *common = &r->defaults->redact;
	const struct node *own = node_find(n, "redact");

	run->has_may = node_find(n, "may") != NULL;
	/* Key by key, as tools take it from the defaults. */
	if (!own || !node_find(own, "mode"))
		run->redact.off = common->off;
	if (!own || !node_find(own, "groups")) {
		run->redact.has_groups = common->has_groups;
		run->redact.groups = common->groups;
	}
	if (!own || !node_find(own, "own")) {
		run->redact.own = common->own;
		run->redact.n_own = common->n_own;
	}
}

/* Whether it can be compiled is asked by the gate, which knows who compiles. */
void finish_redact_rule(struct reader *r, const struct node *n, void *target)
{
	const struct redact_own_rule *rule = target;
	size_t old = reader_enter_key(r, "id");

	if (rule->id && !read_is_name(rule->id))
		reader_complain(r, node_find(n, "id"),
				"'%.70s' is no name: 1 to 64 letters, digits, '_', '.' or '-'",
				rule->id);
	reader_leave(r, old);
}

void finish_secret(struct reader *r, const struct node *n, void *target)
{
	struct secret *s = target;
	size_t old = reader_enter_key(r, "env");
	struct error err;

	if (s->env && !read_is_variable(s->env))
		reader_complain(r, node_find(n, "env"),
				"the name of a variable has letters, digits and _ only, and does "
				"not begin with a digit");
	reader_leave(r, old);
	if (!s->file)
		return;
	s->file = sources_path(r->sources, n, s->file, &err);
	if (!s->file)
		reader_complain(r, n, "%s", err.text);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* gateload.c - a policy with everything checked that needs more than one stage. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/jsonread.h"
#include "base/own.h"
#include "base/text.h"
#include "gate/gate.h"
#include "sandbox/native/grants.h"
#include "screen/findings.h"

/* Names of screening rules. */

static bool rule_exists(const char *name)
{
	const struct screen_row *rows;
	size_t n;

	rows = screen_rows(&n);
	for (size_t i = 0; i < n; i++)
		if (strcmp(rows[i].id, name) == 0 || glob_match(name, rows[i].id))
			return true;
	return false;
}

static bool is_own_rule(const struct screen_policy *s, const char *name)
{
	for (size_t i = 0; i < s->n_own; i++)
		if (strcmp(s->own[i].id, name) == 0 || glob_match(name, s->own[i].id))
			return true;
	return false;
}

static const char *nearest_rule(const char *name)
{
	const struct screen_row *rows;
	const char **names, *near = NULL;
	size_t n;

	rows = screen_rows(&n);
	names = calloc(n + 1, sizeof(*names));
	for (size_t i = 0; names && i < n; i++)
		names[i] = rows[i].id;
	if (names)
		near = text_nearest(name, names);
	free(names);
	return near;
}

static bool words_have(const struct words *w, const char *word)
{
	for (size_t i = 0; i < w->n; i++)
		if (strcmp(w->word[i], word) == 0)
			return true;
	return false;
}

static void check_modes(const struct tool *t, struct complaints *ret)
{
	char path[160];

	for (size_t i = 0; i < t->screen.n_modes; i++) {
		const struct screen_rule_mode *m = &t->screen.modes[i];
		const char *near;

		if (rule_exists(m->rule) || is_own_rule(&t->screen, m->rule))
			continue;
		near = nearest_rule(m->rule);
		(void)snprintf(path, sizeof(path), "tools.%s.screen.rules.%s", t->name, m->rule);
		complain(ret, m->place, path, "there is no screening rule '%s'%s%s%s", m->rule,
			 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	}
}

/* A list of modules that nothing keeps to is a mistake, not a wish. */
static void check_imports(const struct tool *t, struct complaints *ret)
{
	static const char *const rules[][2] = {{"python", "python.import"},
					       {"node", "node.import"}};
	const struct screen_row *rows;
	char path[160];
	size_t n;

	rows = screen_rows(&n);
	(void)snprintf(path, sizeof(path), "tools.%s.screen.imports", t->name);
	for (size_t k = 0; t->screen.has_imports && k < ARRAY_LEN(rules); k++)
		for (size_t i = 0; words_have(&t->languages, rules[k][0]) && i < n; i++)
			if (strcmp(rows[i].id, rules[k][1]) == 0 &&
			    screen_mode_of(&t->screen, &rows[i]) == SCREEN_OFF)
				complain(ret, t->place, path,
					 "counts for nothing: %s is off; give it a mode of its "
					 "own under rules",
					 rules[k][1]);
}

static void check_constructs(const struct tool *t, struct complaints *ret)
{
	char path[160];

	for (size_t i = 0; i < t->screen.allow.n; i++) {
		const char *word = t->screen.allow.word[i];
		const char *near;

		if (shell_construct(word))
			continue;
		near = text_nearest(word, shell_construct_names);
		(void)snprintf(path, sizeof(path), "tools.%s.screen.allow", t->name);
		complain(ret, t->place, path, "a command line has no construct '%s'%s%s%s", word,
			 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	}
}

/* Places that every box has for itself.  What a pattern matches is asked when it is known. */
static void check_places(const struct tool *t, struct complaints *ret)
{
	for (size_t i = 0; i < t->n_mounts; i++) {
		const struct mount_rule *m = &t->mounts[i];
		const struct grant g = {.source = m->source,
					.inside = m->inside ? m->inside : m->source,
					.write = m->write};
		struct error err = {0};
		char path[160];

		(void)snprintf(path, sizeof(path), "tools.%s", t->name);
		if (grants_check_place(&g, &err) < 0)
			complain(ret, m->place, path, "%s", err.text);
	}
}

static void label(struct tool *t)
{
	const struct words *wall = t->programs.n ? &t->programs : &t->exec;
	size_t n = t->programs.n ? wall->n : (wall->n ? 1 : 0);

	for (size_t i = 0; i < n; i++) {
		const char *slash = strrchr(wall->word[i], '/');

		t->holds_interpreter |= shell_is_interpreter(slash ? slash + 1 : wall->word[i]);
	}
}

/* The tests in the file. */

static const char *first_client(const struct policy *p, const struct tool *t)
{
	for (size_t i = 0; i < p->n_clients; i++)
		if (policy_may_see(&p->clients[i], t->name))
			return p->clients[i].name;
	return NULL;
}

static void judge_test(const struct policy *p, const struct tool *t, const struct policy_test *test,
		       struct passage *ret)
{
	passage_init(ret);
	ret->policy = p;
	ret->dry_run = true;
	ret->call = (struct tool_call){
		.client = test->client ? test->client : first_client(p, t),
		.tool = t->name,
		.args = test->args,
	};
	gate_pass(ret);
}

static bool is_as_expected(const struct policy_test *test, const struct passage *p)
{
	if (p->decision != test->expect)
		return false;
	return !test->rule || strncmp(p->why.rule, test->rule, strlen(test->rule)) == 0;
}

void gate_test_one(const struct policy *p, const struct tool *t, size_t i, struct complaints *ret)
{
	const struct policy_test *test = &t->tests[i];
	struct policy_test filled = *test;
	own(passage) passage;
	own_json nothing = json_object();
	char path[160];

	(void)snprintf(path, sizeof(path), "tools.%s.test[%zu]", t->name, i);
	if (!test->args)
		filled.args = nothing;
	judge_test(p, t, &filled, &passage);
	if (!test->client && !first_client(p, t))
		complain(ret, test->place, path, "no client may use '%s'", t->name);
	else if (is_as_expected(test, &passage))
		return;
	else if (passage.decision == DECISION_ALLOW)
		complain(ret, test->place, path, "%s%sexpected %s, but the call is allowed",
			 test->name ? test->name : "", test->name ? ": " : "",
			 decision_name(test->expect));
	else
		complain(ret, test->place, path, "%s%sexpected %s%s%s, but it is %s by %s: %s",
			 test->name ? test->name : "", test->name ? ": " : "",
			 decision_name(test->expect), test->rule ? " by " : "",
			 test->rule ? test->rule : "", decision_name(passage.decision),
			 passage.why.rule, passage.why.what);
}

void gate_test(const struct policy *p, size_t *ret_n, struct complaints *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_tools; i++)
		for (size_t k = 0; k < p->tools[i].n_tests; k++, n++)
			gate_test_one(p, &p->tools[i], k, ret);
	if (ret_n)
		*ret_n = n;
}

struct policy *gate_check(const char *file, struct complaints *ret)
{
	own_policy p = policy_load(file, ret);

	if (!p)
		return NULL;
	for (size_t i = 0; i < p->n_tools; i++) {
		check_modes(&p->tools[i], ret);
		check_imports(&p->tools[i], ret);
		check_constructs(&p->tools[i], ret);
		check_places(&p->tools[i], ret);
		label(&p->tools[i]);
	}
	return ret->n ? NULL : TAKE(p);
}

struct policy *gate_load(const char *file, struct complaints *ret)
{
	own_policy p = gate_check(file, ret);

	if (!p)
		return NULL;
	gate_test(p, NULL, ret);
	return ret->n ? NULL : TAKE(p);
}

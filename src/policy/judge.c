/* SPDX-License-Identifier: Apache-2.0 */
/* judge.c - one call against the policy: who, which tool, which arguments.
 *
 * A list of checks in order; the first no ends it.  Nothing is allowed by the
 * last line of a check but by the end of the list: a check that returns early
 * or is left out denies.  What the tool gets is never the object that came in:
 * a new one is made, of values that were looked at one by one.
 */
#include "policy/judge.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/jsonread.h"
#include "base/own.h"
#include "base/text.h"
#include "policy/jsonschema.h"

enum { JUDGED_BYTES_MAX = 64 << 20, ARGV_WORDS_MAX = 1024, NAMES_SHOWN = 24 };

struct judging {
	const struct policy *policy;
	const struct tool_call *call;
	struct judged *j;
};

void judged_init(struct judged *j)
{
	*j = (struct judged){0};
	arena_init(&j->arena, JUDGED_BYTES_MAX);
}

void judged_done(struct judged *j)
{
	path_grants_done(&j->paths);
	json_decref(j->args);
	arena_done(&j->arena);
	*j = (struct judged){0};
}

void judged_end(struct judged *j)
{
	judged_done(j);
}

static bool is_pattern(const char *word)
{
	return strpbrk(word, "*?[") != NULL;
}

bool policy_may_see(const struct client *c, const char *tool)
{
	for (size_t i = 0; i < c->tools.n; i++) {
		const char *word = c->tools.word[i];

		if (strcmp(word, tool) == 0 || (is_pattern(word) && glob_match(word, tool)))
			return true;
	}
	return false;
}

/* For policy explain only: one that finds no room is left out. */
__attribute__((format(printf, 4, 5))) static void note(struct judging *g, const char *rule,
						       struct place place, const char *fmt, ...)
{
	struct judged *j = g->j;
	struct error ignored;
	char words[400];
	va_list args;

	if (j->n_trace == TRACE_MAX)
		return;
	va_start(args, fmt);
	(void)vsnprintf(words, sizeof(words), fmt, args);
	va_end(args);
	j->trace[j->n_trace] = (struct trace_line){
		.rule = arena_str(&j->arena, rule, &ignored),
		.words = arena_str(&j->arena, words, &ignored),
		.place = place,
		.answer = ANSWER_ALLOW,
	};
	if (j->trace[j->n_trace].rule && j->trace[j->n_trace].words)
		j->n_trace++;
}

/* "tools.NAME.what" */
static const char *rule_of(const struct judging *g, const char *what, char *ret, size_t room)
{
	(void)snprintf(ret, room, "tools.%s.%s", g->j->tool->name, what);
	return ret;
}

__attribute__((format(printf, 3, 4))) static enum answer refuse(struct judging *g, const char *what,
								const char *fmt, ...)
{
	char rule[160], text[400];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return why_deny(&g->j->why, WHY_POLICY, rule_of(g, what, rule, sizeof(rule)), "%s", text);
}

static void join(const char *const *words, size_t n, char *ret, size_t room)
{
	size_t used = 0;

	ret[0] = '\0';
	for (size_t i = 0; i < n && used < room; i++) {
		const char *word = i < NAMES_SHOWN ? words[i] : "...";

		used += (size_t)snprintf(ret + used, room - used, "%s%s", i ? ", " : "", word);
		if (i == NAMES_SHOWN)
			return;
	}
}

/* Who. */

static void note_client(struct judging *g)
{
	const struct client *client = g->j->client;
	char rule[160];

	(void)snprintf(rule, sizeof(rule), "clients.%s", client->name);
	if (g->call->client)
		note(g, rule, client->place, "the client is '%s', by name", g->call->client);
	else
		note(g, rule, client->place, "the client is '%s', by uid %u", client->name,
		     (unsigned)g->call->uid);
}

static enum answer find_client(struct judging *g)
{
	const struct tool_call *c = g->call;
	struct judged *j = g->j;

	j->client = c->client ? policy_client(g->policy, c->client)
			      : policy_client_by_uid(g->policy, c->uid);
	if (j->client) {
		if (!j->untold)
			note_client(g);
		return ANSWER_ALLOW;
	}
	if (c->client)
		return why_deny(&j->why, WHY_POLICY, "clients", "there is no client '%.64s'",
				c->client);
	return why_deny(&j->why, WHY_POLICY, "clients", "uid %u is no client of this policy",
			(unsigned)c->uid);
}

/* Which tool.  What this client may not see is as if it was not there: the words below depend on
 * nothing but the name that was asked for and on what the client may see. */

static enum answer say_unknown(struct judging *g)
{
	const struct policy *p = g->policy;
	const char **names = calloc(p->n_tools + 1, sizeof(*names));
	char list[240];
	const char *near;
	size_t n = 0;

	(void)why_deny(&g->j->why, WHY_POLICY, "tools", "there is no tool '%.64s'", g->call->tool);
	for (size_t i = 0; names && i < p->n_tools; i++)
		if (policy_may_see(g->j->client, p->tools[i].name))
			names[n++] = p->tools[i].name;
	near = names ? text_nearest(g->call->tool, names) : NULL;
	join(names, n, list, sizeof(list));
	if (near)
		why_hint(&g->j->why, "did you mean '%s'?", near);
	else if (n)
		why_hint(&g->j->why, "the tools are: %s", list);
	free(names);
	return ANSWER_DENY;
}

static enum answer find_tool(struct judging *g)
{
	const struct tool *tool = policy_tool(g->policy, g->call->tool);
	const struct client *client = g->j->client;
	char rule[160];

	if (!tool || !policy_may_see(client, tool->name))
		return say_unknown(g);
	g->j->tool = tool;
	if (g->j->untold)
		return ANSWER_ALLOW;
	(void)snprintf(rule, sizeof(rule), "clients.%s.tools", client->name);
	note(g, rule, client->place, "'%s' may use '%s'", client->name, tool->name);
	return ANSWER_ALLOW;
}

static enum answer look_at_decision(struct judging *g)
{
	const struct tool *tool = g->j->tool;
	char rule[160];

	if (tool->decision != DECISION_ALLOW && tool->decision != DECISION_ASK) {
		(void)refuse(g, "decision", "the policy denies every call of '%s'", tool->name);
		why_hint(&g->j->why, "do it with another tool");
		return ANSWER_DENY;
	}
	if (!g->j->untold)
		note(g, rule_of(g, "decision", rule, sizeof(rule)), tool->place,
		     "the decision is %s", decision_name(tool->decision));
	return ANSWER_ALLOW;
}

/* Which arguments. */

static enum answer out_of_memory(struct judging *g)
{
	struct error err = {0};

	return why_internal(&g->j->why, &err);
}

static enum answer say_undeclared(struct judging *g, const char *key, const char *const *names)
{
	const char *near = text_nearest(key, names);
	char list[240];
	size_t n = 0;

	while (names[n])
		n++;
	join(names, n, list, sizeof(list));
	(void)refuse(g, "args", "'%s' takes no argument '%.64s'", g->j->tool->name, key);
	if (near)
		why_hint(&g->j->why, "did you mean '%s'?", near);
	else
		why_hint(&g->j->why, "leave out '%.64s'; it takes: %s", key, list);
	return ANSWER_DENY;
}

static enum answer only_these(struct judging *g, const char *const *names)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)g->call->args, key, value)
	{
		size_t i = 0;

		while (names[i] && strcmp(names[i], key) != 0)
			i++;
		if (!names[i])
			return say_undeclared(g, key, names);
	}
	return ANSWER_ALLOW;
}

static enum answer refuse_type(struct judging *g, const char *key, const char *expected,
			       const json_t *got)
{
	char what[96];

	(void)snprintf(what, sizeof(what), "args.%s.type", key);
	(void)refuse(g, what, "'%s' must be %s, not %s", key, expected, jsonread_kind(got));
	why_hint(&g->j->why, "give %s", expected);
	return ANSWER_DENY;
}

/* A string of the caller's, if it is there: into args, and where it is. */
static enum answer take_text(struct judging *g, const char *key, const char **ret, size_t *ret_len)
{
	json_t *value = json_object_get(g->call->args, key);
	const char *text = json_string_value(value);

	*ret = NULL;
	*ret_len = 0;
	if (!value)
		return ANSWER_ALLOW;
	if (!text)
		return refuse_type(g, key, "a string", value);
	if (strlen(text) != json_string_length(value))
		return refuse(g, "args", "'%s' holds a NUL", key);
	if (json_object_set(g->j->args, key, value) < 0)
		return out_of_memory(g);
	*ret = text;
	*ret_len = json_string_length(value);
	return ANSWER_ALLOW;
}

static enum answer take_input(struct judging *g)
{
	return take_text(g, "stdin", &g->j->input, &g->j->input_len);
}

static enum answer take_language(struct judging *g)
{
	const struct words *known = &g->j->tool->languages;
	const char *asked;
	char list[120];
	size_t len;

	if (take_text(g, "language", &asked, &len) == ANSWER_DENY)
		return ANSWER_DENY;
	if (!asked && known->n > 0) /* {tool_name, code} is a whole call */
		asked = known->word[0];
	for (size_t i = 0; asked && i < known->n; i++)
		if (strcmp(asked, known->word[i]) == 0) {
			g->j->language = known->word[i];
			return json_object_set_new(g->j->args, "language", json_string(asked)) < 0
				       ? out_of_memory(g)
				       : ANSWER_ALLOW;
		}
	if (asked)
		(void)refuse(g, "languages", "'%.40s' is no language of this tool", asked);
	else
		(void)refuse(g, "args.language.required", "the argument 'language' is missing");
	join(known->word, known->n, list, sizeof(list));
	why_hint(&g->j->why, "language is one of: %s", list);
	return ANSWER_DENY;
}

static enum answer judge_code(struct judging *g)
{
	static const char *const names[] = {"code", "language", "stdin", NULL};
	struct judged *j = g->j;

	if (only_these(g, names) == ANSWER_DENY || take_language(g) == ANSWER_DENY ||
	    take_text(g, "code", &j->code, &j->code_len) == ANSWER_DENY)
		return ANSWER_DENY;
	if (!j->code) {
		(void)refuse(g, "args.code.required", "the argument 'code' is missing");
		why_hint(&j->why, "code is the text of the program");
		return ANSWER_DENY;
	}
	return take_input(g);
}

static enum answer take_argv(struct judging *g, json_t *list)
{
	struct judged *j = g->j;
	size_t n = json_array_size(list);
	struct error err;

	if (!json_is_array(list))
		return refuse_type(g, "argv", "a list of strings", list);
	if (n == 0 || n > ARGV_WORDS_MAX)
		return refuse(g, "args.argv.max_len", "'argv' must have 1 to %d words",
			      ARGV_WORDS_MAX);
	j->argv = arena_array(&j->arena, n + 1, sizeof(*j->argv), &err);
	if (!j->argv)
		return out_of_memory(g);
	for (size_t i = 0; i < n; i++) {
		json_t *word = json_array_get(list, i);
		const char *text = json_string_value(word);

		if (!text)
			return refuse_type(g, "argv", "a list of strings", word);
		if (strlen(text) != json_string_length(word))
			return refuse(g, "args", "'argv' holds a NUL");
		j->argv[i] = (char *)(uintptr_t)text;
	}
	return json_object_set(j->args, "argv", list) < 0 ? out_of_memory(g) : ANSWER_ALLOW;
}

/* The caller's own command line, within the tool's programs. */
static enum answer judge_line(struct judging *g)
{
	static const char *const names[] = {"command", "argv", "stdin", NULL};
	json_t *argv = json_object_get(g->call->args, "argv");
	const char *command;
	size_t len;

	if (only_these(g, names) == ANSWER_DENY ||
	    take_text(g, "command", &command, &len) == ANSWER_DENY)
		return ANSWER_DENY;
	if ((command != NULL) == (argv != NULL)) {
		(void)refuse(g, "args", "give either 'command' or 'argv'%s",
			     argv ? ", not both" : "");
		why_hint(&g->j->why, "command is a line of text, argv a list of words");
		return ANSWER_DENY;
	}
	g->j->command = command;
	if (argv && take_argv(g, argv) == ANSWER_DENY)
		return ANSWER_DENY;
	return take_input(g);
}

static enum answer judge_by_schema(struct judging *g)
{
	struct judged *j = g->j;
	char prefix[160];

	if (jsonschema_judge(j->tool->schema, g->call->args,
			     rule_of(g, "schema", prefix, sizeof(prefix)), &j->why) == ANSWER_DENY)
		return ANSWER_DENY;
	json_decref(j->args);
	j->args = json_deep_copy(g->call->args);
	return j->args ? ANSWER_ALLOW : out_of_memory(g);
}

static enum answer judge_declared(struct judging *g)
{
	struct judged *j = g->j;
	char prefix[160];
	json_t *made = NULL;

	if (j->tool->schema)
		return judge_by_schema(g);
	if (arguments_judge(&j->tool->args, g->call->args,
			    rule_of(g, "args", prefix, sizeof(prefix)), &j->paths, &made,
			    &j->why) == ANSWER_DENY) {
		json_decref(made);
		return ANSWER_DENY;
	}
	json_decref(j->args);
	j->args = made;
	return ANSWER_ALLOW;
}

static enum answer write_input(struct judging *g)
{
	own_str text = jsonread_text(g->j->args);
	struct error err;

	g->j->input = text ? arena_str(&g->j->arena, text, &err) : NULL;
	if (!g->j->input)
		return out_of_memory(g);
	g->j->input_len = strlen(g->j->input);
	return ANSWER_ALLOW;
}

static enum answer judge_command(struct judging *g)
{
	const struct tool *tool = g->j->tool;

	if (tool->exec.n == 0)
		return judge_line(g);
	if (judge_declared(g) == ANSWER_DENY ||
	    template_fill(tool, g->j->args, &g->j->arena, &g->j->argv, &g->j->why) == ANSWER_DENY)
		return ANSWER_DENY;
	return tool->input_json ? write_input(g) : ANSWER_ALLOW;
}

static enum answer (*const by_kind[])(struct judging *) = {
	[KIND_NONE] = NULL,
	[KIND_CODE] = judge_code,
	[KIND_COMMAND] = judge_command,
	[KIND_FETCH] = judge_declared,
};
static_assert(ARRAY_LEN(by_kind) == KIND_COUNT, "one row per kind");

static enum answer judge_arguments(struct judging *g)
{
	const struct tool *tool = g->j->tool;
	char rule[160];

	if (!json_is_object(g->call->args))
		return why_deny(&g->j->why, WHY_REQUEST, "args", "the arguments must be an object");
	g->j->args = json_object();
	if (!g->j->args)
		return out_of_memory(g);
	if (tool->kind >= KIND_COUNT || !by_kind[tool->kind])
		return refuse(g, "kind", "'%s' has no kind", tool->name);
	if (by_kind[tool->kind](g) == ANSWER_DENY)
		return ANSWER_DENY;
	if (!g->j->untold)
		note(g, rule_of(g, tool->schema ? "schema" : "args", rule, sizeof(rule)),
		     tool->place, "the arguments are what a %s tool takes",
		     tool_kind_name(tool->kind));
	return ANSWER_ALLOW;
}

/* Judged like every other call, so that a policy can be written and tested; refused all the same.
 */
static enum answer look_at_network(struct judging *g)
{
	const struct tool *tool = g->j->tool;
	bool fetch = tool->kind == KIND_FETCH;
	char rule[160];

	if (!fetch && tool->hosts.n == 0)
		return ANSWER_ALLOW;
	(void)why_deny(&g->j->why, WHY_EGRESS,
		       rule_of(g, fetch ? "kind" : "hosts", rule, sizeof(rule)),
		       "named network access does not exist in this version");
	why_hint(&g->j->why, "do it without the network");
	return ANSWER_DENY;
}

/* Last: a call that is wrong anyway is not worth anybody's attention. */
static enum answer ask_somebody(struct judging *g)
{
	if (g->j->tool->decision == DECISION_ALLOW)
		return ANSWER_ALLOW;
	g->j->decision = DECISION_ASK;
	(void)refuse(g, "decision",
		     "a call of '%s' needs a person's approval, and nobody is here to give it",
		     g->j->tool->name);
	why_hint(&g->j->why, "do it with another tool, or tell the operator what you need");
	return ANSWER_DENY;
}

static enum answer look_at_sessions(struct judging *g)
{
	const struct tool *tool = g->j->tool;

	if (tool->sessions.allow)
		return ANSWER_ALLOW;
	(void)refuse(g, "sessions", "'%s' has no sessions", tool->name);
	why_hint(&g->j->why, "call it once for each thing to do");
	return ANSWER_DENY;
}

typedef enum answer check(struct judging *);

static check *const checks[] = {
	find_client,      /* who calls */
	find_tool,        /* is there such a tool, for this client */
	look_at_decision, /* deny beats everything */
	judge_arguments,  /* declared, typed, bounded; made anew */
	look_at_network,  /* does not exist yet */
	ask_somebody,     /* keep last */
};

static check *const session_checks[] = {
	find_client,      /* as above */
	find_tool,        /* */
	look_at_decision, /* */
	look_at_sessions, /* may a box of it be kept */
	look_at_network,  /* */
	ask_somebody,     /* keep last */
};

static enum answer walk(struct judging *g, check *const *list, size_t n)
{
	assert(g->j->decision == DECISION_DENY && g->j->n_trace == 0);
	for (size_t i = 0; i < n; i++)
		if (list[i](g) != ANSWER_ALLOW)
			return ANSWER_DENY;
	g->j->decision = DECISION_ALLOW;
	return ANSWER_ALLOW;
}

enum answer policy_judge(const struct policy *p, const struct tool_call *call, struct judged *ret)
{
	struct judging g = {.policy = p, .call = call, .j = ret};

	return walk(&g, checks, ARRAY_LEN(checks));
}

enum answer policy_judge_session(const struct policy *p, const struct tool_call *call,
				 struct judged *ret)
{
	struct judging g = {.policy = p, .call = call, .j = ret};

	return walk(&g, session_checks, ARRAY_LEN(session_checks));
}

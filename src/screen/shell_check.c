/* SPDX-License-Identifier: Apache-2.0 */
/* shell_check.c - command lines: read, judge every command in them, write them again. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/match.h"
#include "base/text.h"
#include "screen/shell_tree.h"

enum { BUDGET_MS = 50, PROGRAMS_SHOWN = 256 };

struct check {
	const struct words *programs;
	const struct screen_policy *rules;
	struct sieve sieve;
	struct arena *arena;
	struct why denied;   /* the first command that is not one of the programs */
	const char *allowed; /* the hint that names them; NULL: nobody needed it */
	uint64_t end_us;
	bool out_of_time, out_of_memory;
};

static unsigned constructs_of(const struct screen_policy *rules)
{
	unsigned allow = 0;

	if (!rules->allow.word)
		return SHELL_STANDARD;
	for (size_t i = 0; i < rules->allow.n; i++)
		allow |= shell_construct(rules->allow.word[i]);
	return allow;
}

static bool is_listed(const struct words *programs, const char *name)
{
	for (size_t i = 0; i < programs->n; i++)
		if (strcmp(programs->word[i], name) == 0)
			return true;
	return programs->n == 0;
}

/* A program of the same base name, or one with a name that is close. */
static const char *nearest(const struct words *programs, const char *name)
{
	const char *names[257];
	size_t n = 0;

	for (size_t i = 0; i < programs->n; i++)
		if (strcmp(shell_base_name(programs->word[i]), shell_base_name(name)) == 0)
			return programs->word[i];
	for (; n < programs->n && n < 256; n++)
		names[n] = programs->word[n];
	names[n] = NULL;
	return text_nearest(name, names);
}

static void list_programs(const struct words *programs, char *ret, size_t room)
{
	size_t used = 0;

	ret[0] = '\0';
	for (size_t i = 0; i < programs->n; i++) {
		size_t len = strlen(programs->word[i]);

		if (used + len + 8 > room) {
			(void)snprintf(ret + used, room - used, ", ...");
			return;
		}
		used += (size_t)snprintf(ret + used, room - used, "%s%s", i ? ", " : "",
					 programs->word[i]);
	}
}

static const char *hint_programs(struct check *c)
{
	char list[PROGRAMS_SHOWN];
	struct error err;

	if (c->allowed)
		return c->allowed;
	list_programs(c->programs, list, sizeof(list));
	c->allowed = arena_printf(c->arena, &err, "allowed: %s", list);
	c->out_of_memory |= !c->allowed;
	return c->allowed;
}

static void deny_program(struct check *c, const char *name)
{
	const char *close = nearest(c->programs, name);
	char list[PROGRAMS_SHOWN];

	if (c->denied.layer != WHY_NONE)
		return;
	(void)why_deny(&c->denied, WHY_SCREEN, "programs",
		       "'%.100s' is not one of this tool's programs", name);
	list_programs(c->programs, list, sizeof(list));
	if (close)
		why_hint(&c->denied, "did you mean '%s'? allowed: %s", close, list);
	else
		why_hint(&c->denied, "allowed: %s", list);
}

static void deny_builtin(struct check *c, const char *name, const char *hint, const char *what)
{
	if (c->denied.layer != WHY_NONE)
		return;
	(void)why_deny(&c->denied, WHY_SCREEN, "command.builtin", "'%s' %s", name, what);
	why_hint(&c->denied, "%s", hint);
}

/* What bash makes of harmless built-ins; our shell is another, but a root may hold bash as sh. */
static void check_builtin_words(struct check *c, const struct shell_words *w)
{
	const char *name = w->word[0]->value;

	if (strcmp(name, "printf") == 0 && w->n > 1 &&
	    (strncmp(w->word[1]->value, "-v", 2) == 0 || w->word[1]->pieces->kind != PIECE_TEXT ||
	     (w->word[1]->live && w->word[1]->pieces->len == 0)))
		deny_builtin(c, name, "write printf '%s\\n' and then the words",
			     "with -v or with a format that is not known sets variables");
	for (size_t i = 1; i < w->n && (strcmp(name, "test") == 0 || strcmp(name, "[") == 0); i++)
		if (strcmp(w->word[i]->value, "-v") == 0 || strcmp(w->word[i]->value, "-R") == 0)
			deny_builtin(c, name, "use -n and the variable",
				     "with -v or -R looks into variables by name");
}

static void check_program(struct check *c, const struct shell_words *w)
{
	const char *name = w->word[0]->value, *hint = NULL;

	switch (shell_builtin(name, &hint)) {
	case BUILTIN_REFUSED:
		deny_builtin(c, name, hint, "changes the shell itself, which is not allowed here");
		return;
	case BUILTIN_HARMLESS:
		check_builtin_words(c, w);
		break;
	case BUILTIN_NONE:
		break;
	}
	if (!is_listed(c->programs, name))
		deny_program(c, name);
}

static bool own_names_program(const struct screen_own_rule *own, const char *name)
{
	for (size_t i = 0; i < own->calls.n; i++)
		if (strcmp(own->calls.word[i], name) == 0 ||
		    strcmp(own->calls.word[i], shell_base_name(name)) == 0)
			return true;
	return false;
}

static void find_own(struct check *c, const struct screen_own_rule *own,
		     const struct shell_words *w)
{
	if (own_names_program(own, w->word[0]->value))
		sieve_add_own(&c->sieve, own, w->word[0]->at, w->word[0]->end - w->word[0]->at);
	for (size_t i = 0; own->match && i < w->n; i++) {
		const char *value = w->word[i]->value;

		if (clock_us() > c->end_us)
			c->out_of_time = true;
		if (c->out_of_time)
			return;
		if (match_part(own->match, value, strlen(value)) != MATCH_NO)
			sieve_add_own(&c->sieve, own, w->word[i]->at,
				      w->word[i]->end - w->word[i]->at);
	}
}

static void check_words(struct check *c, const struct shell_words *w, bool fed)
{
	/* How else to use a program is no hint where there is no such program. */
	if (!is_listed(c->programs, w->word[0]->value))
		c->sieve.hint = hint_programs(c);
	shell_rules_command(&c->sieve, w, fed);
	c->sieve.hint = NULL;
	for (size_t i = 0; i < c->rules->n_own; i++)
		if (strcmp(c->rules->own[i].language, "command") == 0)
			find_own(c, &c->rules->own[i], w);
}

static void check_list(struct check *c, const struct shell_list *list, bool fed);

/* Commands inside the words. */
static void check_insides(struct check *c, const struct shell_word *word)
{
	for (; word; word = word->next)
		for (const struct shell_piece *p = word->pieces; p; p = p->next)
			if (p->kind == PIECE_SUBSTITUTION)
				check_list(c, p->inside, false);
}

/* fed: what it reads comes from a pipe, a file or a here-document. */
static void check_command(struct check *c, const struct shell_command *command, bool fed)
{
	struct shell_words w = {.n = command->n_words};
	const struct shell_word **words;
	struct error err;
	size_t n = 0;

	for (const struct shell_redirect *r = command->redirects; r; r = r->next) {
		shell_rules_redirect(&c->sieve, r);
		fed |= r->kind == REDIRECT_HEREDOC || r->kind == REDIRECT_READ;
	}
	if (command->kind != COMMAND_SIMPLE) {
		check_list(c, command->inside, fed);
		return;
	}
	check_insides(c, command->assignments);
	check_insides(c, command->words);
	if (command->n_words == 0)
		return;
	words = arena_array(c->arena, command->n_words, sizeof(void *), &err);
	if (!words) {
		c->out_of_memory = true;
		return;
	}
	for (const struct shell_word *word = command->words; word; word = word->next)
		words[n++] = word;
	w.word = words;
	check_program(c, &w);
	check_words(c, &w, fed);
}

static void check_list(struct check *c, const struct shell_list *list, bool fed)
{
	for (const struct shell_pipeline *p = list->pipelines; p; p = p->next)
		for (const struct shell_command *command = p->commands; command;
		     command = command->next)
			check_command(c, command, fed || command != p->commands);
}

static enum answer answer_of(struct check *c, struct why *why)
{
	if (c->out_of_memory || c->sieve.failed)
		return why_internal(why, NULL);
	if (c->out_of_time) {
		(void)why_deny(why, WHY_SCREEN, "screen.budget",
			       "looking at the command took longer than it may");
		return ANSWER_DENY;
	}
	if (findings_answer(c->sieve.found, why) == ANSWER_DENY)
		return ANSWER_DENY;
	if (c->denied.layer == WHY_NONE)
		return ANSWER_ALLOW;
	*why = c->denied;
	return ANSWER_DENY;
}

static struct check start(const struct words *programs, const struct screen_policy *rules,
			  struct arena *a, struct findings *found)
{
	uint64_t budget_ms = rules->budget_ms ? rules->budget_ms : BUDGET_MS;

	found->n = 0;
	found->cut = false;
	return (struct check){
		.programs = programs,
		.rules = rules,
		.arena = a,
		.sieve = {.rules = rules, .arena = a, .found = found},
		.end_us = clock_us() + budget_ms * 1000,
	};
}

/* One command of words alone needs no shell. */
static int make_argv(const struct shell_list *list, struct arena *a, struct shell_reading *ret)
{
	const struct shell_pipeline *p = list->pipelines;
	const struct shell_command *c = p->commands;
	struct error err;
	size_t n = 0;

	if (p->next || p->join != JOIN_END || c->next || c->kind != COMMAND_SIMPLE ||
	    c->assignments || c->redirects)
		return 0;
	for (const struct shell_word *w = c->words; w; w = w->next)
		if (w->live)
			return 0;
	ret->argv = arena_array(a, c->n_words + 1, sizeof(*ret->argv), &err);
	if (!ret->argv)
		return -1;
	for (const struct shell_word *w = c->words; w; w = w->next) {
		ret->argv[n] = arena_str(a, w->value, &err);
		if (!ret->argv[n++])
			return -1;
	}
	ret->simple = true;
	return 0;
}

static struct shell_list *read_text(struct shell_reader *r)
{
	struct error err;

	if (shell_check_bytes(r) < 0)
		return NULL;
	/* Each word takes a byte of the text at least, and one more here for its end. */
	r->store = arena_alloc(r->arena, r->len * 2 + 16, &err);
	if (!r->store) {
		(void)shell_no_memory(r);
		return NULL;
	}
	return shell_parse(r);
}

static enum answer refuse_size(const struct screen_policy *rules, size_t len, struct why *why)
{
	uint64_t most = SHELL_TEXT_MAX;

	if (rules->max_bytes > 0 && rules->max_bytes < most)
		most = rules->max_bytes;
	if (len <= most)
		return ANSWER_ALLOW;
	(void)why_deny(why, WHY_SCREEN, "screen.max_bytes",
		       "the command has %zu bytes; at most %" PRIu64 " are read", len, most);
	why_hint(why, "send large text as the call's stdin");
	return ANSWER_DENY;
}

/* Two things to judge by, a text, memory, and three answers.
 * NOLINTNEXTLINE(readability-function-size) */
enum answer screen_command(const struct words *programs, const struct screen_policy *rules,
			   const char *text, size_t len, struct arena *a, struct findings *ret,
			   struct shell_reading *ret_reading, struct why *why)
{
	struct check c = start(programs, rules, a, ret);
	struct shell_reading reading = {0};
	struct shell_reader r = {
		.text = text, .len = len, .allow = constructs_of(rules), .arena = a, .why = why};
	struct shell_list *list;

	if (refuse_size(rules, len, why) == ANSWER_DENY)
		return ANSWER_DENY;
	list = read_text(&r);
	if (!list)
		return ANSWER_DENY;
	c.sieve.text = text;
	c.sieve.len = len;
	check_list(&c, list, false);
	if (answer_of(&c, why) == ANSWER_DENY)
		return ANSWER_DENY;
	reading.n_commands = r.n_commands;
	reading.text = shell_write(list, len, a);
	if (!reading.text || make_argv(list, a, &reading) < 0)
		return why_internal(why, NULL);
	*ret_reading = reading;
	return ANSWER_ALLOW;
}

/* The words side by side, for the places of findings; each knows where it stands. */
static struct shell_word *place_words(struct check *c, char *const *argv, size_t n)
{
	struct error err;
	struct shell_word *words = arena_array(c->arena, n, sizeof(*words), &err);
	struct shell_piece *text = arena_alloc(c->arena, sizeof(*text), &err);
	size_t len = 0, at = 0;
	char *line;

	for (size_t i = 0; i < n; i++)
		len += strlen(argv[i]) + 1;
	line = arena_alloc(c->arena, len + 1, &err);
	if (!words || !text || !line)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		size_t bytes = strlen(argv[i]);

		memcpy(line + at, argv[i], bytes);
		words[i] = (struct shell_word){
			.at = at, .end = at + bytes, .pieces = text, .value = argv[i]};
		at += bytes;
		line[at++] = ' ';
	}
	c->sieve.text = line;
	c->sieve.len = len;
	return words;
}

enum answer screen_argv(const struct words *programs, const struct screen_policy *rules,
			char *const *argv, struct arena *a, struct findings *ret, struct why *why)
{
	struct check c = start(programs, rules, a, ret);
	const struct shell_word **pointers;
	struct shell_word *words;
	struct shell_words w = {0};
	struct error err;

	while (argv[w.n])
		w.n++;
	if (w.n == 0 || !argv[0][0])
		return why_deny(why, WHY_SCREEN, "command.syntax", "there is no program");
	if (w.n > SHELL_WORDS_MAX)
		return why_deny(why, WHY_SCREEN, "command.syntax", "more than %d words",
				SHELL_WORDS_MAX);
	words = place_words(&c, argv, w.n);
	pointers = arena_array(a, w.n, sizeof(void *), &err);
	if (!words || !pointers)
		return why_internal(why, NULL);
	for (size_t i = 0; i < w.n; i++)
		pointers[i] = &words[i];
	w.word = pointers;
	if (!is_listed(programs, argv[0]))
		deny_program(&c, argv[0]);
	check_words(&c, &w, false);
	return answer_of(&c, why);
}

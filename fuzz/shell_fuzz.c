/* SPDX-License-Identifier: Apache-2.0 */
/* shell_fuzz.c - command lines from any bytes; the first byte says which constructs are allowed.
 *
 * What must hold: every program of an accepted line is a listed one, the line that is written
 * again is read as the same line, and one that a stricter tool accepts, a laxer one reads alike.
 */
#include "fuzz.h"

#include <assert.h>
#include <string.h>

#include "base/own.h"
#include "screen/shell_tree.h"

static const char *listed[] = {"ls",  "cat", "echo", "grep", "find", "sort",
			       "sed", "rg",  "git",  "ping", "jq"};
static const struct words programs = {listed, ARRAY_LEN(listed)};

struct reading {
	struct arena arena;
	struct findings found;
	struct shell_reading reading;
	struct why why;
};

static void reading_end(struct reading *r)
{
	arena_done(&r->arena);
}

static enum answer ask(struct reading *r, const struct screen_policy *rules, const char *text,
		       size_t len)
{
	enum answer answer;

	arena_init(&r->arena, 8 << 20);
	r->why = (struct why){0};
	r->reading = (struct shell_reading){0};
	answer = screen_command(&programs, rules, text, len, &r->arena, &r->found, &r->reading,
				&r->why);
	assert(answer == ANSWER_ALLOW || (r->why.layer != WHY_NONE && r->why.what[0]));
	return answer;
}

static bool is_listed(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(listed); i++)
		if (strcmp(listed[i], name) == 0)
			return true;
	return false;
}

static size_t check_list(const struct shell_list *list);

static size_t check_insides(const struct shell_word *word)
{
	size_t n = 0;

	for (; word; word = word->next)
		for (const struct shell_piece *p = word->pieces; p; p = p->next)
			if (p->kind == PIECE_SUBSTITUTION)
				n += check_list(p->inside);
	return n;
}

static size_t check_command(const struct shell_command *c)
{
	if (c->kind != COMMAND_SIMPLE)
		return check_list(c->inside);
	assert(c->words || c->assignments);
	assert(!c->words || (!c->words->live && is_listed(c->words->value)));
	return 1 + check_insides(c->words) + check_insides(c->assignments);
}

/* How many commands there are. */
static size_t check_list(const struct shell_list *list)
{
	size_t n = 0;

	for (const struct shell_pipeline *p = list->pipelines; p; p = p->next)
		for (const struct shell_command *c = p->commands; c; c = c->next)
			n += check_command(c);
	return n;
}

static void check_tree(const char *text, size_t len, unsigned allow, size_t n_commands)
{
	struct why why;
	struct error err;
	own(arena) a;
	struct shell_reader r = {
		.text = text, .len = len, .allow = allow, .arena = &a, .why = &why};
	struct shell_list *list;

	arena_init(&a, 8 << 20);
	r.store = arena_alloc(&a, len * 2 + 16, &err);
	assert(r.store);
	list = shell_parse(&r);
	assert(list && check_list(list) == n_commands);
}

static unsigned choose(uint8_t byte, struct words *ret, const char **room)
{
	unsigned allow = 0;

	if (byte == 0) /* the standard */
		return SHELL_STANDARD;
	ret->word = room;
	for (unsigned i = 0; shell_construct_names[i]; i++) {
		/* Neighbours go together, so that a byte is enough. */
		if (byte == 0xff || (byte >> (i % 8) & 1)) {
			room[ret->n++] = shell_construct_names[i];
			allow |= 1u << i;
		}
	}
	return allow;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *room[32], *everything[32], *text = (const char *)data + 1;
	struct screen_policy rules = {.budget_ms = 100000};
	struct screen_policy lax = {.budget_ms = 100000};
	own(reading) once, twice;
	unsigned allow;

	arena_init(&once.arena, 0);
	arena_init(&twice.arena, 0);
	if (size == 0)
		return 0;
	allow = choose(data[0], &rules.allow, room);
	if (ask(&once, &rules, text, size - 1) == ANSWER_DENY)
		return 0;
	check_tree(text, size - 1, allow, once.reading.n_commands);
	assert(once.reading.simple == (once.reading.argv != NULL));
	if (once.reading.simple)
		assert(is_listed(once.reading.argv[0]) && once.reading.n_commands == 1);
	if (strlen(once.reading.text) > SHELL_TEXT_MAX)
		return 0;
	if (data[0] & 1) /* by one that allows everything, or by itself */
		(void)choose(0xff, &lax.allow, everything);
	else
		lax.allow = rules.allow;
	assert(ask(&twice, &lax, once.reading.text, strlen(once.reading.text)) == ANSWER_ALLOW);
	assert(strcmp(once.reading.text, twice.reading.text) == 0);
	assert(once.reading.n_commands == twice.reading.n_commands);
	assert(once.reading.simple == twice.reading.simple);
	return 0;
}

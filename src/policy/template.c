/* SPDX-License-Identifier: Apache-2.0 */
/* template.c - a command line made of judged values: one value, within one word, never a shell.
 *
 *   {name}   the value of an argument
 *   {{ }}    a brace
 *
 * A value that begins a word and begins with '-' would be read as an option:
 * "{query}" is not there to say "--output=/etc/x".  Such a word is refused,
 * unless a plain "--" stands before it, or the owner wrote that very value
 * (enum), or it is a number.  A pattern does not count: those that people
 * write, such as [\w-]+, let a '-' in front by accident.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/own.h"
#include "base/text.h"
#include "policy/argspot.h"

enum {
	WORD_MAX = 128 << 10, /* the kernel's MAX_ARG_STRLEN, with its NUL */
	PLACEHOLDER_MAX = 64, /* as long as an argument's name may be */
};

/* One piece of a word. */
struct piece {
	const char *text; /* literal */
	size_t len;
	char name[PLACEHOLDER_MAX + 1]; /* of an argument; empty: literal */
};

/* Takes the next piece off *at.  1: there is one, 0: the end, -1: what stands there is none. */
static int next_piece(const char **at, struct piece *ret, const char **ret_wrong)
{
	const char *p = *at, *end;
	size_t len;

	*ret = (struct piece){.text = p};
	if (!*p)
		return 0;
	if (p[0] == p[1] && (*p == '{' || *p == '}')) {
		ret->len = 1;
		*at = p + 2;
		return 1;
	}
	if (*p == '}') {
		*ret_wrong = "has a '}' without a '{'; }} is the character itself";
		return -1;
	}
	if (*p != '{') {
		ret->len = strcspn(p, "{}");
		*at = p + ret->len;
		return 1;
	}
	end = p + 1 + strcspn(p + 1, "{}");
	len = (size_t)(end - p) - 1;
	if (*end != '}' || len == 0 || len > PLACEHOLDER_MAX) {
		*ret_wrong = "has a '{' that is not followed by an argument's name and '}'; {{ is "
			     "the character itself";
		return -1;
	}
	memcpy(ret->name, p + 1, len);
	ret->name[len] = '\0';
	*at = end + 1;
	return 1;
}

/* What keeps a rule's value out of a word?  NULL: nothing. */
static const char *unfit(const struct arg_rule *r)
{
	if (r->type == ARG_LIST || r->type == ARG_OBJECT)
		return "is a list or object, and one value becomes one argument; use input: json";
	if (!r->required && !r->standard)
		return "may be absent; make it required or give it a default";
	return NULL;
}

static void check_name(const struct arg_rules *rules, const char *name, const char *path,
		       struct place place, struct complaints *ret)
{
	const struct arg_rule *r = rule_by_name(rules, name);
	const char *names[64], *near, *wrong;

	if (r) {
		wrong = unfit(r);
		if (wrong)
			complain(ret, place, path, "'{%s}' %s", name, wrong);
		return;
	}
	rule_names(rules, names, ARRAY_LEN(names));
	near = text_nearest(name, names);
	complain(ret, place, path, "'{%s}' is not a declared argument%s%s%s", name,
		 near ? "; did you mean {" : "", near ? near : "", near ? "}?" : "");
}

static void check_word(const char *word, bool program, const struct arg_rules *rules,
		       const char *path, struct place place, struct complaints *ret)
{
	const char *at = word, *wrong = NULL;
	struct piece piece;
	int more;

	while ((more = next_piece(&at, &piece, &wrong)) > 0) {
		if (!piece.name[0])
			continue;
		if (program)
			complain(ret, place, path, "the program itself is fixed, not an argument");
		else if (rules)
			check_name(rules, piece.name, path, place, ret);
	}
	if (more < 0)
		complain(ret, place, path, "'%.80s' %s", word, wrong);
}

void template_check(const struct words *exec, const struct arg_rules *rules, const char *path,
		    struct place place, struct complaints *ret)
{
	char where[200];

	for (size_t i = 0; i < exec->n; i++) {
		(void)snprintf(where, sizeof(where), "%s[%zu]", path, i);
		check_word(exec->word[i], i == 0, rules, where, place, ret);
	}
}

static int add_value(const json_t *value, struct buf *word, struct error *err)
{
	char text[64];

	if (json_is_string(value)) {
		if (memchr(json_string_value(value), '\0', json_string_length(value)))
			return fail(err, ERR_CALLER, "has a NUL");
		return buf_add(word, json_string_value(value), json_string_length(value), err);
	}
	if (json_is_integer(value))
		(void)snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT,
			       json_integer_value(value));
	else if (json_is_real(value))
		text_real(json_real_value(value), text, sizeof(text));
	else if (json_is_boolean(value))
		(void)snprintf(text, sizeof(text), "%s", json_is_true(value) ? "true" : "false");
	else
		return fail(err, ERR_CALLER, "is not one word");
	return buf_add(word, text, strlen(text), err);
}

struct filling {
	const char *tool;
	const struct arg_rules *rules; /* NULL: a schema judged the values */
	const json_t *args;
	bool options_ended; /* a "--" went before */
	struct why *why;
};

__attribute__((format(printf, 3, 4))) static enum answer
deny_fill(struct filling *f, enum why_layer layer, const char *fmt, ...)
{
	char rule[100], what[300];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	(void)snprintf(rule, sizeof(rule), "tools.%.64s.exec", f->tool);
	return why_deny(f->why, layer, rule, "%s", what);
}

static bool may_begin_with_dash(const struct filling *f, const char *name)
{
	const struct arg_rule *r = f->rules ? rule_by_name(f->rules, name) : NULL;

	return f->options_ended || json_is_number(json_object_get(f->args, name)) ||
	       (r && r->allowed);
}

static enum answer add_named(struct filling *f, const char *name, struct buf *word)
{
	const json_t *value = json_object_get(f->args, name);
	struct error err = {0};

	if (!value || (f->rules && !rule_by_name(f->rules, name)))
		return deny_fill(f, WHY_POLICY, "'%s' is missing", name);
	if (add_value(value, word, &err) == 0)
		return ANSWER_ALLOW;
	if (err.kind != ERR_CALLER)
		return why_internal(f->why, &err);
	return deny_fill(f, WHY_POLICY, "'%s' %s", name, err.text);
}

/* Each piece in turn.  ret_lead: the argument that gave the word its first byte, or that was empty
 * and thereby let the owner's text be first; empty: the word begins as the owner wrote it. */
static enum answer add_pieces(struct filling *f, const char *text, struct buf *word, char *ret_lead)
{
	const char *at = text, *wrong = NULL;
	struct error err = {0};
	struct piece piece;
	int more;

	ret_lead[0] = '\0';
	while ((more = next_piece(&at, &piece, &wrong)) > 0) {
		if (!piece.name[0]) {
			if (buf_add(word, piece.text, piece.len, &err) < 0)
				return why_internal(f->why, &err);
			continue;
		}
		if (word->len == 0)
			memcpy(ret_lead, piece.name, sizeof(piece.name));
		if (add_named(f, piece.name, word) == ANSWER_DENY)
			return ANSWER_DENY;
	}
	if (more == 0)
		return ANSWER_ALLOW;
	(void)fail(&err, ERR_INTERNAL, "a template that was never checked");
	return why_internal(f->why, &err);
}

static enum answer fill_word(struct filling *f, const char *text, struct buf *word)
{
	char lead[PLACEHOLDER_MAX + 1];

	if (add_pieces(f, text, word, lead) == ANSWER_DENY)
		return ANSWER_DENY;
	if (word->cut)
		return deny_fill(f, WHY_LIMIT,
				 "one argument of the command would be longer than %d bytes",
				 WORD_MAX - 1);
	if (lead[0] && word->len > 0 && word->data[0] == '-' && !may_begin_with_dash(f, lead)) {
		(void)deny_fill(f, WHY_POLICY,
				"'%s' begins with '-', and the program would take it for an option",
				lead);
		why_hint(f->why, "begin it with another character");
		return ANSWER_DENY;
	}
	if (strcmp(text, "--") == 0)
		f->options_ended = true;
	return ANSWER_ALLOW;
}

enum answer template_fill(const struct tool *tool, const json_t *args, struct arena *a,
			  char ***ret_argv, struct why *why)
{
	struct filling f = {
		.tool = tool->name,
		.rules = tool->schema ? NULL : &tool->args,
		.args = args,
		.why = why,
	};
	struct error err = {0};
	char **argv = arena_array(a, tool->exec.n + 1, sizeof(char *), &err);

	if (!argv || tool->exec.n == 0)
		return why_internal(why, &err);
	for (size_t i = 0; i < tool->exec.n; i++) {
		own(buf) word;

		buf_init(&word, WORD_MAX - 1);
		if (fill_word(&f, tool->exec.word[i], &word) == ANSWER_DENY)
			return ANSWER_DENY;
		argv[i] = arena_copy(a, word.data, word.len, &err);
		if (!argv[i])
			return why_internal(why, &err);
	}
	*ret_argv = argv;
	return ANSWER_ALLOW;
}

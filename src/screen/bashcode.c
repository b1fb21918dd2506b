/* SPDX-License-Identifier: Apache-2.0 */
/* bashcode.c - reads a bash script's commands.
 *
 * A tool that takes bash takes a whole language; command lines have a strict reader of their own
 * (shell_parse.c).  Here each simple command's words are put to the patterns of rules_bash.c,
 * quotes taken off, however deep it stands.
 */
#include "screen/bashcode.h"

#include <string.h>

#include "base/match.h"
#include "base/own.h"
#include "screen/grammars.h"
#include "screen/python_decode.h"

enum { WORDS_MAX = 512, WORD_MAX = 4096, NESTING_MAX = 3, SCRATCH_BYTES = 16 << 20 };

struct bash {
	struct sieve *sieve;
	struct syntax *syntax;
	struct arena *scratch;
	unsigned nesting;
	enum syntax_end ended;
	bool failed;
};

static void screen_text(struct sieve *s, struct syntax_budget *budget, unsigned nesting,
			enum syntax_end *ret_end);

static bool is(TSNode node, const char *type)
{
	return !ts_node_is_null(node) && strcmp(ts_node_type(node), type) == 0;
}

static void found_between(struct bash *b, enum bash_rule rule, size_t at, size_t end)
{
	sieve_add(b->sieve, &bash_rows[rule], at, end - at, NULL, NULL);
}

static void found(struct bash *b, enum bash_rule rule, TSNode node)
{
	found_between(b, rule, ts_node_start_byte(node), ts_node_end_byte(node));
}

/* What the program gets, as far as it can be told. */
struct value {
	char text[WORD_MAX];
	size_t len;
	bool live; /* the shell makes something of it */
};

static void put(struct value *v, const char *text, size_t len)
{
	if (len > sizeof(v->text) - 1 - v->len) {
		v->live = true;
		len = sizeof(v->text) - 1 - v->len;
	}
	memcpy(v->text + v->len, text, len);
	v->len += len;
	v->text[v->len] = '\0';
}

/* Backslashes go; in quotes only before what they protect there. */
static void put_unescaped(struct value *v, const char *text, size_t len, bool quoted)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\\' && i + 1 < len &&
		    (!quoted || strchr("$`\"\\\n", text[i + 1]))) {
			i++;
			if (text[i] == '\n')
				continue;
		}
		put(v, text + i, 1);
	}
}

/* $'\x72m': hexadecimal and octal; others stand for themselves. */
static void put_ansi(struct value *v, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned long code = 0;
		size_t n = 0;
		char c = text[i];

		if (c == '\\' && i + 1 < len) {
			i++;
			if (text[i] == 'x' || text[i] == 'u')
				n = 1 + py_read_digits(text + i + 1, len - i - 1,
						       text[i] == 'x' ? 2 : 4, 16, &code);
			else
				n = py_read_digits(text + i, len - i, 3, 8, &code);
			c = n > 0 ? (char)code : text[i];
			i += n > 0 ? n - 1 : 0;
		}
		put(v, &c, 1);
	}
}

static void read_word(struct bash *b, TSNode node, struct value *v, bool quoted, unsigned depth)
{
	size_t len;
	const char *text = syntax_text(b->syntax, node, &len);

	if (depth > 20) {
		v->live = true;
	} else if (is(node, "word") || is(node, "number") || is(node, "string_content")) {
		put_unescaped(v, text, len, quoted);
	} else if (is(node, "raw_string") && len >= 2) {
		put(v, text + 1, len - 2);
	} else if (is(node, "ansi_c_string") && len >= 3) {
		put_ansi(v, text + 2, len - 3);
	} else if (is(node, "string") || is(node, "concatenation") || is(node, "command_name") ||
		   is(node, "translated_string")) {
		for (uint32_t i = 0; i < ts_node_named_child_count(node) && i < 256; i++)
			read_word(b, ts_node_named_child(node, i), v, is(node, "string"),
				  depth + 1);
	} else {
		v->live = true;
		put(v, text, len < 64 ? len : 64);
	}
}

static struct shell_word *make_word(struct bash *b, TSNode node)
{
	struct value v = {0};
	struct error err;
	struct shell_word *w = arena_alloc(b->scratch, sizeof(*w), &err);

	read_word(b, node, &v, false, 0);
	if (w)
		w->value = arena_copy(b->scratch, v.text, v.len, &err);
	if (!w || !w->value) {
		b->failed = true;
		return NULL;
	}
	w->at = ts_node_start_byte(node);
	w->end = ts_node_end_byte(node);
	w->live = v.live;
	return w;
}

/* bash -c "text": the text is a script. */
static void check_inner(struct bash *b, const struct shell_words *w)
{
	struct sieve inner = *b->sieve;
	enum syntax_end end = SYNTAX_READ;

	if (!shell_is_shell(shell_base_name(w->word[0]->value)))
		return;
	for (size_t i = 1; i + 1 < w->n; i++) {
		const struct shell_word *text = w->word[i + 1];

		if (w->word[i]->value[0] != '-' || !strchr(w->word[i]->value, 'c'))
			continue;
		if (text->live || b->nesting >= NESTING_MAX) {
			found_between(b, BASH_EVAL, w->word[0]->at, text->end);
			return;
		}
		inner.text = text->value;
		inner.len = strlen(text->value);
		inner.inside = 1 + text->at;
		inner.outer = b->sieve;
		screen_text(&inner, b->syntax->budget, b->nesting + 1, &end);
		b->failed |= inner.failed;
		if (end != SYNTAX_READ)
			b->ended = end;
		return;
	}
}

static void check_own(struct bash *b, const struct shell_words *w)
{
	const struct screen_policy *rules = b->sieve->rules;

	for (size_t i = 0; i < rules->n_own; i++) {
		const struct screen_own_rule *own = &rules->own[i];

		if (strcmp(own->language, "bash") != 0)
			continue;
		if (words_cover(&own->calls, shell_base_name(w->word[0]->value)))
			sieve_add_own(b->sieve, own, w->word[0]->at,
				      w->word[0]->end - w->word[0]->at);
		for (size_t k = 0; own->match && k < w->n; k++)
			if (match_part(own->match, w->word[k]->value, strlen(w->word[k]->value)) !=
			    MATCH_NO)
				sieve_add_own(b->sieve, own, w->word[k]->at,
					      w->word[k]->end - w->word[k]->at);
	}
}

static void check_patterns(struct bash *b, const struct shell_words *w, bool after_pipe)
{
	const char *name = shell_base_name(w->word[0]->value);
	const struct shell_pattern *p;

	if (w->word[0]->live && strcmp(w->word[0]->value, "$@") != 0)
		found_between(b, BASH_DYNAMIC, w->word[0]->at, w->word[0]->end);
	if (after_pipe && shell_is_shell(name) && !shell_name_in(name, "busybox toybox"))
		found_between(b, BASH_PIPE_SHELL, w->word[0]->at, w->word[0]->end);
	for (size_t i = 0; (p = bash_pattern(i)); i++) {
		size_t at;

		if (!shell_name_in(name, p->programs))
			continue;
		at = p->match ? p->match(w, p) : 0;
		if (at > 0 || !p->match)
			found_between(b, p->row, w->word[0]->at, w->word[at]->end);
	}
	for (size_t i = 1; i < w->n && !shell_name_in(name, "echo printf"); i++)
		if (py_path_kind(w->word[i]->value, strlen(w->word[i]->value)) == PY_PATH_SECRET)
			found_between(b, BASH_SECRETS, w->word[i]->at, w->word[i]->end);
	check_own(b, w);
	check_inner(b, w);
}

/* Not the first of a pipeline, or behind a here-document: cat <<X | bash */
static bool is_after_pipe(const struct visit *v)
{
	for (size_t i = v->depth; i-- > 0;) {
		if (is(v->above[i], "pipeline"))
			return (i > 0 && is(v->above[i - 1], "heredoc_redirect")) ||
			       !ts_node_eq(ts_node_named_child(v->above[i], 0), v->above[i + 1]);
		if (!is(v->above[i], "redirected_statement") && !is(v->above[i], "negated_command"))
			return false;
	}
	return false;
}

static void check_command(struct bash *b, const struct visit *v)
{
	const struct shell_word *list[WORDS_MAX];
	struct shell_words w = {.word = list}, inner;
	uint32_t n = ts_node_named_child_count(v->node);

	if (n > WORDS_MAX) {
		b->failed = true;
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		TSNode child = ts_node_named_child(v->node, i);

		if (is(child, "variable_assignment") || is(child, "file_redirect") ||
		    is(child, "herestring_redirect") || is(child, "heredoc_redirect"))
			continue;
		list[w.n] = make_word(b, child);
		if (!list[w.n])
			return;
		w.n++;
	}
	if (w.n == 0)
		return;
	check_patterns(b, &w, is_after_pipe(v));
	/* sudo env xargs rm: each may run the next. */
	for (unsigned turn = 0; turn < 16; turn++) {
		inner = shell_inner_command(&w, turn);
		if (inner.n == 0)
			break;
		check_patterns(b, &inner, false);
	}
}

static void check_redirect(struct bash *b, TSNode node)
{
	static const char *const fine[] = {"/dev/null", "/dev/stdout",  "/dev/stderr", "/dev/stdin",
					   "/dev/zero", "/dev/urandom", "/dev/random", "/dev/tty"};
	TSNode to = ts_node_child_by_field_name(node, "destination", 11);
	struct value v = {0};

	if (ts_node_is_null(to))
		return;
	read_word(b, to, &v, false, 0);
	for (size_t i = 0; i < ARRAY_LEN(fine); i++)
		if (strcmp(v.text, fine[i]) == 0)
			return;
	if (strncmp(v.text, "/dev/tcp/", 9) == 0 || strncmp(v.text, "/dev/udp/", 9) == 0)
		found(b, BASH_NETWORK, node);
	else if (strncmp(v.text, "/dev/", 5) == 0 && strncmp(v.text, "/dev/fd/", 8) != 0)
		found(b, BASH_DEVICE, node);
	else if (py_path_kind(v.text, v.len) == PY_PATH_SECRET)
		found(b, BASH_SECRETS, node);
}

struct calls {
	struct bash *bash;
	TSNode name;
	unsigned n; /* calls of itself side by side in a pipe */
};

static bool see_itself(void *context, const struct visit *v)
{
	struct calls *c = context;
	size_t len, own_len;
	const char *text = syntax_text(c->bash->syntax, v->node, &len);
	const char *own = syntax_text(c->bash->syntax, c->name, &own_len);

	if (is(v->node, "command_name") && own_len == len && memcmp(own, text, len) == 0 &&
	    v->depth >= 2 && is(v->above[v->depth - 2], "pipeline"))
		c->n++;
	return true;
}

/* :(){ :|:& };: */
static void check_function(struct bash *b, TSNode node)
{
	struct calls c = {.bash = b, .name = ts_node_child_by_field_name(node, "name", 4)};

	if (ts_node_is_null(c.name))
		return;
	(void)syntax_walk(b->syntax, node, see_itself, &c);
	if (c.n >= 2)
		found(b, BASH_FORK_BOMB, node);
}

static bool see(void *context, const struct visit *v)
{
	struct bash *b = context;

	if (b->failed || sieve_is_full(b->sieve))
		return false;
	if (is(v->node, "command"))
		check_command(b, v);
	else if (is(v->node, "file_redirect"))
		check_redirect(b, v->node);
	else if (is(v->node, "function_definition"))
		check_function(b, v->node);
	return true;
}

static void screen_text(struct sieve *s, struct syntax_budget *budget, unsigned nesting,
			enum syntax_end *ret_end)
{
	own(syntax) x = {.text = s->text, .len = (uint32_t)s->len, .budget = budget};
	own(arena) scratch;
	struct bash b = {.sieve = s,
			 .syntax = &x,
			 .scratch = &scratch,
			 .nesting = nesting,
			 .ended = SYNTAX_READ};
	TSNode error;

	arena_init(&scratch, SCRATCH_BYTES);
	*ret_end = syntax_parse(&x, tree_sitter_bash());
	if (*ret_end != SYNTAX_READ)
		return;
	error = syntax_first_error(&x);
	if (!ts_node_is_null(error))
		found(&b, BASH_SYNTAX, error);
	*ret_end = syntax_walk(&x, ts_tree_root_node(x.tree), see, &b);
	if (b.ended != SYNTAX_READ)
		*ret_end = b.ended;
	if (b.failed)
		s->failed = true;
}

void screen_bash(struct sieve *s, struct syntax_budget *budget, enum syntax_end *ret_end)
{
	screen_text(s, budget, 0, ret_end);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* shell_lex.c - words: quotes, escapes, patterns, and the few things that begin with a dollar.
 *
 * Only what is understood is taken over.  Where shells differ from each other,
 * or from what a reader of the line would think, the word is refused.
 */
#include <string.h>

#include "screen/shell_tree.h"

struct word_maker {
	struct shell_reader *r;
	struct shell_word *word;
	struct shell_piece **end; /* where the next piece goes */
	struct shell_piece *open; /* text that grows; NULL: none */
	bool substituted;
};

static const char META[] = " \t\n;&|<>()";

static int peek(const struct shell_reader *r, size_t ahead)
{
	return r->at + ahead < r->len ? (unsigned char)r->text[r->at + ahead] : -1;
}

static bool is_meta(int c)
{
	return c < 0 || (c != 0 && strchr(META, c));
}

static bool is_name_char(int c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (!first && c >= '0' && c <= '9');
}

size_t shell_name_len(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && is_name_char((unsigned char)text[n], n == 0))
		n++;
	return n;
}

static void store(struct shell_reader *r, const char *data, size_t len)
{
	memcpy(r->store + r->stored, data, len);
	r->stored += len;
}

static struct shell_piece *add_piece(struct word_maker *m, enum shell_piece_kind kind, bool quoted)
{
	struct error err;
	struct shell_piece *p = arena_alloc(m->r->arena, sizeof(*p), &err);

	if (!p) {
		(void)shell_no_memory(m->r);
		return NULL;
	}
	p->kind = kind;
	p->quoted = quoted;
	p->text = m->r->store + m->r->stored;
	*m->end = p;
	m->end = &p->next;
	m->open = kind == PIECE_TEXT ? p : NULL;
	if (kind != PIECE_TEXT)
		m->word->live = true;
	return p;
}

/* Text of the word itself; may be nothing, as in ''. */
static int add_text(struct word_maker *m, const char *data, size_t len)
{
	if (!m->open && !add_piece(m, PIECE_TEXT, false))
		return -1;
	store(m->r, data, len);
	m->open->len += len;
	return 0;
}

static int read_single_quotes(struct word_maker *m)
{
	struct shell_reader *r = m->r;
	const char *begin = r->text + r->at + 1;
	const char *end = memchr(begin, '\'', r->len - r->at - 1);

	if (!end)
		return shell_refuse(r, r->at, "close it, or write \\' for a quote that is meant",
				    "a single quote that is never closed");
	m->word->bare = false;
	if (add_text(m, begin, (size_t)(end - begin)) < 0)
		return -1;
	r->at = (size_t)(end - r->text) + 1;
	return 0;
}

static int add_variable(struct word_maker *m, size_t skip, size_t len, size_t whole, bool quoted)
{
	struct shell_reader *r = m->r;
	const char *name = r->text + r->at + skip;
	struct shell_piece *p;

	if (!(r->allow & SHELL_VARIABLES))
		return shell_refuse_construct(r, r->at, SHELL_VARIABLES);
	if (len == 3 && memcmp(name, "IFS", 3) == 0)
		return shell_refuse(r, r->at, "write a space", "$IFS hides where words end");
	p = add_piece(m, PIECE_VARIABLE, quoted);
	if (!p)
		return -1;
	store(r, "$", 1);
	p->text++;
	store(r, name, len);
	p->len = len;
	r->at += whole;
	return 0;
}

static int read_substitution(struct word_maker *m, bool quoted)
{
	struct shell_reader *r = m->r;
	size_t at = r->at;
	struct shell_piece *p;

	if (!(r->allow & SHELL_SUBSTITUTE))
		return shell_refuse_construct(r, at, SHELL_SUBSTITUTE);
	if (r->pending)
		return shell_refuse(r, at, "use one or the other",
				    "$( ) in a line that has a here-document");
	p = add_piece(m, PIECE_SUBSTITUTION, quoted);
	if (!p)
		return -1;
	m->substituted = true;
	r->at += 2;
	p->inside = shell_parse_inside(r, ')');
	return p->inside ? 0 : -1;
}

/* What may follow a dollar and is something else than $NAME, ${NAME} and $( ). */
static const struct {
	const char *begin, *what;
} dollars[] = {
	{"((", "arithmetic with $(( ))"},
	{"[", "arithmetic with $[ ]"},
	{"{", "${ } with more than a name in it"},
	{"'", "$' ' with escapes of bash"},
	{"\"", "$\" \" of bash"},
	{"@", "$@"},
	{"*", "$*"},
	{"#", "$#"},
	{"?", "$?"},
	{"-", "$-"},
	{"$", "$$"},
	{"!", "$!"},
};

static int refuse_dollar(struct word_maker *m, bool quoted)
{
	static const char hint[] = "in single quotes a $ is a $";
	struct shell_reader *r = m->r;

	for (size_t i = 0; i < sizeof(dollars) / sizeof(dollars[0]); i++) {
		size_t len = strlen(dollars[i].begin);

		if (quoted && (dollars[i].begin[0] == '\'' || dollars[i].begin[0] == '"'))
			continue; /* "a$'b" and "a$" hold a dollar */
		if (r->len - r->at - 1 >= len &&
		    memcmp(r->text + r->at + 1, dollars[i].begin, len) == 0)
			return shell_refuse(r, r->at, hint, "%s is not read here", dollars[i].what);
	}
	if (peek(r, 1) >= '0' && peek(r, 1) <= '9')
		return shell_refuse(r, r->at, hint, "$0 to $9 are not read here");
	return 0;
}

static int read_dollar(struct word_maker *m, bool quoted)
{
	struct shell_reader *r = m->r;
	const char *behind = r->text + r->at + 1;
	size_t left = r->len - r->at - 1, len = shell_name_len(behind, left);

	if (len > 0)
		return add_variable(m, 1, len, len + 1, quoted);
	if (left > 2 && behind[0] == '{') {
		len = shell_name_len(behind + 1, left - 1);
		if (len > 0 && len + 1 < left && behind[len + 1] == '}')
			return add_variable(m, 2, len, len + 3, quoted);
	}
	if (refuse_dollar(m, quoted) < 0)
		return -1;
	if (peek(r, 1) == '(')
		return read_substitution(m, quoted);
	if (add_text(m, "$", 1) < 0)
		return -1;
	r->at++;
	return 0;
}

static int refuse_backtick(struct shell_reader *r)
{
	return shell_refuse(r, r->at, "in single quotes a ` is a `",
			    "a command between backticks is never run");
}

static int refuse_split_word(struct shell_reader *r)
{
	return shell_refuse(r, r->at, "put a space in front of the backslash, or write one line",
			    "a line that goes on in the middle of a word");
}

/* Behind a backslash between double quotes only these lose it. */
static int read_quoted_escape(struct word_maker *m)
{
	struct shell_reader *r = m->r;
	int c = peek(r, 1);
	bool escapes = c > 0 && strchr("$`\"\\", c);

	if (c == '\n')
		return refuse_split_word(r);
	if (add_text(m, r->text + r->at + escapes, 1) < 0)
		return -1;
	r->at += escapes ? 2 : 1;
	return 0;
}

static int read_double_quotes(struct word_maker *m)
{
	struct shell_reader *r = m->r;
	size_t begin = r->at++;

	m->word->bare = false;
	if (peek(r, 0) == '"' && add_text(m, "", 0) < 0)
		return -1;
	while (peek(r, 0) != '"') {
		size_t plain = 0;
		int c = peek(r, 0), done = 0;

		if (c < 0)
			return shell_refuse(r, begin, "close it, or put it in single quotes",
					    "a double quote that is never closed");
		while (peek(r, plain) >= 0 && !strchr("\"\\$`", peek(r, plain)))
			plain++;
		if (plain > 0) {
			done = add_text(m, r->text + r->at, plain);
			r->at += plain;
		} else if (c == '\\') {
			done = read_quoted_escape(m);
		} else if (c == '$') {
			done = read_dollar(m, true);
		} else {
			done = refuse_backtick(r);
		}
		if (done < 0)
			return -1;
	}
	r->at++;
	return 0;
}

/* Inside brackets: what no shell reads in any other way. */
static bool is_set_char(int c)
{
	return c > 0 && (is_name_char(c, false) || strchr("-.,:=@%+/", c));
}

/* The length of [...] at r->at; 0: it is no set but a bracket; -1: refused. */
static int set_length(struct shell_reader *r)
{
	size_t n = 1;

	if (peek(r, n) == '!')
		n++;
	if (peek(r, n) == ']')
		n++; /* a member when it stands first */
	for (;; n++) {
		int c = peek(r, n);

		if (is_meta(c))
			return 0; /* never closed in this word */
		if (c == ']')
			break;
		if (c == '[' && peek(r, n + 1) == ':') /* [:alpha:] */
			for (n += 2; is_name_char(peek(r, n), true); n++)
				;
		if (c == '[' && peek(r, n) == ':' && peek(r, n + 1) == ']')
			n++;
		else if (!is_set_char(c) || c == '/')
			return shell_refuse(r, r->at, "quote the brackets",
					    "a set in brackets with more than letters, digits and "
					    "ranges in it");
	}
	if (peek(r, 1) == ']' || (peek(r, 1) == '!' && peek(r, 2) == ']'))
		return shell_refuse(r, r->at, "quote the brackets", "a set that begins with ]");
	return (int)n + 1;
}

static int read_pattern(struct word_maker *m)
{
	struct shell_reader *r = m->r;
	int len = peek(r, 0) == '[' ? set_length(r) : 1;
	struct shell_piece *p;

	if (len < 0)
		return -1;
	if (len == 0) {
		if (add_text(m, "[", 1) < 0)
			return -1;
		r->at++;
		return 0;
	}
	p = add_piece(m, PIECE_GLOB, false);
	if (!p)
		return -1;
	store(r, r->text + r->at, (size_t)len);
	p->len = (size_t)len;
	r->at += (size_t)len;
	return 0;
}

/* A character that is itself, a backslash in front of it or not. */
static int read_plain(struct word_maker *m)
{
	struct shell_reader *r = m->r;
	size_t len = 1;

	if ((unsigned char)r->text[r->at] >= 0x80) {
		while (len < 4 && r->at + len < r->len &&
		       ((unsigned char)r->text[r->at + len] & 0xc0) == 0x80)
			len++;
		if (shell_check_bare(r, r->at, len) < 0)
			return -1;
	}
	if (add_text(m, r->text + r->at, len) < 0)
		return -1;
	r->at += len;
	return 0;
}

static int read_escape(struct word_maker *m)
{
	struct shell_reader *r = m->r;

	if (peek(r, 1) < 0)
		return shell_refuse(r, r->at, "write \\\\ for a backslash that is meant",
				    "a backslash with nothing behind it");
	if (peek(r, 1) == '\n')
		return refuse_split_word(r);
	m->word->bare = false;
	r->at++;
	return read_plain(m);
}

static int refuse_tilde(struct shell_reader *r)
{
	return shell_refuse(r, r->at, "write the directory's name, or quote the ~",
			    "a ~ at the start of a word stands for a directory that is not known");
}

static int read_one(struct word_maker *m, bool first)
{
	struct shell_reader *r = m->r;

	switch (peek(r, 0)) {
	case '\'':
		return read_single_quotes(m);
	case '"':
		return read_double_quotes(m);
	case '\\':
		return read_escape(m);
	case '$':
		return read_dollar(m, false);
	case '`':
		return refuse_backtick(r);
	case '*':
	case '?':
	case '[':
		return read_pattern(m);
	case '~':
		return first ? refuse_tilde(r) : read_plain(m);
	default:
		return read_plain(m);
	}
}

int shell_read_word(struct shell_reader *r, bool empty_ok, struct shell_word **ret_word)
{
	struct error err;
	struct shell_word *w = arena_alloc(r->arena, sizeof(*w), &err);
	struct word_maker m = {.r = r, .word = w};
	const char *value = r->store + r->stored;

	if (!w)
		return shell_no_memory(r);
	if (++r->n_words > SHELL_WORDS_MAX)
		return shell_refuse(r, r->at, NULL, "more than %d words", SHELL_WORDS_MAX);
	*w = (struct shell_word){.at = r->at, .bare = true};
	m.end = &w->pieces;
	while (!is_meta(peek(r, 0)))
		if (read_one(&m, r->at == w->at) < 0)
			return -1;
	if (!w->pieces && !empty_ok)
		return shell_refuse(r, r->at, NULL, "a word is missing");
	if (!w->pieces && add_text(&m, "", 0) < 0)
		return -1;
	r->store[r->stored++] = '\0';
	w->end = r->at;
	w->value = m.substituted ? "$(...)" : value;
	*ret_word = w;
	return 0;
}

int shell_skip_blanks(struct shell_reader *r)
{
	for (;;) {
		int c = peek(r, 0);

		if (c == ' ' || c == '\t')
			r->at++;
		else if (c == '\\' && peek(r, 1) == '\n')
			r->at += 2;
		else
			break;
	}
	if (peek(r, 0) == '#')
		while (peek(r, 0) >= 0 && peek(r, 0) != '\n')
			r->at++;
	return 0;
}

/* The lines up to the one that is the word and nothing else. */
static int read_body(struct shell_reader *r, struct shell_redirect *doc)
{
	size_t word_len = strlen(doc->word->value);

	doc->body = r->text + r->at;
	while (r->at < r->len) {
		const char *line = r->text + r->at;
		const char *end = memchr(line, '\n', r->len - r->at);
		size_t len = end ? (size_t)(end - line) : r->len - r->at;

		r->at += len + (end ? 1 : 0);
		if (len == word_len && memcmp(line, doc->word->value, len) == 0) {
			doc->body_len = (size_t)(line - doc->body);
			return 0;
		}
	}
	return shell_refuse(r, doc->word->at, "end it with a line that holds the word alone",
			    "a here-document that never ends");
}

int shell_end_line(struct shell_reader *r)
{
	r->at++;
	while (r->pending) {
		struct shell_redirect *doc = r->pending;

		r->pending = doc->next_pending;
		if (read_body(r, doc) < 0)
			return -1;
	}
	return 0;
}

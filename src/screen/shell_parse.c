/* SPDX-License-Identifier: Apache-2.0 */
/* shell_parse.c - commands, pipes, lists and groups out of words; parse or deny.
 *
 *	list      pipeline { (; | & | && | || | newline) pipeline }
 *	pipeline  command { | command }
 *	command   { NAME=word } word { word | redirection }  or  ( list )  or  { list; }
 *
 * Nothing else of the shell's language is there: no functions, no loops, no conditions.
 */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "screen/shell_tree.h"

static struct shell_list *parse_list(struct shell_reader *r, char end);

static int peek(const struct shell_reader *r, size_t ahead)
{
	return r->at + ahead < r->len ? (unsigned char)r->text[r->at + ahead] : -1;
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

/* Is the word at r->at this one, unquoted and nothing else? */
static bool at_bare_word(const struct shell_reader *r, const char *word)
{
	size_t len = strlen(word);
	int behind = peek(r, len);

	return r->len - r->at >= len && memcmp(r->text + r->at, word, len) == 0 &&
	       (behind < 0 || strchr(" \t\n;&|<>()", behind));
}

static int skip_newlines(struct shell_reader *r)
{
	for (;;) {
		if (shell_skip_blanks(r) < 0)
			return -1;
		if (peek(r, 0) != '\n')
			return 0;
		if (shell_end_line(r) < 0)
			return -1;
	}
}

/* Operators that look like ours and are not. */
static const struct {
	const char *text, *what, *hint;
} refused_operators[] = {
	{"<<<", "<<< is of bash", "send the text as the call's stdin"},
	{"<<-", "<<- is not read here", "write << with a quoted word"},
	{"<(", "process substitution", "use a pipe"},
	{">(", "process substitution", "use a pipe"},
	{"<>", "<> is not read here", NULL},
	{">|", ">| is not read here", "write > or >>"},
	{"<&", "<& is not read here", NULL},
	{"&>", "&> is of bash", "write > FILE 2>&1"},
	{"|&", "|& is of bash", "write 2>&1 |"},
	{";;", ";; belongs to a construct that is not read here", NULL},
	{"((", "(( is not read here", "put a space between them for two groups"},
};

static int check_operator(struct shell_reader *r)
{
	for (size_t i = 0; i < ARRAY_LEN(refused_operators); i++) {
		size_t len = strlen(refused_operators[i].text);

		if (r->len - r->at >= len &&
		    memcmp(r->text + r->at, refused_operators[i].text, len) == 0)
			return shell_refuse(r, r->at, refused_operators[i].hint, "%s",
					    refused_operators[i].what);
	}
	return 0;
}

static bool at_redirect(const struct shell_reader *r)
{
	size_t n = 0;

	while (is_digit(peek(r, n)))
		n++;
	return peek(r, n) == '<' || peek(r, n) == '>';
}

/* >&1 and >&2; nothing else may follow >&. */
static int read_join(struct shell_reader *r, size_t begin, struct shell_redirect *red)
{
	int to = peek(r, 2), behind = peek(r, 3);

	if ((to != '1' && to != '2') || (behind >= 0 && !strchr(" \t\n;&|()", behind)))
		return shell_refuse(r, begin, "write 2>&1 or >&2", ">& without 1 or 2 behind it");
	if (!(r->allow & (SHELL_DISCARD | SHELL_WRITE_TO)))
		return shell_refuse_construct(r, begin, SHELL_DISCARD);
	red->kind = REDIRECT_JOIN;
	red->to = to - '0';
	r->at += 3;
	return 0;
}

static bool is_plain_word(const char *word)
{
	return word[0] && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					     "0123456789_")];
}

static int read_heredoc_word(struct shell_reader *r, size_t begin, struct shell_redirect *red)
{
	struct shell_redirect **end = &r->pending;

	if (!(r->allow & SHELL_HEREDOC))
		return shell_refuse_construct(r, begin, SHELL_HEREDOC);
	if (red->word->bare)
		return shell_refuse(r, red->word->at, "write <<'END'",
				    "a here-document whose word is not quoted is not read here");
	/* It is written again as it is, for a shell to find. */
	if (red->word->live || !is_plain_word(red->word->value))
		return shell_refuse(r, red->word->at, "write <<'END'",
				    "a here-document's word must be of letters, digits and _");
	if (++r->n_heredocs > SHELL_HEREDOCS_MAX)
		return shell_refuse(r, begin, NULL, "more than %d here-documents",
				    SHELL_HEREDOCS_MAX);
	while (*end)
		end = &(*end)->next_pending;
	*end = red;
	return 0;
}

static int check_target(struct shell_reader *r, size_t begin, const struct shell_redirect *red)
{
	const char *name = red->word->value;
	unsigned needs = red->kind == REDIRECT_READ ? SHELL_READ_FROM : SHELL_WRITE_TO;

	if (red->kind != REDIRECT_READ && !red->word->live && strcmp(name, "/dev/null") == 0 &&
	    r->allow & SHELL_DISCARD)
		return 0;
	if (!(r->allow & needs))
		return shell_refuse_construct(r, begin, needs);
	if (red->word->live)
		return shell_refuse(r, red->word->at, "write the file's name",
				    "a redirection to a name that is not known before it runs");
	if (!name[0])
		return shell_refuse(r, red->word->at, NULL, "a redirection to an empty name");
	return 0;
}

static int read_redirect(struct shell_reader *r, struct shell_redirect **ret)
{
	size_t begin = r->at;
	bool numbered = is_digit(peek(r, 0));
	struct error err;
	struct shell_redirect *red = arena_alloc(r->arena, sizeof(*red), &err);
	bool reads;

	if (!red)
		return shell_no_memory(r);
	red->fd = numbered ? peek(r, 0) - '0' : -1;
	r->at += numbered;
	if (check_operator(r) < 0)
		return -1;
	reads = peek(r, 0) == '<';
	if (red->fd < 0)
		red->fd = reads ? 0 : 1;
	if (reads ? red->fd != 0 : red->fd != 1 && red->fd != 2)
		return shell_refuse(r, begin, NULL, "only 0<, 1> and 2> are read here");
	*ret = red;
	if (!reads && peek(r, 1) == '&')
		return read_join(r, begin, red);
	if (peek(r, 1) == peek(r, 0))
		red->kind = reads ? REDIRECT_HEREDOC : REDIRECT_APPEND;
	else
		red->kind = reads ? REDIRECT_READ : REDIRECT_WRITE;
	r->at += red->kind == REDIRECT_HEREDOC || red->kind == REDIRECT_APPEND ? 2 : 1;
	if (shell_skip_blanks(r) < 0)
		return -1;
	if (at_redirect(r)) /* "> 2>x": the 2 would be a descriptor */
		return shell_refuse(r, r->at, NULL, "a file's name is missing");
	if (shell_read_word(r, false, &red->word) < 0)
		return -1;
	if (red->kind == REDIRECT_HEREDOC)
		return read_heredoc_word(r, begin, red);
	return check_target(r, begin, red);
}

static int read_redirects(struct shell_reader *r, struct shell_redirect ***end)
{
	while (at_redirect(r)) {
		if (is_digit(peek(r, 0)) && is_digit(peek(r, 1)))
			return shell_refuse(r, r->at, NULL, "only 0<, 1> and 2> are read here");
		if (read_redirect(r, *end) < 0)
			return -1;
		*end = &(**end)->next;
		if (shell_skip_blanks(r) < 0)
			return -1;
	}
	return 0;
}

/* Names that change what the shell, the loader or a program does before it reads its arguments. */
static const char *const guarded_names[] = {
	"IFS",
	"PATH",
	"ENV",
	"CDPATH",
	"HOME",
	"SHELL",
	"PWD",
	"OLDPWD",
	"PPID",
	"UID",
	"EUID",
	"LINENO",
	"OPTIND",
	"OPTARG",
	"PS1",
	"PS2",
	"PS3",
	"PS4",
	"LANG",
	"LANGUAGE",
	"SHELLOPTS",
	"TMOUT",
	"GLOBIGNORE",
	"FIGNORE",
	"FUNCNAME",
	"EDITOR",
	"VISUAL",
	"PAGER",
	"MANPAGER",
	"LESSOPEN",
	"LESSCLOSE",
	"LESS",
	"BROWSER",
	"TMPDIR",
	"POSIXLY_CORRECT",
	"TZ",
	"TZDIR",
	"IFS_",
	"GCONV_PATH",
	"AWKPATH",
	"AWKLIBPATH",
	"JQ_LIBRARY_PATH",
};
static const char *const guarded_beginnings[] = {
	"LD_",   "LC_",  "BASH",     "HIST",   "PYTHON",  "PERL",   "RUBY",    "NODE_",
	"NPM_",  "npm_", "GIT_",     "SSH_",   "LUA_",    "JAVA",   "PHP",     "MAKE",
	"GREP_", "TAR_", "RIPGREP_", "GLIBC_", "MALLOC_", "RSYNC_", "DOTNET_", "_JAVA",
};

static bool is_guarded(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(guarded_names); i++)
		if (strcmp(guarded_names[i], name) == 0)
			return true;
	for (size_t i = 0; i < ARRAY_LEN(guarded_beginnings); i++)
		if (strncmp(guarded_beginnings[i], name, strlen(guarded_beginnings[i])) == 0)
			return true;
	return false;
}

static bool at_assignment(const struct shell_reader *r)
{
	size_t len = shell_name_len(r->text + r->at, r->len - r->at);

	return len > 0 && peek(r, len) == '=';
}

static int read_assignment(struct shell_reader *r, struct shell_word **ret)
{
	size_t begin = r->at, len = shell_name_len(r->text + r->at, r->len - r->at);
	struct error err;
	char *name = arena_copy(r->arena, r->text + r->at, len, &err);

	if (!name)
		return shell_no_memory(r);
	if (!(r->allow & SHELL_ASSIGN))
		return shell_refuse_construct(r, begin, SHELL_ASSIGN);
	if (is_guarded(name))
		return shell_refuse(r, begin, NULL,
				    "%s may not be set: it changes what a command does", name);
	r->at += len + 1;
	if (shell_read_word(r, true, ret) < 0)
		return -1;
	(*ret)->at = begin;
	(*ret)->name = name;
	return 0;
}

static int check_command_word(struct shell_reader *r, const struct shell_word *w)
{
	if (w->live)
		return shell_refuse(r, w->at, "write the program's name as it is",
				    "which program runs is not known before it runs");
	if (!w->value[0])
		return shell_refuse(r, w->at, NULL, "a command without a name");
	if (w->bare && shell_is_reserved(w->value))
		return shell_refuse(r, w->at, "write plain commands, or use a tool that takes code",
				    "'%s' belongs to a construct that is not read here", w->value);
	return 0;
}

static int check_argument(struct shell_reader *r, const struct shell_word *w)
{
	for (const struct shell_piece *p = w->pieces; p; p = p->next)
		if (p->kind == PIECE_GLOB && !(r->allow & SHELL_GLOB))
			return shell_refuse_construct(r, w->at, SHELL_GLOB);
	return 0;
}

static int read_argument(struct shell_reader *r, struct shell_command *c, struct shell_word **ret)
{
	if (c->n_words == 0 && at_bare_word(r, "[["))
		return shell_refuse(r, r->at, "write [ or test", "[[ is of bash");
	if (shell_read_word(r, false, ret) < 0)
		return -1;
	if (c->n_words++ == 0)
		return check_command_word(r, *ret);
	return check_argument(r, *ret);
}

static int parse_simple(struct shell_reader *r, struct shell_command *c)
{
	struct shell_word **word = &c->words, **assignment = &c->assignments;
	struct shell_redirect **redirect = &c->redirects;

	for (;;) {
		int ch;

		if (shell_skip_blanks(r) < 0 || read_redirects(r, &redirect) < 0)
			return -1;
		ch = peek(r, 0);
		if (ch == '(')
			return shell_refuse(
				r, r->at, "quote the ( if it is meant as text",
				"a ( behind a word: functions and arrays are not read here");
		if (ch < 0 || strchr("\n;&|)", ch))
			break;
		if (c->n_words == 0 && at_assignment(r)) {
			if (read_assignment(r, assignment) < 0)
				return -1;
			assignment = &(*assignment)->next;
		} else {
			if (read_argument(r, c, word) < 0)
				return -1;
			word = &(*word)->next;
		}
	}
	if (!c->words && !c->assignments)
		return shell_refuse(r, c->at, NULL, "a redirection without a command");
	if (!c->words && c->redirects)
		return shell_refuse(r, c->at, NULL, "an assignment with a redirection");
	return 0;
}

static int parse_group(struct shell_reader *r, struct shell_command *c, char end)
{
	struct shell_redirect **redirect = &c->redirects;

	if (!(r->allow & SHELL_GROUP))
		return shell_refuse_construct(r, r->at, SHELL_GROUP);
	if (r->pending)
		return shell_refuse(r, r->at, NULL, "a group in a line that has a here-document");
	c->kind = end == ')' ? COMMAND_SUBSHELL : COMMAND_BRACES;
	r->at++;
	c->inside = shell_parse_inside(r, end);
	if (!c->inside || shell_skip_blanks(r) < 0 || read_redirects(r, &redirect) < 0)
		return -1;
	if (peek(r, 0) >= 0 && !strchr("\n;&|)", peek(r, 0)))
		return shell_refuse(r, r->at, "put a ; in front of it", "a word behind a group");
	return 0;
}

static struct shell_command *parse_command(struct shell_reader *r)
{
	struct error err;
	struct shell_command *c = arena_alloc(r->arena, sizeof(*c), &err);
	int done;

	if (!c) {
		(void)shell_no_memory(r);
		return NULL;
	}
	c->at = r->at;
	if (peek(r, 0) < 0 || strchr("\n;&|)", peek(r, 0))) {
		(void)shell_refuse(r, r->at, NULL, "a command is missing here");
		return NULL;
	}
	if (peek(r, 0) == '(' && check_operator(r) < 0)
		return NULL;
	if (peek(r, 0) == '(') {
		done = parse_group(r, c, ')');
	} else if (at_bare_word(r, "{")) {
		done = parse_group(r, c, '}');
	} else {
		if (++r->n_commands > SHELL_COMMANDS_MAX) {
			(void)shell_refuse(r, r->at, "make several calls", "more than %d commands",
					   SHELL_COMMANDS_MAX);
			return NULL;
		}
		done = parse_simple(r, c);
	}
	return done < 0 ? NULL : c;
}

static struct shell_pipeline *parse_pipeline(struct shell_reader *r)
{
	struct error err;
	struct shell_pipeline *p = arena_alloc(r->arena, sizeof(*p), &err);
	struct shell_command **next = p ? &p->commands : NULL;

	if (!p) {
		(void)shell_no_memory(r);
		return NULL;
	}
	for (;;) {
		*next = parse_command(r);
		if (!*next)
			return NULL;
		next = &(*next)->next;
		if (peek(r, 0) != '|' || peek(r, 1) == '|')
			return p;
		if (check_operator(r) < 0)
			return NULL;
		if (!(r->allow & SHELL_PIPE)) {
			(void)shell_refuse_construct(r, r->at, SHELL_PIPE);
			return NULL;
		}
		r->at++;
		if (skip_newlines(r) < 0)
			return NULL;
	}
}

/* What stands behind a pipeline; r->at is moved behind it. */
static int read_join_operator(struct shell_reader *r, enum shell_join *ret)
{
	int c = peek(r, 0);

	if (c == ';' || c == '&')
		if (check_operator(r) < 0)
			return -1;
	*ret = JOIN_THEN;
	if (c == '\n')
		return 0; /* for skip_newlines() */
	if (c == ';') {
		r->at++;
	} else if (c == '&' && peek(r, 1) != '&') {
		if (!(r->allow & SHELL_BACKGROUND))
			return shell_refuse_construct(r, r->at, SHELL_BACKGROUND);
		*ret = JOIN_BACKGROUND;
		r->at++;
	} else if (c == '&' || c == '|') {
		*ret = c == '&' ? JOIN_AND : JOIN_OR;
		r->at += 2;
	} else {
		*ret = JOIN_END;
	}
	return 0;
}

static bool at_end(const struct shell_reader *r, char end)
{
	if (end == '}')
		return at_bare_word(r, "}");
	return end ? peek(r, 0) == end : peek(r, 0) < 0;
}

static int refuse_end(struct shell_reader *r, char end)
{
	if (peek(r, 0) < 0 && end)
		return shell_refuse(r, r->at, NULL, "a '%c' is missing at the end", end);
	return shell_refuse(r, r->at, "quote it if it is meant as text", "an unexpected '%c'",
			    peek(r, 0) < 0 ? ' ' : (char)peek(r, 0));
}

static int parse_pipelines(struct shell_reader *r, char end, struct shell_list *list)
{
	struct shell_pipeline **next = &list->pipelines, *p;

	for (;;) {
		bool must_follow;

		p = parse_pipeline(r);
		if (!p || read_join_operator(r, &p->join) < 0)
			return -1;
		*next = p;
		next = &p->next;
		must_follow = p->join == JOIN_AND || p->join == JOIN_OR;
		if (must_follow && !(r->allow & SHELL_LIST))
			return shell_refuse_construct(r, r->at - 2, SHELL_LIST);
		if (skip_newlines(r) < 0)
			return -1;
		if (!must_follow && at_end(r, end)) {
			if (p->join == JOIN_THEN)
				p->join = JOIN_END;
			return 0;
		}
		if (p->join == JOIN_END)
			return refuse_end(r, end);
		if (!(r->allow & SHELL_LIST))
			return shell_refuse_construct(r, r->at, SHELL_LIST);
	}
}

static struct shell_list *parse_list(struct shell_reader *r, char end)
{
	struct error err;
	struct shell_list *list = arena_alloc(r->arena, sizeof(*list), &err);

	if (!list) {
		(void)shell_no_memory(r);
		return NULL;
	}
	if (skip_newlines(r) < 0)
		return NULL;
	if (at_end(r, end)) {
		(void)shell_refuse(r, r->at, NULL, "there is no command");
		return NULL;
	}
	return parse_pipelines(r, end, list) < 0 ? NULL : list;
}

struct shell_list *shell_parse_inside(struct shell_reader *r, char end)
{
	size_t begin = r->at;
	struct shell_list *list;

	if (++r->depth > SHELL_DEPTH_MAX) {
		(void)shell_refuse(r, begin, NULL, "more than %d groups inside each other",
				   SHELL_DEPTH_MAX);
		return NULL;
	}
	list = parse_list(r, end);
	if (!list)
		return NULL;
	if (r->pending) {
		(void)shell_refuse(r, r->at, "put it on a line of its own",
				   "a here-document whose lines do not come before the '%c'", end);
		return NULL;
	}
	r->depth--;
	r->at++;
	return list;
}

struct shell_list *shell_parse(struct shell_reader *r)
{
	struct shell_list *list = parse_list(r, '\0');

	if (list && r->pending) {
		(void)shell_refuse(r, r->pending->word->at,
				   "end it with a line that holds the word alone",
				   "a here-document that never ends");
		return NULL;
	}
	return list;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* shell_write.c - writes a command line again from what was read.
 *
 * Every text stands between single quotes, where a shell reads nothing but the
 * closing quote.  Outside of them stand only: our own operators, names of
 * variables as ${NAME}, and patterns from a closed alphabet.
 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "screen/shell_tree.h"

struct writer {
	struct buf out;
	bool failed;
	const struct shell_redirect *pending[SHELL_HEREDOCS_MAX];
	size_t n_pending;
};

static void write_list(struct writer *w, const struct shell_list *list);

static void put(struct writer *w, const char *data, size_t len)
{
	struct error err;

	if (buf_add(&w->out, data, len, &err) < 0 || w->out.cut)
		w->failed = true;
}

static void put_str(struct writer *w, const char *str)
{
	put(w, str, strlen(str));
}

/* What stands between two single quotes. */
static void put_inside(struct writer *w, const char *text, size_t len)
{
	const char *end = text + len;

	for (const char *quote; (quote = memchr(text, '\'', (size_t)(end - text)));
	     text = quote + 1) {
		put(w, text, (size_t)(quote - text));
		put_str(w, "'\\''");
	}
	put(w, text, (size_t)(end - text));
}

static void put_quoted(struct writer *w, const char *text)
{
	put_str(w, "'");
	put_inside(w, text, strlen(text));
	put_str(w, "'");
}

static void put_live(struct writer *w, const struct shell_piece *p)
{
	if (p->quoted)
		put_str(w, "\"");
	if (p->kind == PIECE_VARIABLE) {
		put_str(w, "${");
		put(w, p->text, p->len);
		put_str(w, "}");
	} else {
		put_str(w, "$( ");
		write_list(w, p->inside);
		put_str(w, " )");
	}
	if (p->quoted)
		put_str(w, "\"");
}

/* as_text: where a shell expands no patterns, none is written. */
static void put_word(struct writer *w, const struct shell_word *word, bool as_text)
{
	bool open = false; /* a quote */

	for (const struct shell_piece *p = word->pieces; p; p = p->next) {
		bool text = p->kind == PIECE_TEXT || (as_text && p->kind == PIECE_GLOB);

		if (text != open)
			put_str(w, "'");
		open = text;
		if (text)
			put_inside(w, p->text, p->len);
		else if (p->kind == PIECE_GLOB)
			put(w, p->text, p->len);
		else
			put_live(w, p);
	}
	if (open)
		put_str(w, "'");
}

static void put_redirect(struct writer *w, const struct shell_redirect *r)
{
	static const char *const operators[] = {
		[REDIRECT_READ] = "<",  [REDIRECT_WRITE] = ">",    [REDIRECT_APPEND] = ">>",
		[REDIRECT_JOIN] = ">&", [REDIRECT_HEREDOC] = "<<",
	};
	char text[32];

	(void)snprintf(text, sizeof(text), " %d%s", r->fd, operators[r->kind]);
	put_str(w, text);
	switch (r->kind) {
	case REDIRECT_JOIN:
		put_str(w, r->to == 1 ? "1" : "2");
		break;
	case REDIRECT_HEREDOC:
		put_quoted(w, r->word->value);
		w->pending[w->n_pending++] = r;
		break;
	case REDIRECT_READ:
	case REDIRECT_WRITE:
	case REDIRECT_APPEND:
		put_quoted(w, r->word->value);
		break;
	}
}

static void put_simple(struct writer *w, const struct shell_command *c)
{
	const char *gap = "";

	for (const struct shell_word *a = c->assignments; a; a = a->next, gap = " ") {
		put_str(w, gap);
		put_str(w, a->name);
		put_str(w, "=");
		put_word(w, a, true);
	}
	for (const struct shell_word *word = c->words; word; word = word->next, gap = " ") {
		put_str(w, gap);
		put_word(w, word, false);
	}
}

/* A newline when here-documents wait for one. */
static void put_gap(struct writer *w, const char *otherwise)
{
	if (w->n_pending == 0) {
		put_str(w, otherwise);
		return;
	}
	put_str(w, "\n");
	for (size_t i = 0; i < w->n_pending; i++) {
		/* No line of the body is its word: there the reader would have ended it. */
		put(w, w->pending[i]->body, w->pending[i]->body_len);
		put_str(w, w->pending[i]->word->value);
		put_str(w, "\n");
	}
	w->n_pending = 0;
}

static void put_command(struct writer *w, const struct shell_command *c)
{
	if (c->kind == COMMAND_SIMPLE) {
		put_simple(w, c);
	} else {
		put_str(w, c->kind == COMMAND_SUBSHELL ? "( " : "{ ");
		write_list(w, c->inside);
		put_str(w, c->kind == COMMAND_SUBSHELL ? " )" : "\n}");
	}
	for (const struct shell_redirect *r = c->redirects; r; r = r->next)
		put_redirect(w, r);
}

static void write_list(struct writer *w, const struct shell_list *list)
{
	static const char *const joins[] = {
		[JOIN_END] = "",   [JOIN_THEN] = "",         [JOIN_AND] = " &&",
		[JOIN_OR] = " ||", [JOIN_BACKGROUND] = " &",
	};

	for (const struct shell_pipeline *p = list->pipelines; p; p = p->next) {
		for (const struct shell_command *c = p->commands; c; c = c->next) {
			put_command(w, c);
			if (c->next) {
				put_str(w, " |");
				put_gap(w, " ");
			}
		}
		put_str(w, joins[p->join]);
		if (p->join == JOIN_AND || p->join == JOIN_OR)
			put_gap(w, " ");
		else
			put_gap(w, p->next ? "\n" : "");
	}
}

const char *shell_write(const struct shell_list *list, size_t text_len, struct arena *a)
{
	struct writer w = {0};
	struct error err;
	const char *ret = NULL;

	/* A text of quotes alone grows by four; a short word by its quotes and a gap. */
	buf_init(&w.out, text_len * 8 + 1024);
	write_list(&w, list);
	if (!w.failed)
		ret = arena_copy(a, buf_str(&w.out), w.out.len, &err);
	buf_done(&w.out);
	return ret;
}

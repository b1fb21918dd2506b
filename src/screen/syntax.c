/* SPDX-License-Identifier: Apache-2.0 */
/* syntax.c - a syntax tree within bounds: time, size and depth. */
#include "screen/syntax.h"

#include <string.h>
#include <time.h>

static uint64_t syntax_clock_us(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

bool syntax_is_late(const struct syntax *x)
{
	struct syntax_budget *b = x->budget;
	uint64_t now = syntax_clock_us();

	if (!b->begun) {
		b->begun = true;
		b->deadline_us = now + b->us;
	}
	return now > b->deadline_us;
}

static bool stop_when_late(TSParseState *state)
{
	return syntax_is_late(state->payload);
}

static const char *read_text(void *payload, uint32_t at, TSPoint place, uint32_t *ret_len)
{
	const struct syntax *x = payload;

	(void)place;
	*ret_len = at < x->len ? x->len - at : 0;
	return x->text + (at < x->len ? at : x->len);
}

enum syntax_end syntax_parse(struct syntax *x, const TSLanguage *language)
{
	TSInput input = {.payload = x, .read = read_text, .encoding = TSInputEncodingUTF8};
	TSParseOptions options = {.payload = x, .progress_callback = stop_when_late};

	x->parser = ts_parser_new();
	if (!x->parser || !ts_parser_set_language(x->parser, language))
		return SYNTAX_LATE;
	x->tree = ts_parser_parse_with_options(x->parser, NULL, input, options);
	return x->tree ? SYNTAX_READ : SYNTAX_LATE;
}

void syntax_end(struct syntax *x)
{
	ts_tree_delete(x->tree);
	ts_parser_delete(x->parser);
}

/* The next node that is not beneath this one; false: there is none. */
static bool go_on(TSTreeCursor *cursor, size_t *depth)
{
	while (!ts_tree_cursor_goto_next_sibling(cursor)) {
		if (!ts_tree_cursor_goto_parent(cursor))
			return false;
		--*depth;
	}
	return true;
}

static enum syntax_end walk(const struct syntax *x, TSTreeCursor *cursor,
			    bool (*visit)(void *context, const struct visit *v), void *context)
{
	TSNode path[SYNTAX_DEPTH_MAX + 1];
	size_t depth = 0;

	for (size_t n = 1;; n++) {
		bool down = true;

		if (depth >= SYNTAX_DEPTH_MAX)
			return SYNTAX_DEEP;
		if (n % 256 == 0 && syntax_is_late(x))
			return SYNTAX_LATE;
		path[depth] = ts_tree_cursor_current_node(cursor);
		if (ts_node_is_named(path[depth]))
			down = visit(context, &(struct visit){path[depth], path, depth});
		if (down && ts_tree_cursor_goto_first_child(cursor))
			depth++;
		else if (!go_on(cursor, &depth))
			return SYNTAX_READ;
	}
}

enum syntax_end syntax_walk(const struct syntax *x, TSNode root,
			    bool (*visit)(void *context, const struct visit *v), void *context)
{
	TSTreeCursor cursor = ts_tree_cursor_new(root);
	enum syntax_end end = walk(x, &cursor, visit, context);

	ts_tree_cursor_delete(&cursor);
	return end;
}

bool syntax_text_is(const struct syntax *x, TSNode node, const char *text)
{
	size_t len;
	const char *got = syntax_text(x, node, &len);

	return strlen(text) == len && memcmp(got, text, len) == 0;
}

struct search {
	TSNode found;
	TSNode closest; /* the smallest that holds one: a missing bracket has no node of its own */
};

static bool see_error(void *context, const struct visit *v)
{
	struct search *s = context;

	if (!ts_node_is_null(s->found) || !ts_node_has_error(v->node))
		return false;
	if (ts_node_is_error(v->node) || ts_node_is_missing(v->node)) {
		s->found = v->node;
		return false;
	}
	s->closest = v->node;
	return true;
}

TSNode syntax_first_error(const struct syntax *x)
{
	TSNode root = ts_tree_root_node(x->tree);
	struct search s = {0};

	if (!ts_node_has_error(root))
		return s.found;
	(void)syntax_walk(x, root, see_error, &s);
	return ts_node_is_null(s.found) ? s.closest : s.found;
}

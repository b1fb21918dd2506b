/* SPDX-License-Identifier: Apache-2.0 */
/* syntax.h - a syntax tree within bounds: time, size and depth; exceeded means that there is none.
 */
#ifndef SCREEN_SYNTAX_H
#define SCREEN_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tree_sitter/api.h>

enum { SYNTAX_DEPTH_MAX = 1500 };

enum syntax_end {
	SYNTAX_LATE = 0, /* the time budget is used up */
	SYNTAX_DEEP,     /* nested deeper than SYNTAX_DEPTH_MAX */
	SYNTAX_READ,     /* all of it was seen */
};

/* Time that this thread may use, and not that which passes: a busy host refuses nobody.  It counts
 * from the first look at the clock: what is over before that has taken next to none, and need not
 * ask for the time. */
struct syntax_budget {
	uint64_t us;
	bool begun;
	uint64_t deadline_us;
};

struct syntax {
	TSParser *parser;
	TSTree *tree;
	const char *text;
	uint32_t len;
	struct syntax_budget *budget; /* of all texts that are in one another */
};

bool syntax_is_late(const struct syntax *x);
enum syntax_end syntax_parse(struct syntax *x, const TSLanguage *language);
void syntax_end(struct syntax *x); /* for own(syntax) */

/* One node on the way down; above[depth - 1] is its parent. */
struct visit {
	TSNode node;
	const TSNode *above;
	size_t depth;
};

/* Every named node, parents first.  visit: false leaves out what is beneath. */
enum syntax_end syntax_walk(const struct syntax *x, TSNode root,
			    bool (*visit)(void *context, const struct visit *v), void *context);

/* The node's text; not terminated. */
static inline const char *syntax_text(const struct syntax *x, TSNode node, size_t *ret_len)
{
	*ret_len = ts_node_end_byte(node) - ts_node_start_byte(node);
	return x->text + ts_node_start_byte(node);
}

bool syntax_text_is(const struct syntax *x, TSNode node, const char *text);
/* The first thing that is no part of the language; null node: none. */
TSNode syntax_first_error(const struct syntax *x);

#endif

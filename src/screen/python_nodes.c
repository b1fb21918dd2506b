/* SPDX-License-Identifier: Apache-2.0 */
/* python_nodes.c - small questions about nodes of Python's tree. */
#include "screen/python.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/own.h"
#include "screen/grammars.h"

#define KIND_NAME(name)  [PY_##name] = #name,
#define FIELD_NAME(name) [PY_F_##name] = #name,
static const char *const kind_names[] = {PY_KINDS(KIND_NAME)};
static const char *const field_names[] = {PY_FIELDS(FIELD_NAME)};
static_assert(ARRAY_LEN(kind_names) == PY_KIND_COUNT, "one name per kind");

/* The grammar's numbers, looked up once. */
static unsigned char kinds[512];
static TSFieldId fields[PY_FIELD_COUNT];

static void look_up_numbers(void)
{
	const TSLanguage *python = tree_sitter_python();

	for (unsigned k = 1; k < PY_KIND_COUNT; k++) {
		TSSymbol symbol = ts_language_symbol_for_name(
			python, kind_names[k], (uint32_t)strlen(kind_names[k]), true);

		assert(symbol > 0 && symbol < ARRAY_LEN(kinds)); /* the grammar was changed */
		kinds[symbol] = (unsigned char)k;
	}
	for (unsigned f = 0; f < PY_FIELD_COUNT; f++) {
		fields[f] = ts_language_field_id_for_name(python, field_names[f],
							  (uint32_t)strlen(field_names[f]));
		assert(fields[f] > 0);
	}
}

enum py_kind py_kind(TSNode node)
{
	TSSymbol symbol;

	if (fields[0] == 0)
		look_up_numbers();
	if (ts_node_is_null(node))
		return PY_other;
	symbol = ts_node_symbol(node);
	return symbol < ARRAY_LEN(kinds) ? (enum py_kind)kinds[symbol] : PY_other;
}

TSNode py_field(TSNode node, enum py_field field)
{
	if (fields[0] == 0)
		look_up_numbers();
	return ts_node_child_by_field_id(node, fields[field]);
}

const char *py_intern(struct py *p, const char *text, size_t len)
{
	unsigned hash = 5381;
	struct py_word *w;
	struct error err;

	for (size_t i = 0; i < len; i++)
		hash = hash * 33 + (unsigned char)text[i];
	for (w = p->words[hash % PY_BUCKETS]; w; w = w->next)
		if (w->len == len && memcmp(w->text, text, len) == 0)
			return w->text;
	w = arena_alloc(p->scratch, sizeof(*w) + len + 1, &err);
	if (!w) {
		p->failed = true;
		return NULL;
	}
	memcpy(w->text, text, len);
	w->len = len;
	w->next = p->words[hash % PY_BUCKETS];
	p->words[hash % PY_BUCKETS] = w;
	return w->text;
}

/* Python takes identifiers that look alike for the same: NFKC. */
static const char *fold_identifier(struct py *p, const char *text, size_t len)
{
	own_mem utf8proc_uint8_t *folded = NULL;
	const utf8proc_option_t nfkc = UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_COMPOSE;
	utf8proc_ssize_t n =
		utf8proc_map((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)len, &folded, nfkc);

	if (n < 0) {
		p->failed = true;
		return NULL;
	}
	return py_intern(p, (const char *)folded, (size_t)n);
}

const char *py_identifier(struct py *p, TSNode node)
{
	size_t len;
	const char *text;
	bool ascii = true;

	if (ts_node_is_null(node))
		return NULL;
	text = syntax_text(p->syntax, node, &len);
	for (size_t i = 0; i < len && ascii; i++)
		ascii = (unsigned char)text[i] < 0x80;
	return ascii ? py_intern(p, text, len) : fold_identifier(p, text, len);
}

static unsigned n_dots(const char *name)
{
	unsigned n = 0;

	while ((name = strchr(name, '.'))) {
		name++;
		n++;
	}
	return n;
}

const char *py_join(struct py *p, const char *left, const char *right)
{
	char both[PY_NAME_MAX + 2];
	size_t n = strlen(left), m = strlen(right);
	int len;

	/* No rule has such a name; and "x = x.y" in a loop must come to an end. */
	if (n + m > PY_NAME_MAX || n_dots(left) >= PY_DOTS_MAX)
		return NULL;
	len = snprintf(both, sizeof(both), "%s.%s", left, right);
	return py_intern(p, both, (size_t)len);
}

const char *py_dotted(struct py *p, TSNode node)
{
	const char *ret = NULL;

	for (uint32_t i = 0; i < ts_node_named_child_count(node); i++) {
		TSNode part = ts_node_named_child(node, i);
		const char *name = py_kind(part) == PY_identifier ? py_identifier(p, part) : NULL;

		if (name)
			ret = ret ? py_join(p, ret, name) : name;
	}
	return ret;
}

/* By a cursor: asking for the n-th child again and again takes the square of their number. */
const TSNode *py_children(struct py *p, TSNode node, uint32_t *ret_n)
{
	uint32_t n = ts_node_is_null(node) ? 0 : ts_node_named_child_count(node);
	struct error err;
	TSNode *list = n > 0 ? arena_array(p->scratch, n, sizeof(*list), &err) : NULL;
	TSTreeCursor cursor;

	*ret_n = 0;
	if (!list) {
		p->failed |= n > 0;
		return NULL;
	}
	cursor = ts_tree_cursor_new(node);
	for (bool more = ts_tree_cursor_goto_first_child(&cursor); more && *ret_n < n;
	     more = ts_tree_cursor_goto_next_sibling(&cursor)) {
		TSNode child = ts_tree_cursor_current_node(&cursor);

		if (ts_node_is_named(child))
			list[(*ret_n)++] = child;
	}
	ts_tree_cursor_delete(&cursor);
	return list;
}

TSNode py_argument(TSNode call, unsigned n)
{
	TSNode list = py_field(call, PY_F_arguments), found = {0};
	TSTreeCursor cursor;

	if (py_kind(list) != PY_argument_list)
		return found;
	cursor = ts_tree_cursor_new(list);
	for (bool more = ts_tree_cursor_goto_first_child(&cursor); more;
	     more = ts_tree_cursor_goto_next_sibling(&cursor)) {
		TSNode child = ts_tree_cursor_current_node(&cursor);
		enum py_kind kind = py_kind(child);

		if (!ts_node_is_named(child) || kind == PY_keyword_argument || kind == PY_comment)
			continue;
		if (n-- == 0) {
			found = child;
			break;
		}
	}
	ts_tree_cursor_delete(&cursor);
	return found;
}

TSNode py_keyword(struct py *p, TSNode call, const char *name)
{
	uint32_t n;
	const TSNode *list = py_children(p, py_field(call, PY_F_arguments), &n);

	for (uint32_t i = 0; i < n; i++)
		if (py_kind(list[i]) == PY_keyword_argument &&
		    syntax_text_is(p->syntax, py_field(list[i], PY_F_name), name))
			return py_field(list[i], PY_F_value);
	return (TSNode){0};
}

void py_is_obscure(struct py *p)
{
	if (!p->obscure)
		p->obscure_at = p->current;
	p->obscure = true;
}

TSNode py_bare(TSNode node)
{
	while (py_kind(node) == PY_parenthesized_expression && ts_node_named_child_count(node) > 0)
		node = ts_node_named_child(node, 0);
	return node;
}

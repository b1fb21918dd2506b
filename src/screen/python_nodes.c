/* SPDX-License-Identifier: Apache-2.0 */
/* python_nodes.c - small questions about nodes of Python's tree. */
#include "screen/python.h"

#include <assert.h>
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

const char *py_join(struct py *p, const char *left, const char *right)
{
	char both[PY_NAME_MAX + 2];
	size_t n = strlen(left), m = strlen(right);

	if (n + m > PY_NAME_MAX)
		return NULL; /* no rule has such a name */
	memcpy(both, left, n);
	both[n] = '.';
	memcpy(both + n + 1, right, m);
	return py_intern(p, both, n + m + 1);
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

TSNode py_argument(TSNode call, unsigned n)
{
	TSNode list = py_field(call, PY_F_arguments), none = {0};

	if (py_kind(list) != PY_argument_list)
		return none;
	for (uint32_t i = 0; i < ts_node_named_child_count(list); i++) {
		TSNode child = ts_node_named_child(list, i);
		enum py_kind kind = py_kind(child);

		if (kind == PY_keyword_argument || kind == PY_comment)
			continue;
		if (n-- == 0)
			return child;
	}
	return none;
}

TSNode py_keyword(const struct py *p, TSNode call, const char *name)
{
	TSNode list = py_field(call, PY_F_arguments), none = {0};

	for (uint32_t i = 0; !ts_node_is_null(list) && i < ts_node_named_child_count(list); i++) {
		TSNode child = ts_node_named_child(list, i);

		if (py_kind(child) == PY_keyword_argument &&
		    syntax_text_is(p->syntax, py_field(child, PY_F_name), name))
			return py_field(child, PY_F_value);
	}
	return none;
}

TSNode py_bare(TSNode node)
{
	while (py_kind(node) == PY_parenthesized_expression && ts_node_named_child_count(node) > 0)
		node = ts_node_named_child(node, 0);
	return node;
}

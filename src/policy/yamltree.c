/* SPDX-License-Identifier: Apache-2.0 */
/* yamltree.c - the text of a policy file becomes a tree; what could mean two things is refused.
 *
 * libfyaml reads the events; the tree is ours, so that what its document
 * builder would accept (aliases, merge keys, tags, a second document) never
 * gets a place in it.
 */
#include "policy/yamltree.h"

#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "policy/yamlbytes.h"

struct builder {
	const char *name;
	size_t len; /* of the whole text */
	struct arena *arena;
	struct complaints *complaints;
	struct fy_diag *diag;
	struct fy_parser *parser;
	struct node *open[YAML_DEPTH_MAX]; /* the collections around what comes next */
	struct node *last[YAML_DEPTH_MAX]; /* of each, its newest child */
	struct node *key[YAML_DEPTH_MAX];  /* of each map, a key whose value is still to come */
	size_t depth, nodes;
	struct node *root;
	bool second; /* a second document begins with what comes next */
	bool ended;  /* the stream was read to its end */
};

static void builder_end(struct builder *b)
{
	if (b->parser)
		fy_parser_destroy(b->parser);
	if (b->diag)
		fy_diag_destroy(b->diag);
}

/* libfyaml writes to standard error unless somebody else takes its words. */
static void swallow(struct fy_diag *diag, void *user, const char *text, size_t len)
{
	(void)diag;
	(void)user;
	(void)text;
	(void)len;
}

static int start(struct builder *b, const char *data)
{
	struct fy_diag_cfg say = {.output_fn = swallow, .level = FYET_ERROR, .module_mask = ~0U};
	/* A closing bracket may stand below the line that opened it, as everybody writes it. */
	struct fy_parse_cfg cfg = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_JSON_NONE |
					    FYPCF_SLOPPY_FLOW_INDENTATION |
					    FYPCF_DEFAULT_VERSION_1_2};

	b->diag = fy_diag_create(&say);
	if (!b->diag)
		return -1;
	fy_diag_set_collect_errors(b->diag, true);
	cfg.diag = b->diag;
	b->parser = fy_parser_create(&cfg);
	return b->parser ? fy_parser_set_string(b->parser, data, b->len) : -1;
}

static struct place place_of(const struct builder *b, const struct fy_mark *mark)
{
	struct place ret = {b->name, 1, 1};

	if (mark && mark->line >= 0 && mark->column >= 0) {
		ret.line = (unsigned)mark->line + 1;
		ret.column = (unsigned)mark->column + 1;
	}
	return ret;
}

/* The marks of quoted texts, aliases, anchors and tags point behind their first character. */
static struct place one_before(struct place place)
{
	if (place.column > 1)
		place.column--;
	return place;
}

static int refuse(struct builder *b, struct place place, const char *words)
{
	complain(b->complaints, place, "", "%s", words);
	return -1;
}

static struct node *make(struct builder *b, enum node_kind kind, struct place place)
{
	struct error err;
	struct node *n;

	if (++b->nodes > YAML_NODES_MAX) {
		(void)refuse(b, place, "the file has too many values");
		return NULL;
	}
	n = arena_alloc(b->arena, sizeof(*n), &err);
	if (!n) {
		(void)refuse(b, place, err.text);
		return NULL;
	}
	n->kind = kind;
	n->place = place;
	return n;
}

static int check_key(struct builder *b, const struct node *map, const struct node *key)
{
	if (key->plain && strcmp(key->text, "<<") == 0)
		return refuse(b, key->place, "merge keys (<<) are not read here: repeat the lines");
	if (node_is_empty(key))
		return refuse(b, key->place, "here a name is missing in front of ':'");
	if (map->n >= YAML_KEYS_MAX)
		return refuse(b, key->place, "this map has too many keys");
	for (const struct node *c = map->first; c; c = c->next)
		if (strcmp(c->key->text, key->text) == 0) {
			complain(b->complaints, key->place, key->text,
				 "'%s' stands here twice; first in line %u", key->text,
				 c->key->place.line);
			return -1;
		}
	return 0;
}

/* Puts n where the next value belongs. */
static int attach(struct builder *b, struct node *n)
{
	struct node *parent;
	size_t at;

	if (b->depth == 0) {
		b->root = n;
		return 0;
	}
	at = b->depth - 1;
	parent = b->open[at];
	if (parent->kind == NODE_MAP && !b->key[at]) {
		if (n->kind != NODE_SCALAR)
			return refuse(b, n->place,
				      "a name is expected here, not a list or map; if a text "
				      "begins with '{' or '[', put it in quotes");
		b->key[at] = n;
		return check_key(b, parent, n);
	}
	n->key = b->key[at];
	b->key[at] = NULL;
	if (b->last[at])
		b->last[at]->next = n;
	else
		parent->first = n;
	b->last[at] = n;
	parent->n++;
	return 0;
}

/* What was left out has no mark of its own. */
static struct place place_of_nothing(const struct builder *b)
{
	const struct node *around = b->depth ? b->open[b->depth - 1] : NULL;

	if (around && b->key[b->depth - 1])
		around = b->key[b->depth - 1];
	return around ? around->place : (struct place){b->name, 1, 1};
}

static struct place scalar_place(const struct builder *b, struct fy_token *value,
				 struct place place)
{
	enum fy_scalar_style style = fy_token_scalar_style(value);
	size_t len = 0;

	/* Newer libraries have a token for it, which lies behind its key. */
	if (!value || (style == FYSS_PLAIN && fy_token_get_text(value, &len) && len == 0))
		return place_of_nothing(b);
	return style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED ? one_before(place)
									  : place;
}

static int add_scalar(struct builder *b, struct fy_event *e, struct place mark)
{
	struct place place = scalar_place(b, e->scalar.value, mark);
	struct node *n = make(b, NODE_SCALAR, place);
	struct error err;
	const char *text;
	size_t len = 0;

	if (!n)
		return -1;
	n->plain = !e->scalar.value || fy_token_scalar_style(e->scalar.value) == FYSS_PLAIN;
	text = e->scalar.value ? fy_token_get_text(e->scalar.value, &len) : "";
	if (!text)
		return refuse(b, place, "this text cannot be read");
	if (memchr(text, '\0', len) || !text_is_utf8(text, len))
		return refuse(b, place, "an escape in this text stands for no character");
	n->text = arena_copy(b->arena, text, len, &err);
	if (!n->text)
		return refuse(b, place, err.text);
	return attach(b, n);
}

static int open_collection(struct builder *b, enum node_kind kind, struct place place)
{
	struct node *n = make(b, kind, place);

	if (!n || attach(b, n) < 0)
		return -1;
	if (b->depth >= YAML_DEPTH_MAX)
		return refuse(b, place, "more nesting than a policy file needs");
	b->open[b->depth] = n;
	b->last[b->depth] = NULL;
	b->key[b->depth] = NULL;
	b->depth++;
	return 0;
}

static int refuse_alias(struct builder *b, struct fy_event *e, struct place place)
{
	size_t len = 0;
	const char *text = fy_token_get_text(e->alias.anchor, &len);

	complain(b->complaints, place, "",
		 "'*%.*s' is an alias in YAML, and aliases are not read here; if it is a text, put "
		 "it in quotes: \"*%.*s\"",
		 (int)(len > 60 ? 60 : len), text ? text : "", (int)(len > 60 ? 60 : len),
		 text ? text : "");
	return -1;
}

static int start_document(struct builder *b, struct fy_event *e, struct place place)
{
	struct fy_document_state *state = e->document_start.document_state;

	/* Without "---" it has no place yet. */
	b->second = b->root != NULL;
	if (fy_document_state_version_explicit(state) || fy_document_state_tags_explicit(state))
		return refuse(b, place, "a policy file has no directives");
	return 0;
}

/* libfyaml ends a document early at bytes that it does not like: whatever we let through, the end
 * it saw must be the end there is. */
static bool ends_the_text(const struct builder *b, const struct fy_mark *mark)
{
	return mark && mark->input_pos == b->len;
}

static int take_event(struct builder *b, struct fy_event *e)
{
	struct place place = place_of(b, fy_event_start_mark(e));
	struct fy_token *anchor = fy_event_get_anchor_token(e), *tag = fy_event_get_tag_token(e);

	if (b->second)
		return refuse(b, place, "a second document begins here; a policy file has one");
	if (anchor && e->type != FYET_ALIAS)
		return refuse(b, one_before(place_of(b, fy_token_start_mark(anchor))),
			      "anchors (&) are not read here; if it is a text, put it in quotes");
	if (tag)
		return refuse(b, place_of(b, fy_token_start_mark(tag)),
			      "tags (!) are not read here; if it is a text, put it in quotes");
	switch (e->type) {
	case FYET_DOCUMENT_START:
		return start_document(b, e, place);
	case FYET_MAPPING_START:
		return open_collection(b, NODE_MAP, place);
	case FYET_SEQUENCE_START:
		return open_collection(b, NODE_LIST, place);
	case FYET_MAPPING_END:
	case FYET_SEQUENCE_END:
		b->depth--;
		return 0;
	case FYET_SCALAR:
		return add_scalar(b, e, place);
	case FYET_ALIAS:
		return refuse_alias(b, e, one_before(place));
	case FYET_STREAM_END:
		b->ended = ends_the_text(b, fy_event_start_mark(e));
		return 0;
	case FYET_STREAM_START:
	case FYET_DOCUMENT_END:
	case FYET_NONE:
		return 0;
	}
	return refuse(b, place, "something that is no part of a policy file");
}

/* The parser's own words, as far as it has any. */
static void report(struct builder *b)
{
	struct fy_diag_error *e;
	void *at = NULL;
	bool any = false;

	while ((e = fy_diag_errors_iterate(b->diag, &at))) {
		struct place place = {b->name, e->line > 0 ? (unsigned)e->line : 1,
				      e->column > 0 ? (unsigned)e->column : 1};

		complain(b->complaints, place, "", "not YAML: %s", e->msg ? e->msg : "unreadable");
		any = true;
	}
	if (!any)
		(void)refuse(b, (struct place){b->name, 1, 1}, "this cannot be read as YAML");
}

static int read_events(struct builder *b)
{
	struct fy_event *e;
	int result = 0;

	while (result == 0 && (e = fy_parser_parse(b->parser))) {
		result = take_event(b, e);
		fy_parser_event_free(b->parser, e);
	}
	if (result < 0)
		return -1;
	if (fy_parser_get_stream_error(b->parser) || !b->ended) {
		report(b);
		return -1;
	}
	return b->root ? 0 : refuse(b, (struct place){b->name, 1, 1}, "the file is empty");
}

struct node *yamltree_read(const char *name, const char *data, size_t len, struct arena *a,
			   struct complaints *ret)
{
	own(builder) b = {.name = name, .len = len, .arena = a, .complaints = ret};
	struct place top = {name, 1, 1};

	if (len > YAML_BYTES_MAX) {
		complain(ret, top, "", "the file has %zu bytes; at most %d are read", len,
			 YAML_BYTES_MAX);
		return NULL;
	}
	if (!yamlbytes_check(name, data, len, ret))
		return NULL;
	if (len == 0) {
		complain(ret, top, "", "the file is empty");
		return NULL;
	}
	if (start(&b, data) < 0) {
		complain(ret, top, "", "the YAML parser does not start: out of memory");
		return NULL;
	}
	return read_events(&b) < 0 ? NULL : b.root;
}

const struct node *node_find(const struct node *n, const char *key)
{
	if (n->kind != NODE_MAP)
		return NULL;
	for (const struct node *c = n->first; c; c = c->next)
		if (strcmp(c->key->text, key) == 0)
			return c;
	return NULL;
}

bool node_is_empty(const struct node *n)
{
	return n->kind == NODE_SCALAR && n->plain && n->text[0] == '\0';
}

const char *node_kind_name(const struct node *n)
{
	if (node_is_empty(n))
		return "nothing";
	switch (n->kind) {
	case NODE_SCALAR:
		return "a text";
	case NODE_LIST:
		return "a list";
	case NODE_MAP:
		return "a map";
	}
	return "nothing";
}

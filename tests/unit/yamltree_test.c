/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/yamltree.h"

#include "base/own.h"
#include "tap.h"

struct tree {
	struct arena arena;
	struct complaints complaints;
	const struct node *root;
};

static void tree_end(struct tree *t)
{
	arena_done(&t->arena);
}

static void tree_read_bytes(struct tree *t, const char *data, size_t len)
{
	arena_init(&t->arena, 64 << 20);
	t->root = yamltree_read("f.yaml", data, len, &t->arena, &t->complaints);
}

static void tree_read(struct tree *t, const char *text)
{
	tree_read_bytes(t, text, strlen(text));
}

/* No tree, and one complaint at that place that holds these words. */
static bool refused(const char *text, unsigned line, unsigned column, const char *words)
{
	own(tree) t = {.root = NULL};
	const struct complaint *c = t.complaints.list;

	tree_read(&t, text);
	if (!t.root && t.complaints.n == 1 && c->place.line == line && c->place.column == column &&
	    strcmp(c->place.file, "f.yaml") == 0 && strstr(c->text, words))
		return true;
	printf("# %zu complaints, %u:%u %s\n", t.complaints.n, c->place.line, c->place.column,
	       c->text);
	return false;
}

static bool is_scalar(const struct node *n, const char *text, bool plain)
{
	return n && n->kind == NODE_SCALAR && n->plain == plain && strcmp(n->text, text) == 0;
}

static bool is_at(const struct node *n, unsigned line, unsigned column)
{
	return n && n->place.line == line && n->place.column == column;
}

TEST(maps_lists_and_texts_have_their_places)
{
	own(tree) t = {.root = NULL};
	const struct node *b;

	tree_read(&t, "a: 1\nb:\n  - x\n  - \"y\"\n  - {q: 'z'}\n# end\n");
	CHECK(t.root && t.root->kind == NODE_MAP && t.root->n == 2);
	CHECK(is_scalar(node_find(t.root, "a"), "1", true) && is_at(node_find(t.root, "a"), 1, 4));
	b = node_find(t.root, "b");
	CHECK(b && b->kind == NODE_LIST && b->n == 3 && is_at(b->key, 2, 1));
	CHECK(is_scalar(b->first, "x", true) && is_at(b->first, 3, 5));
	CHECK(is_scalar(b->first->next, "y", false) && is_at(b->first->next, 4, 5));
	CHECK(is_at(node_find(b->first->next->next, "q"), 5, 9));
	CHECK(!node_find(t.root, "c") && !node_find(b, "q"));
}

TEST(texts_are_not_typed)
{
	static const char *const words[] = {"no", "010", "~", "null", "1e3", "0x10", "2024-01-01"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		own(tree) t = {.root = NULL};
		char text[40];

		(void)snprintf(text, sizeof(text), "a: %s\n", words[i]);
		tree_read(&t, text);
		CHECK(t.root && is_scalar(node_find(t.root, "a"), words[i], true));
	}
}

TEST(what_is_left_out_is_empty_and_stands_at_its_key)
{
	own(tree) t = {.root = NULL};

	tree_read(&t, "a: 1\nb:\nc: ''\n");
	CHECK(t.root && node_is_empty(node_find(t.root, "b")));
	CHECK(t.root && is_at(node_find(t.root, "b"), 2, 1));
	CHECK(t.root && !node_is_empty(node_find(t.root, "c")));
	CHECK_STR(node_kind_name(node_find(t.root, "b")), "nothing");
}

TEST(a_document_may_begin_and_end_with_marks)
{
	own(tree) t = {.root = NULL};

	tree_read(&t, "# first\n---\na: 1\n...\n# last\n");
	CHECK(t.root && t.complaints.n == 0);
}

TEST(long_texts_may_be_folded_and_brackets_close_below)
{
	own(tree) t = {.root = NULL};

	tree_read(&t, "a: >-\n  one\n  two\nb: |\n  x\n  y\nc: [\n  1,\n]\n");
	CHECK(t.root && is_scalar(node_find(t.root, "a"), "one two", false));
	CHECK(t.root && is_scalar(node_find(t.root, "b"), "x\ny\n", false));
	CHECK(t.root && node_find(t.root, "c")->n == 1);
}

TEST(a_second_document_is_refused)
{
	CHECK(refused("a: 1\n---\nb: 2\n", 3, 1, "second document"));
	CHECK(refused("a: 1\n...\nb: 2\n", 3, 1, "second document"));
	/* One with nothing in it has no place, or that behind its mark, as the library likes. */
	CHECK(refused("a: 1\n---\n", 1, 1, "second document") ||
	      refused("a: 1\n---\n", 2, 4, "second document"));
}

TEST(an_alias_is_refused_and_the_words_say_to_quote_it)
{
	CHECK(refused("a: [*.csv]\n", 1, 5, "put it in quotes: \"*.csv\""));
	CHECK(refused("a: *x\n", 1, 4, "alias"));
	CHECK(refused("a: 1\n*x : 2\n", 2, 1, "alias"));
}

TEST(anchors_are_refused)
{
	CHECK(refused("a: &x 5\n", 1, 4, "anchors"));
	CHECK(refused("a: &x\n  b: 1\n", 1, 4, "anchors"));
	CHECK(refused("a: &x [1]\nb: *x\n", 1, 4, "anchors"));
	CHECK(refused("&x a: 1\n", 1, 1, "anchors"));
}

TEST(tags_are_refused)
{
	CHECK(refused("a: !t 5\n", 1, 4, "tags"));
	CHECK(refused("a: !!str\n  b: 1\n", 1, 4, "tags"));
	CHECK(refused("a: !!int \"5\"\n", 1, 4, "tags"));
}

TEST(merge_keys_are_refused_but_a_quoted_one_is_a_name)
{
	own(tree) t = {.root = NULL};

	CHECK(refused("a:\n  <<: {x: 1}\n", 2, 3, "merge"));
	tree_read(&t, "\"<<\": 1\n");
	CHECK(t.root && t.root->n == 1);
}

TEST(directives_are_refused)
{
	CHECK(refused("%YAML 1.1\n---\na: no\n", 1, 1, "directive"));
	CHECK(refused("%TAG ! x\n---\na: 1\n", 1, 1, "directive"));
	CHECK(refused("%FOO\n---\na: 1\n", 1, 1, "directive"));
}

TEST(a_collection_is_no_key)
{
	CHECK(refused("{a: 1, [x]: 2}\n", 1, 8, "a name is expected"));
	CHECK(refused("? {x: 1}\n: 5\n", 1, 3, "in quotes"));
	CHECK(refused(": x\n", 1, 1, "a name is missing"));
}

TEST(the_same_key_twice_is_refused_in_every_spelling)
{
	CHECK(refused("a: 1\nb: 2\na: 3\n", 3, 1, "first in line 1"));
	CHECK(refused("a: 1\n\"a\": 2\n", 2, 1, "twice"));
	CHECK(refused("a: 1\n\"\\x61\": 2\n", 2, 1, "twice"));
	CHECK(refused("x: {a: 1, 'a': 2}\n", 1, 11, "twice"));
}

TEST(bytes_that_would_end_the_document_early_are_refused)
{
	static const char nul[] = "a: 1\nb: \0\nc: 3\n", comment[] = "a: 1 # \0\nb: 2\n";
	own(tree) t = {.root = NULL}, u = {.root = NULL};

	tree_read_bytes(&t, nul, sizeof(nul) - 1);
	CHECK(!t.root && t.complaints.n == 1 && strstr(t.complaints.list[0].text, "NUL"));
	CHECK(t.complaints.list[0].place.line == 2 && t.complaints.list[0].place.column == 4);
	tree_read_bytes(&u, comment, sizeof(comment) - 1);
	CHECK(!u.root && u.complaints.n == 1);
	CHECK(refused("a: 1 # \xff\nb: 2\n", 1, 8, "not UTF-8"));
	CHECK(refused("a: \xfex\nb: 2\n", 1, 4, "not UTF-8"));
	CHECK(refused("a: \xc0\x80\n", 1, 4, "not UTF-8"));
	CHECK(refused("a: \xed\xa0\x80\n", 1, 4, "not UTF-8"));
	CHECK(refused("a: \xe2\x82", 1, 4, "not UTF-8"));
}

TEST(characters_that_nobody_sees_are_refused)
{
	CHECK(refused("a: \x01\n", 1, 4, "control"));
	CHECK(refused("a: \x1b[0m\n", 1, 4, "control"));
	CHECK(refused("a: \x7f\n", 1, 4, "control"));
	CHECK(refused("a: \xc2\x85\n", 1, 4, "control"));
	CHECK(refused("a: 1\rb: 2\n", 1, 5, "carriage return"));
	CHECK(refused("\xef\xbb\xbf"
		      "a: 1\n",
		      1, 1, "byte order mark"));
	CHECK(refused("\xc3\xa4: x # \xe2\x80\xae\n", 1, 8, "direction"));
	CHECK(refused("a: \xe2\x81\xa6x\n", 1, 4, "direction"));
	CHECK(refused("a: x\xe2\x80\x8b\n", 1, 5, "no width"));
	CHECK(refused("a: x\xe2\x80\xa8y\n", 1, 5, "line break"));
	CHECK(refused("a: x\xc2\xady\n", 1, 5, "soft hyphen"));
	CHECK(refused("a: x\xf3\xa0\x81\x81\n", 1, 5, "not shown"));
}

TEST(lines_may_end_as_on_windows)
{
	own(tree) t = {.root = NULL};

	tree_read(&t, "a: 1\r\nb: 2\r\n");
	CHECK(t.root && t.root->n == 2 && is_scalar(node_find(t.root, "a"), "1", true));
}

TEST(an_escape_makes_no_nul_and_no_half_character)
{
	CHECK(refused("a: \"x\\0y\"\n", 1, 4, "stands for no character"));
	CHECK(refused("a: \"\\x00\"\n", 1, 4, "stands for no character"));
}

TEST(what_is_no_yaml_is_refused_at_its_place)
{
	CHECK(refused("a: b: c\n", 1, 5, "not YAML"));
	CHECK(refused("a: @x\n", 1, 4, "not YAML"));
	CHECK(refused("a: \"x\n", 1, 5, "not YAML"));
	CHECK(refused("", 1, 1, "empty"));
	CHECK(refused("# only words\n", 1, 1, "empty"));
}

TEST(more_nesting_than_allowed_is_refused)
{
	own(tree) t = {.root = NULL}, u = {.root = NULL};
	char text[2 * YAML_DEPTH_MAX + 4] = "";

	memset(text, '[', YAML_DEPTH_MAX);
	memset(text + YAML_DEPTH_MAX, ']', YAML_DEPTH_MAX);
	tree_read(&t, text);
	CHECK(t.root != NULL);
	memset(text, '[', YAML_DEPTH_MAX + 1);
	memset(text + YAML_DEPTH_MAX + 1, ']', YAML_DEPTH_MAX + 1);
	tree_read(&u, text);
	CHECK(!u.root && u.complaints.n == 1);
}

TEST(a_file_that_is_too_long_is_refused)
{
	own(tree) t = {.root = NULL}, u = {.root = NULL};
	size_t len = YAML_BYTES_MAX + 1;
	own_str text = malloc(len);

	memset(text, '#', len);
	tree_read_bytes(&t, text, len);
	CHECK(!t.root && t.complaints.n == 1 && strstr(t.complaints.list[0].text, "at most"));
	memset(text, ',', len);
	for (size_t i = 0; i < len; i += 2)
		text[i] = 'a';
	memcpy(text, "[ ", 2);
	tree_read_bytes(&u, text, len - 1);
	CHECK(!u.root && u.complaints.n == 1 && strstr(u.complaints.list[0].text, "too many"));
}

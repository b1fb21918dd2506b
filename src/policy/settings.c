/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c - a map of the file fills in a struct, by the rows of its section.
 *
 * Every key is looked at, and every complaint is made: who writes a policy
 * wants to see all that is wrong with it at once.
 */
#include "policy/settings.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "policy/reader.h"

enum { ROWS_MAX = 40 };

static void *member(void *target, size_t offset)
{
	return (char *)target + offset;
}

static void write_count(void *at, uint64_t value)
{
	*(uint64_t *)at = value;
}

static void write_bool(void *at, bool value)
{
	*(bool *)at = value;
}

/* words[0] may be missing: an enum whose zero means no. */
static const char *const *first_word(const struct setting *row)
{
	return row->words + !row->words[0];
}

static void list_words(const struct setting *row, char *ret, size_t room)
{
	size_t used = 0;

	ret[0] = '\0';
	for (const char *const *w = first_word(row); *w && used < room; w++)
		used += (size_t)snprintf(ret + used, room - used, "%s%s",
					 w == first_word(row) ? ""
					 : w[1]               ? ", "
							      : " or ",
					 *w);
}

static void expects_between(const char *what, const char *unit, const struct setting *row,
			    char *ret, size_t room)
{
	(void)snprintf(ret, room, "%s from %" PRIu64 " to %" PRIu64 "%s", what, row->min, row->max,
		       unit);
}

void setting_expects(const struct setting *row, char *ret, size_t room)
{
	static const char *const plain[] = {
		[SET_BOOL] = "true or false",     [SET_TEXT] = "a text",
		[SET_TEXTS] = "a list of texts",  [SET_VALUE] = "any value",
		[SET_SECTION] = "a map",          [SET_POINTER] = "a map",
		[SET_NAMED] = "a map from names", [SET_LIST] = "a list of maps",
		[SETTING_TYPE_COUNT] = NULL,
	};

	switch (row->type) {
	case SET_COUNT:
		expects_between("a whole number", "", row, ret, room);
		return;
	case SET_MS:
		expects_between("a time such as 30s, 500ms or 2m,", " ms", row, ret, room);
		return;
	case SET_BYTES:
		expects_between("a size such as 4096, 100k, 256M or 2G,", " bytes", row, ret, room);
		return;
	case SET_WORD:
	case SET_EITHER:
		list_words(row, ret, room);
		return;
	case SET_TEXT:
	case SET_TEXTS:
		if (row->words)
			list_words(row, ret, room);
		else
			(void)snprintf(ret, room, "%s", plain[row->type]);
		return;
	case SET_BOOL:
	case SET_VALUE:
	case SET_SECTION:
	case SET_POINTER:
	case SET_NAMED:
	case SET_LIST:
		(void)snprintf(ret, room, "%s", plain[row->type]);
		return;
	case SET_OWN:
	case SETTING_TYPE_COUNT:
		break;
	}
	(void)snprintf(ret, room, "something like %s", row->example ? row->example : "this");
}

/* "a number is expected here, not 'x'; did you mean..." */
static void complain_type(struct reader *r, const struct setting *row, const struct node *n,
			  const char *more)
{
	char what[240];

	setting_expects(row, what, sizeof(what));
	if (n->kind == NODE_SCALAR && !node_is_empty(n))
		reader_complain(r, n, "expected: %s; not '%.60s'%s", what, n->text, more);
	else
		reader_complain(r, n, "expected: %s; not %s%s", what, node_kind_name(n), more);
}

static void read_bool(struct reader *r, const struct setting *row, const struct node *n, void *at)
{
	bool yes = n->kind == NODE_SCALAR && n->plain && strcmp(n->text, "true") == 0;
	bool no = n->kind == NODE_SCALAR && n->plain && strcmp(n->text, "false") == 0;

	if (yes || no)
		write_bool(at, yes);
	else
		complain_type(r, row, n, "");
}

static void read_number(struct reader *r, const struct setting *row, const struct node *n, void *at)
{
	uint64_t value;

	if (read_count(r, n, row->min, row->max, &value))
		write_count(at, value);
}

static void read_unit(struct reader *r, const struct setting *row, const struct node *n, void *at)
{
	struct error err;
	uint64_t value;

	if (n->kind != NODE_SCALAR || node_is_empty(n)) {
		complain_type(r, row, n, "");
	} else if ((row->type == SET_MS ? text_parse_ms : text_parse_bytes)(n->text, &value, &err) <
			   0 ||
		   value < row->min || value > row->max) {
		complain_type(r, row, n, "");
	} else {
		write_count(at, value);
	}
}

/* The index of the word; -1 after a complaint. */
static int read_word_index(struct reader *r, const struct setting *row, const struct node *n)
{
	char near[80] = "";

	if (n->kind == NODE_SCALAR && !node_is_empty(n)) {
		for (const char *const *w = first_word(row); *w; w++)
			if (strcmp(*w, n->text) == 0)
				return (int)(w - row->words);
		reader_suggest(n->text, first_word(row), near, sizeof(near));
	}
	complain_type(r, row, n, near);
	return -1;
}

static void read_text_row(struct reader *r, const struct setting *row, const struct node *n,
			  void *at)
{
	const char *text;
	size_t len;

	if (row->words && read_word_index(r, row, n) < 0)
		return;
	if (!read_text(r, n, &text))
		return;
	len = strlen(text);
	if (len < row->min || len > row->max) {
		if (row->min == row->max)
			reader_complain(r, n, "must have %" PRIu64 " bytes, not %zu", row->min,
					len);
		else
			reader_complain(r, n,
					"must have from %" PRIu64 " to %" PRIu64 " bytes, not %zu",
					row->min, row->max, len);
		return;
	}
	*(const char **)at = text;
}

static void read_word(struct reader *r, const struct setting *row, const struct node *n, void *at)
{
	int index = read_word_index(r, row, n);

	if (index >= 0)
		memcpy(at, &index, sizeof(index));
}

static void read_either(struct reader *r, const struct setting *row, const struct node *n, void *at)
{
	int index = read_word_index(r, row, n);

	if (index >= 0)
		write_bool(at, index == 1);
}

static void read_texts_row(struct reader *r, const struct setting *row, const struct node *n,
			   void *at)
{
	struct words words;
	bool fine = true;
	size_t i = 0;

	if (!read_texts(r, n, &words))
		return;
	if (words.n < row->min || words.n > row->max) {
		reader_complain(r, n, "from %" PRIu64 " to %" PRIu64 " are expected here, not %zu",
				row->min, row->max, words.n);
		return;
	}
	for (const struct node *c = n->first; c && row->words; c = c->next, i++) {
		size_t old = reader_enter(r, "[%zu]", i);

		fine = read_word_index(r, row, c) >= 0 && fine;
		reader_leave(r, old);
	}
	if (fine)
		*(struct words *)at = words;
}

static void read_value_row(struct reader *r, const struct setting *row, const struct node *n,
			   void *at)
{
	(void)row;
	(void)read_value(r, n, at);
}

static void read_section(struct reader *r, const struct setting *row, const struct node *n,
			 void *at)
{
	settings_read_over(r, row->section, n, at);
}

static void read_pointer(struct reader *r, const struct setting *row, const struct node *n,
			 void *at)
{
	void *one = reader_alloc(r, n, 1, row->section->size);

	if (!one)
		return;
	settings_read(r, row->section, n, one);
	*(void **)at = one;
}

static void read_own(struct reader *r, const struct setting *row, const struct node *n, void *at)
{
	row->read(r, n, at);
}

/* Elements of SET_NAMED and SET_LIST; one that is wrong is there all the same: the file is refused,
 * and what is said about the others stays true. */
static void read_elements(struct reader *r, const struct setting *row, const struct node *n,
			  void *target)
{
	const struct section *s = row->section;
	char *all = reader_alloc(r, n, n->n, s->size);
	size_t at = 0;

	if (!all)
		return;
	for (const struct node *c = n->first; c; c = c->next, at++) {
		char *one = all + at * s->size;
		size_t old =
			c->key ? reader_enter_key(r, c->key->text) : reader_enter(r, "[%zu]", at);

		if (c->key)
			*(const char **)member(one, s->name_offset) = c->key->text;
		if (c->key && !read_is_name(c->key->text))
			reader_complain(r, c->key,
					"'%.70s' is no name: 1 to 64 letters, digits, '_', '.' "
					"or '-', and neither '.' nor '-' first",
					c->key->text);
		settings_read(r, s, c, one);
		reader_leave(r, old);
	}
	*(void **)member(target, row->offset) = all;
	*(size_t *)member(target, row->count_offset) = at;
}

static void read_many(struct reader *r, const struct setting *row, const struct node *n,
		      void *target)
{
	if (!(row->type == SET_NAMED ? read_map : read_list)(r, n))
		return;
	if (n->n > row->max)
		reader_complain(r, n, "at most %" PRIu64 " are read here, not %zu", row->max, n->n);
	else
		read_elements(r, row, n, target);
}

static void read_row(struct reader *r, const struct setting *row, const struct node *n,
		     void *target)
{
	typedef void (*row_reader)(struct reader *, const struct setting *, const struct node *,
				   void *);
	static const row_reader readers[] = {
		[SET_BOOL] = read_bool,       [SET_COUNT] = read_number,
		[SET_MS] = read_unit,         [SET_BYTES] = read_unit,
		[SET_TEXT] = read_text_row,   [SET_WORD] = read_word,
		[SET_EITHER] = read_either,   [SET_TEXTS] = read_texts_row,
		[SET_VALUE] = read_value_row, [SET_SECTION] = read_section,
		[SET_POINTER] = read_pointer, [SET_NAMED] = read_many,
		[SET_LIST] = read_many,       [SET_OWN] = read_own,
	};
	static_assert(ARRAY_LEN(readers) == SETTING_TYPE_COUNT, "one reader per type");
	bool many = row->type == SET_NAMED || row->type == SET_LIST;
	size_t old = reader_enter_key(r, row->key);

	if (row->main_only && !r->main)
		reader_complain(r, n,
				"this is read in the main file only, not in one that is "
				"included or dropped in");
	else
		readers[row->type](r, row, n, many ? target : member(target, row->offset));
	reader_leave(r, old);
}

static const struct setting *find_row(const struct section *s, const char *key)
{
	for (size_t i = 0; i < s->n_rows; i++)
		if (strcmp(s->rows[i].key, key) == 0)
			return &s->rows[i];
	return NULL;
}

static void complain_unknown(struct reader *r, const struct section *s, const struct node *key)
{
	const char *names[ROWS_MAX + 1] = {NULL};
	char near[80];
	size_t old = reader_enter_key(r, key->text);

	for (size_t i = 0; i < s->n_rows; i++)
		names[i] = s->rows[i].key;
	reader_suggest(key->text, names, near, sizeof(near));
	reader_complain(r, key, "there is no setting '%.60s' here (%s)%s", key->text, s->name,
			near);
	reader_leave(r, old);
}

static void complain_missing(struct reader *r, const struct setting *row, const struct node *n)
{
	char what[240];
	size_t old = reader_enter_key(r, row->key);

	setting_expects(row, what, sizeof(what));
	reader_complain(r, n, "'%s' is missing here; expected: %s", row->key, what);
	reader_leave(r, old);
}

static void set_standards(struct reader *r, const struct section *s, void *target)
{
	for (size_t i = 0; i < s->n_rows; i++) {
		const struct setting *row = &s->rows[i];
		struct node written = {.kind = NODE_SCALAR, .plain = true, .text = row->standard};

		if (row->type == SET_SECTION)
			set_standards(r, row->section, member(target, row->offset));
		else if (row->standard)
			read_row(r, row, &written, target);
	}
}

void settings_read_over(struct reader *r, const struct section *s, const struct node *n,
			void *target)
{
	assert(s->n_rows <= ROWS_MAX);
	if (s->place_offset != SIZE_MAX)
		*(struct place *)member(target, s->place_offset) =
			n->key ? n->key->place : n->place;
	if (!read_map(r, n))
		return;
	for (const struct node *c = n->first; c; c = c->next)
		if (!find_row(s, c->key->text))
			complain_unknown(r, s, c->key);
	/* In the order of the rows: some build on others. */
	for (size_t i = 0; i < s->n_rows; i++) {
		const struct node *c = node_find(n, s->rows[i].key);

		if (c)
			read_row(r, &s->rows[i], c, target);
		else if (s->rows[i].required)
			complain_missing(r, &s->rows[i], n->key ? n->key : n);
	}
	if (s->finish)
		s->finish(r, n, target);
}

void settings_read(struct reader *r, const struct section *s, const struct node *n, void *target)
{
	set_standards(r, s, target);
	if (s->prepare)
		s->prepare(r, target);
	settings_read_over(r, s, n, target);
}

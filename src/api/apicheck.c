/* SPDX-License-Identifier: Apache-2.0 */
/* apicheck.c - holds a body against the rows of its object, and says precisely what is wrong. */
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/apirows.h"
#include "base/jsonread.h"
#include "base/own.h"
#include "base/text.h"

enum { POINTER_ROOM = sizeof(((struct api_problem *)0)->pointer), NAMES_MAX = 64 };

void api_no_problems(struct api_problems *p)
{
	p->n = 0;
	p->cut = false;
}

void api_complain(struct api_problems *p, const char *pointer, const char *fmt, ...)
{
	struct api_problem *one;
	va_list args;
	char text[sizeof(one->detail)];

	if (p->n == API_PROBLEMS_MAX) {
		p->cut = true;
		return;
	}
	one = &p->list[p->n++];
	(void)snprintf(one->pointer, sizeof(one->pointer), "%s", pointer);
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	/* It may quote what came. */
	text_one_line(text, one->detail, sizeof(one->detail));
}

/* above/name, with ~ and / escaped; what is too long is cut. */
static void point(const char *above, const char *name, char ret[POINTER_ROOM])
{
	size_t at = strlen(above);
	char plain[POINTER_ROOM];

	text_one_line(name, plain, sizeof(plain));
	memmove(ret, above, at + 1);
	if (at + 1 < POINTER_ROOM)
		ret[at++] = '/';
	for (const char *c = plain; *c && at + 3 < POINTER_ROOM; c++) {
		if (*c == '~' || *c == '/') {
			ret[at++] = '~';
			ret[at++] = *c == '~' ? '0' : '1';
		} else {
			ret[at++] = *c;
		}
	}
	ret[at] = '\0';
}

static size_t count_characters(const json_t *string)
{
	const char *text = json_string_value(string);
	size_t n = 0;

	for (size_t i = 0; i < json_string_length(string); i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

struct spot {
	const struct api_field *field;
	const char *pointer;
	struct api_problems *problems;
};

static void expected(const struct spot *s, const json_t *value)
{
	char form[200];

	api_expects(s->field, form, sizeof(form));
	api_complain(s->problems, s->pointer, "give %s, not %s", form, jsonread_kind(value));
}

static void out_of_bounds(const struct spot *s)
{
	char form[200];

	api_expects(s->field, form, sizeof(form));
	api_complain(s->problems, s->pointer, "give %s", form);
}

static void check_words(const struct spot *s, const char *word)
{
	const char *const *words = s->field->words;
	const char *near;

	for (size_t i = 0; words && words[i]; i++)
		if (strcmp(words[i], word) == 0)
			return;
	if (!words)
		return;
	near = text_nearest(word, words);
	if (near)
		api_complain(s->problems, s->pointer,
			     "there is no '%.40s' here; did you mean '%s'?", word, near);
	else
		out_of_bounds(s);
}

static void check_string(const struct spot *s, const json_t *value)
{
	size_t n;

	if (!json_is_string(value)) {
		expected(s, value);
		return;
	}
	n = count_characters(value);
	if (n < s->field->min || n > s->field->max)
		out_of_bounds(s);
	else
		check_words(s, json_string_value(value));
}

/* Whole groups of four, padding only at the end; what the bits are worth is the decoder's. */
static bool is_base64(const char *text, size_t len, size_t *ret_bytes)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t n = strspn(text, letters), pad = len - n;

	if (len % 4 || pad > 2 || strspn(text + n, "=") != pad)
		return false;
	*ret_bytes = len / 4 * 3 - pad;
	return true;
}

static void check_base64(const struct spot *s, const json_t *value)
{
	size_t bytes;

	if (!json_is_string(value))
		expected(s, value);
	else if (!is_base64(json_string_value(value), json_string_length(value), &bytes))
		api_complain(s->problems, s->pointer, "this is no base64");
	else if (bytes < s->field->min || bytes > s->field->max)
		out_of_bounds(s);
}

static bool is_within(const struct api_field *f, uint64_t n)
{
	return n >= f->min && n <= f->max;
}

static void check_integer(const struct spot *s, const json_t *value)
{
	json_int_t n = json_integer_value(value);

	if (!json_is_integer(value))
		expected(s, value);
	else if (n < 0 || !is_within(s->field, (uint64_t)n))
		out_of_bounds(s);
}

/* A text as the policy takes it, or a number of milliseconds or bytes. */
static void check_measure(const struct spot *s, const json_t *value)
{
	bool time = s->field->type == API_DURATION;
	struct error err = {0};
	uint64_t n = 0;

	if (json_is_integer(value)) {
		check_integer(s, value);
		return;
	}
	if (!json_is_string(value)) {
		expected(s, value);
		return;
	}
	if ((time ? text_parse_ms(json_string_value(value), &n, &err)
		  : text_parse_bytes(json_string_value(value), &n, &err)) < 0)
		api_complain(s->problems, s->pointer, "%.120s; give %s", err.text,
			     time ? "30s, 500ms or 2m" : "4096, 64k or 256M");
	else if (!is_within(s->field, n))
		out_of_bounds(s);
}

static void check_signal(const struct spot *s, const json_t *value)
{
	if (json_is_integer(value)) {
		check_integer(s, value);
		return;
	}
	if (!json_is_string(value)) {
		expected(s, value);
		return;
	}
	for (int i = 1; i < NSIG; i++) {
		const char *name = sigabbrev_np(i);

		if (name && strcmp(name, json_string_value(value)) == 0)
			return;
	}
	out_of_bounds(s);
}

static void check_map(const struct spot *s, const json_t *value)
{
	char pointer[POINTER_ROOM];
	const char *key;
	json_t *inner;

	if (!json_is_object(value)) {
		expected(s, value);
		return;
	}
	if (json_object_size(value) > s->field->max)
		out_of_bounds(s);
	json_object_foreach((json_t *)(uintptr_t)value, key, inner)
	{
		point(s->pointer, key, pointer);
		if (!json_is_string(inner))
			api_complain(s->problems, pointer, "give a string, not %s",
				     jsonread_kind(inner));
		else if (count_characters(inner) > s->field->item_max)
			api_complain(s->problems, pointer, "more than %" PRIu64 " characters",
				     s->field->item_max);
	}
}

/* Objects hold objects; how deep is the rows' affair, and they are no loop. */
static void check_object(const struct api_object *o, const json_t *value, const char *pointer,
			 struct api_problems *problems);

static void check_items(const struct spot *s, const json_t *value)
{
	const struct api_object *o = s->field->of ? api_object(s->field->of) : NULL;
	struct api_field item = {.type = s->field->items, .max = s->field->item_max};
	char pointer[POINTER_ROOM], number[24];
	size_t i;
	json_t *inner;

	json_array_foreach(value, i, inner)
	{
		(void)snprintf(number, sizeof(number), "%zu", i);
		point(s->pointer, number, pointer);
		if (o)
			check_object(o, inner, pointer, s->problems);
		else
			check_string(&(struct spot){&item, pointer, s->problems}, inner);
	}
}

static void check_list(const struct spot *s, const json_t *value)
{
	if (!json_is_array(value)) {
		expected(s, value);
		return;
	}
	if (!is_within(s->field, json_array_size(value)))
		out_of_bounds(s);
	else
		check_items(s, value);
}

/* A flat switch over every type. */
static void check_value(const struct spot *s, const json_t *value)
{
	const struct api_field *f = s->field;

	if (f->nullable && json_is_null(value))
		return;
	switch (f->type) {
	case API_STRING:
	case API_TIME:
		check_string(s, value);
		return;
	case API_BASE64:
		check_base64(s, value);
		return;
	case API_DURATION:
	case API_SIZE:
		check_measure(s, value);
		return;
	case API_SIGNAL:
		check_signal(s, value);
		return;
	case API_INTEGER:
		check_integer(s, value);
		return;
	case API_NUMBER:
		if (!json_is_number(value))
			expected(s, value);
		return;
	case API_BOOLEAN:
		if (!json_is_boolean(value))
			expected(s, value);
		return;
	case API_OBJECT:
		check_object(api_object(f->of), value, s->pointer, s->problems);
		return;
	case API_MAP:
		check_map(s, value);
		return;
	case API_FREE:
		if (!json_is_object(value))
			expected(s, value);
		return;
	case API_LIST:
		check_list(s, value);
		return;
	case API_ANY:
		return;
	case API_NONE:
	case API_TYPE_COUNT:
		break;
	}
	expected(s, value);
}

static const struct api_field *find_field(const struct api_object *o, const char *name)
{
	for (size_t i = 0; i < o->n_fields; i++)
		if (strcmp(o->fields[i].name, name) == 0)
			return &o->fields[i];
	return NULL;
}

static const char *find_elsewhere(const struct api_object *o, const char *name)
{
	for (const struct api_elsewhere *e = o->elsewhere; e && e->name; e++)
		if (strcmp(e->name, name) == 0)
			return e->where;
	return NULL;
}

static void unknown_member(const struct api_object *o, const char *name, const char *pointer,
			   struct api_problems *problems)
{
	const char *names[NAMES_MAX] = {0};
	const char *near, *where = find_elsewhere(o, name);

	if (where) {
		api_complain(problems, pointer, "there is no member '%s' here: %s", name, where);
		return;
	}
	for (size_t i = 0; i < o->n_fields && i < NAMES_MAX - 1; i++)
		names[i] = o->fields[i].name;
	near = text_nearest(name, names);
	api_complain(problems, pointer, "there is no member '%.60s' here%s%s%s", name,
		     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static void check_choice(const struct api_object *o, const json_t *value, const char *pointer,
			 struct api_problems *problems)
{
	const char *const *names = o->choice.names;
	char list[160] = "";
	size_t n = 0, used = 0;

	for (size_t i = 0; names && names[i]; i++) {
		n += json_object_get(value, names[i]) != NULL;
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? " or " : "",
					 names[i]);
	}
	if (n > 1)
		api_complain(problems, pointer, "give one of %s, not both", list);
	else if (n == 0 && o->choice.one)
		api_complain(problems, pointer, "give %s", list);
}

static void check_object(const struct api_object *o, const json_t *value, const char *pointer,
			 struct api_problems *problems)
{
	char inside[POINTER_ROOM];
	const char *key;
	json_t *inner;

	if (!json_is_object(value)) {
		api_complain(problems, pointer, "give an object, not %s", jsonread_kind(value));
		return;
	}
	json_object_foreach((json_t *)(uintptr_t)value, key, inner)
	{
		const struct api_field *f = find_field(o, key);

		point(pointer, key, inside);
		if (f)
			check_value(&(struct spot){f, inside, problems}, inner);
		else if (!o->open)
			unknown_member(o, key, inside, problems);
	}
	for (size_t i = 0; i < o->n_fields; i++) {
		if (!o->fields[i].required || json_object_get(value, o->fields[i].name))
			continue;
		point(pointer, o->fields[i].name, inside);
		api_complain(problems, inside, "'%s' is missing", o->fields[i].name);
	}
	check_choice(o, value, pointer, problems);
}

bool api_check(const struct api_object *o, const json_t *value, struct api_problems *ret)
{
	size_t before = ret->n;

	check_object(o, value, "", ret);
	return ret->n == before && !ret->cut;
}

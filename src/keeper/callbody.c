/* SPDX-License-Identifier: Apache-2.0 */
/* callbody.c - the body of a call becomes arguments and wishes.
 *
 * The rows of src/api have been held against it: here every member has its
 * type.  code, language and stdin beside the arguments are short for arguments of
 * the same name; both at once is a contradiction, not a choice.
 */
#include "keeper/callbody.h"

#include <string.h>

#include "api/apitable.h"
#include "audit/base64.h"
#include "base/own.h"
#include "base/text.h"
#include "call/limits.h"

enum { ARENA_BYTES = 300 << 20 };

void callbody_done(struct callbody *b)
{
	json_decref(b->value);
	json_decref(b->arguments);
	arena_done(&b->arena);
	*b = (struct callbody){0};
}

void callbody_end(struct callbody *b)
{
	callbody_done(b);
}

/* Arguments. */

static void move_argument(struct callbody *b, const char *name, struct api_problems *problems)
{
	json_t *value = json_object_get(b->value, name);
	char pointer[40];

	if (!value)
		return;
	if (!json_object_get(b->arguments, name)) {
		(void)json_object_set(b->arguments, name, value);
		return;
	}
	(void)snprintf(pointer, sizeof(pointer), "/%s", name);
	api_complain(problems, pointer, "'%s' is here and in arguments", name);
}

static int read_arguments(struct callbody *b, struct api_problems *problems, struct error *err)
{
	json_t *given = json_object_get(b->value, "arguments");

	b->arguments = given ? json_copy(given) : json_object();
	if (!b->arguments)
		return fail_sys(err, "keep the arguments");
	move_argument(b, "code", problems);
	move_argument(b, "language", problems);
	move_argument(b, "stdin", problems);
	return 0;
}

/* Limits. */

static bool is_named(const struct limit_row *row, const char *name)
{
	/* "cpu-percent" is an option; in JSON and in the policy it is "cpu_percent". */
	for (size_t i = 0;; i++) {
		char c = row->name[i] == '-' ? '_' : row->name[i];

		if (c != name[i])
			return false;
		if (c == '\0')
			return true;
	}
}

static uint64_t measure(const struct limit_row *row, const json_t *value)
{
	struct error ignored;
	uint64_t n = 0;

	if (json_is_integer(value))
		return (uint64_t)json_integer_value(value);
	if (row->unit == UNIT_MS)
		(void)text_parse_ms(json_string_value(value), &n, &ignored);
	else
		(void)text_parse_bytes(json_string_value(value), &n, &ignored);
	return n;
}

void callbody_limits(const json_t *limits, uint32_t *ret_set, struct limits *ret)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)limits, key, value)
	{
		for (size_t i = 0; i < limit_row_count; i++) {
			uint64_t n = measure(&limit_rows[i], value);

			if (!is_named(&limit_rows[i], key))
				continue;
			*ret_set |= 1u << i;
			memcpy((char *)ret + limit_rows[i].offset, &n, sizeof(n));
		}
	}
}

/* Files. */

static int decode(struct callbody *b, const json_t *text, struct put *ret, size_t i,
		  struct api_problems *problems, struct error *err)
{
	size_t len = json_string_length(text), room = len / 4 * 3;
	char *bytes = arena_alloc(&b->arena, room + 1, err);
	char pointer[60];
	ssize_t n;

	if (!bytes)
		return -1;
	n = base64_get(json_string_value(text), len, bytes, room);
	ret->data = bytes;
	ret->len = n < 0 ? 0 : (size_t)n;
	(void)snprintf(pointer, sizeof(pointer), "/files/%zu/content_base64", i);
	if (n < 0)
		api_complain(problems, pointer, "this is no base64");
	return 0;
}

static int read_files(struct callbody *b, struct api_problems *problems, struct error *err)
{
	const json_t *list = json_object_get(b->value, "files");
	size_t i, n = json_array_size(list);
	struct put *puts = arena_array(&b->arena, n + 1, sizeof(*puts), err);
	json_t *file;

	if (!puts)
		return -1;
	json_array_foreach(list, i, file)
	{
		const json_t *text = json_object_get(file, "content");

		puts[i].inside = json_string_value(json_object_get(file, "path"));
		puts[i].executable = json_is_true(json_object_get(file, "executable"));
		puts[i].data = text ? json_string_value(text) : "";
		puts[i].len = json_string_length(text);
		if (!text && decode(b, json_object_get(file, "content_base64"), &puts[i], i,
				    problems, err) < 0)
			return -1;
	}
	b->wishes.files = puts;
	b->wishes.n_files = n;
	return 0;
}

/* The rest. */

static int read_variables(struct callbody *b, struct error *err)
{
	json_t *map = json_object_get(b->value, "env"), *value;
	struct variable *list =
		arena_array(&b->arena, json_object_size(map) + 1, sizeof(*list), err);
	const char *key;
	size_t n = 0;

	if (!list)
		return -1;
	json_object_foreach(map, key, value) list[n++] =
		(struct variable){key, json_string_value(value)};
	b->wishes.env = list;
	b->wishes.n_env = n;
	return 0;
}

static int read_artifacts(struct callbody *b, struct error *err)
{
	const json_t *list = json_object_get(b->value, "artifacts");
	size_t i, n = json_array_size(list);
	const char **globs = arena_array(&b->arena, n + 1, sizeof(*globs), err);
	json_t *glob;

	if (!globs)
		return -1;
	json_array_foreach(list, i, glob) globs[i] = json_string_value(glob);
	b->wishes.artifacts = globs;
	b->wishes.n_artifacts = n;
	return 0;
}

int callbody_read(struct callbody *b, json_t *value, const struct keep_request *r,
		  struct api_problems *problems, struct error *err)
{
	*b = (struct callbody){.value = value, .wishes = {.input_fd = -1}};
	arena_init(&b->arena, ARENA_BYTES);
	b->tool = r->shape == SHAPE_TOOL ? r->tool
					 : json_string_value(json_object_get(value, "tool_name"));
	b->stdin_open = json_is_true(json_object_get(value, "stdin_open"));
	b->detach = json_is_true(json_object_get(value, "detach"));
	callbody_limits(json_object_get(value, "limits"), &b->wishes.limits_set, &b->wishes.limits);
	return read_arguments(b, problems, err) < 0 || read_files(b, problems, err) < 0 ||
			       read_variables(b, err) < 0 || read_artifacts(b, err) < 0
		       ? -1
		       : 0;
}

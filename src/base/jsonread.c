/* SPDX-License-Identifier: Apache-2.0 */
/* jsonread.c - foreign bytes become JSON values, strictly. */
#include "base/jsonread.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* The library stops at a nesting of 2048; what walks the values afterwards calls itself. */
static int check_depth(const char *data, size_t len, struct error *err)
{
	size_t depth = 0;
	bool quoted = false;

	for (size_t i = 0; i < len; i++) {
		char c = data[i];

		if (quoted && c == '\\')
			i++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == '[' || c == '{') && ++depth > JSON_DEPTH_MAX)
			return fail(err, ERR_CALLER, "byte %zu: more than %d levels of nesting", i,
				    JSON_DEPTH_MAX);
		else if (!quoted && (c == ']' || c == '}') && depth > 0)
			depth--;
	}
	return 0;
}

json_t *jsonread(const char *data, size_t len, size_t limit, struct error *err)
{
	json_error_t why;
	json_t *ret;
	char text[160];

	if (len > limit) {
		(void)fail(err, ERR_CALLER, "%zu bytes; at most %zu are read", len, limit);
		return NULL;
	}
	if (check_depth(data, len, err) < 0)
		return NULL;
	ret = json_loadb(data, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &why);
	if (ret)
		return ret;
	/* Its words are for whoever called it. */
	if (json_error_code(&why) == json_error_null_character)
		(void)snprintf(why.text, sizeof(why.text), "a string holds a NUL (\\u0000)");
	text_one_line(why.text, text, sizeof(text));
	(void)fail(err, ERR_CALLER, "line %d, column %d: %s", why.line, why.column, text);
	return NULL;
}

char *jsonread_text(const json_t *value)
{
	return json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
}

const char *jsonread_kind(const json_t *value)
{
	static const char *const kinds[] = {
		[JSON_OBJECT] = "an object",    [JSON_ARRAY] = "a list",
		[JSON_STRING] = "a string",     [JSON_INTEGER] = "an integer",
		[JSON_REAL] = "a number",       [JSON_TRUE] = "true or false",
		[JSON_FALSE] = "true or false", [JSON_NULL] = "null",
	};

	return value ? kinds[json_typeof(value)] : "nothing";
}

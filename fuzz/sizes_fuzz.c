/* SPDX-License-Identifier: Apache-2.0 */
/* sizes_fuzz.c - sizes, durations, counts, UTF-8 and escaping from any bytes. */
#include "fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "call/limits.h"

static void check_numbers(const char *text)
{
	struct limits limits;
	struct error err;
	uint64_t value;

	(void)text_parse_bytes(text, &value, &err);
	(void)text_parse_ms(text, &value, &err);
	(void)text_parse_uint(text, &value, &err);
	limits_default(&limits);
	for (size_t i = 0; i < limit_row_count; i++)
		(void)limits_set(&limits, &limit_rows[i], text, &err);
	assert(limits_check(&limits, &err) == 0); /* nothing out of bounds got in */
}

static void check_characters(const char *text, size_t size)
{
	static const char *const words[] = {"wall", "memory", "processes", NULL};
	size_t room = 4 * size + 1;
	own_str escaped = malloc(room);
	size_t floor = text_utf8_floor(text, size);

	assert(floor <= size);
	if (text_is_utf8(text, size))
		for (size_t cut = size > 8 ? size - 8 : 0; cut <= size; cut++)
			assert(text_is_utf8(text, text_utf8_floor(text, cut)));
	if (!escaped)
		return;
	text_escape(text, size, escaped, room);
	for (const char *p = escaped; *p; p++)
		assert(*p >= ' ' && *p <= '~');
	text_escape(text, size, escaped, size + 1); /* too small: cut, but terminated */
	assert(strlen(escaped) <= size);
	(void)text_nearest(text, words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	own_str text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	check_numbers(text);
	check_characters(text, size);
	return 0;
}

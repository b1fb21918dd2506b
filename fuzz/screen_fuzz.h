/* SPDX-License-Identifier: Apache-2.0 */
/* screen_fuzz.h - code from any bytes: whatever stands in front of a bad line, it stays found.
 *
 * Bytes that can be read as the language are put in front of a statement that is known to be bad;
 * the answer to both together is never yes.  A parser that loses its way, a list that is full, a
 * budget that is used up: each must end in a refusal too.
 */
#ifndef FUZZ_SCREEN_FUZZ_H
#define FUZZ_SCREEN_FUZZ_H

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "screen/screen.h"

static enum answer screen_bytes(const char *language, const char *text, size_t len,
				struct findings *found)
{
	static const struct screen_policy none;
	own(arena) arena;
	struct why why;
	enum answer answer;

	arena_init(&arena, 8 << 20);
	answer = screen_code(language, &none, text, len, &arena, found, &why);
	if (answer == ANSWER_DENY) {
		assert(why.layer == WHY_SCREEN && why.rule[0] && why.what[0]);
	} else {
		assert(why.layer == WHY_NONE);
		for (size_t i = 0; i < found->n; i++)
			assert(found->list[i].mode == SCREEN_WARN);
	}
	for (size_t i = 0; i < found->n; i++)
		assert(found->list[i].line > 0 && found->list[i].column > 0);
	return answer;
}

/* Did the grammar make sense of all of it? */
static bool was_read(const struct findings *found)
{
	for (size_t i = 0; i < found->n; i++)
		if (strstr(found->list[i].rule, ".syntax"))
			return false;
	return true;
}

/* Bytes, what ends them, and the bad line. */
static void screen_behind(const char *language, const uint8_t *data, size_t size, const char *end,
			  const char *bad)
{
	size_t len = size + strlen(end) + strlen(bad);
	own_str text = malloc(len + 1);
	struct findings found;

	assert(text);
	memcpy(text, data, size);
	memcpy(text + size, end, strlen(end));
	memcpy(text + size + strlen(end), bad, strlen(bad) + 1);
	assert(screen_bytes(language, text, len, &found) == ANSWER_DENY);
}

#endif

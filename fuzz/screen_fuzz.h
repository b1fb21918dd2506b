/* SPDX-License-Identifier: Apache-2.0 */
/* screen_fuzz.h - code from any bytes: whatever stands in front of a bad line, it stays found.
 *
 * The first byte says how the bytes are used: as they are, or in front of a known bad statement
 * (as statements, as a comment, as a string).  If bytes and bad statement are read as one text of
 * the language, the answer is never yes.  A parser that loses its way, a list that is full, a
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

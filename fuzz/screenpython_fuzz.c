/* SPDX-License-Identifier: Apache-2.0 */
/* screenpython_fuzz.c - Python from any bytes; a bad line behind them stays found. */
#include "fuzz.h"

#include "screen/python_plain.h"
#include "screen_fuzz.h"

static const char *const bad_lines[] = {
	"import os\nos.system('id')\n",
	"__import__('o' + 's').popen('id')\n",
	"from subprocess import run\n",
	"().__class__.__base__.__subclasses__()\n",
	"exec(input())\n",
};

/* An open string or bracket swallows what comes behind it: then it does not run either. */
static bool swallows(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (strchr("'\"([{\\#", data[i]) || data[i] == 0)
			return true;
	return false;
}

/* What is let through without the grammar is what the grammar finds nothing in.  A rule of an
 * owner's has everything read as a whole. */
static void compare_plain(const char *text, size_t len)
{
	static const char *nothing[] = {"nobody_calls_this"};
	struct screen_own_rule own = {
		.id = "own", .language = "python", .calls = {.word = nothing, .n = 1}};
	const struct screen_policy rules = {.own = &own, .n_own = 1};
	own(arena) arena;
	struct findings found;
	struct why why;

	if (!py_is_plain(text, len))
		return;
	arena_init(&arena, 8 << 20);
	assert(screen_code("python", &rules, text, len, &arena, &found, &why) == ANSWER_ALLOW);
	assert(found.n == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct findings found;
	const char *bad;

	if (size == 0 || size > 8192)
		return 0;
	bad = bad_lines[data[0] % ARRAY_LEN(bad_lines)];
	compare_plain((const char *)data + 1, size - 1);
	(void)screen_bytes("python", (const char *)data + 1, size - 1, &found);
	if (was_read(&found) && !swallows(data + 1, size - 1))
		screen_behind("python", data + 1, size - 1, "\n", bad);
	return 0;
}

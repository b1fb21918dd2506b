/* SPDX-License-Identifier: Apache-2.0 */
/* screenpython_fuzz.c - Python from any bytes; a bad line behind them stays found. */
#include "fuzz.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct findings found;
	const char *bad;

	if (size == 0 || size > 8192)
		return 0;
	bad = bad_lines[data[0] % ARRAY_LEN(bad_lines)];
	(void)screen_bytes("python", (const char *)data + 1, size - 1, &found);
	if (was_read(&found) && !swallows(data + 1, size - 1))
		screen_behind("python", data + 1, size - 1, "\n", bad);
	return 0;
}

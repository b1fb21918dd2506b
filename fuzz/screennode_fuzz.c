/* SPDX-License-Identifier: Apache-2.0 */
/* screennode_fuzz.c - JavaScript from any bytes; a bad line behind them stays found. */
#include "fuzz.h"

#include "screen_fuzz.h"

static const char *const bad_lines[] = {
	"require('child_process').exec('id');\n",
	"(0, eval)('1');\n",
	"new Function('x');\n",
	"globalThis['fet' + 'ch']('x');\n",
};

static bool swallows(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (strchr("'\"`/\\<#-", data[i]) || data[i] == 0)
			return true;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct findings found;

	if (size == 0 || size > 4096)
		return 0;
	(void)screen_bytes("node", (const char *)data + 1, size - 1, &found);
	if (was_read(&found) && !swallows(data + 1, size - 1))
		screen_behind("node", data + 1, size - 1, "\n;",
			      bad_lines[data[0] % ARRAY_LEN(bad_lines)]);
	return 0;
}

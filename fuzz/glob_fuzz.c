/* SPDX-License-Identifier: Apache-2.0 */
/* glob_fuzz.c - a pattern and a name from any bytes: the pattern ends at the first newline. */
#include "fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/own.h"

/* A walk that asks glob_may_enter() must get to everything that matches. */
static void check_walk(const char *pattern, char *path)
{
	bool matches = glob_match(pattern, path);

	for (char *slash = path; (slash = strchr(slash, '/')); slash++) {
		if (slash == path || !slash[1]) /* such names do not exist */
			continue;
		*slash = '\0';
		assert(!matches || glob_may_enter(pattern, path));
		*slash = '/';
	}
}

/* A name with a backslash in front of each byte matches itself and nothing longer. */
static void check_escaped(const char *path)
{
	char pattern[GLOB_MAX + 1], longer[GLOB_MAX + 2];
	size_t len = strlen(path);

	if (len > GLOB_MAX / 2)
		return;
	for (size_t i = 0; i < len; i++) {
		pattern[2 * i] = '\\';
		pattern[2 * i + 1] = path[i];
	}
	pattern[2 * len] = '\0';
	assert(glob_match(pattern, path));
	memcpy(longer, path, len);
	memcpy(longer + len, "x", 2);
	assert(!glob_match(pattern, longer));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	own_str text = malloc(size + 1);
	struct error err;
	char *path;

	if (!text || size > 8192)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	path = strchrnul(text, '\n');
	if (*path)
		*path++ = '\0';
	if (glob_check(text, &err) < 0)
		assert(err.kind == ERR_CALLER && err.text[0]);
	check_walk(text, path);
	check_escaped(path);
	assert(glob_match("**", path));
	return 0;
}

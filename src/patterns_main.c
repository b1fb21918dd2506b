/* SPDX-License-Identifier: Apache-2.0 */
/* patterns_main.c - belljar-patterns: compiles the owner's redaction rules.
 *
 * Patterns come on standard input, one in a line; the database goes to standard output.  A
 * program of its own, because it is the only one that needs all of vectorscan.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/own.h"
#include "redact/pattern_build.h"
#include "redact/patterns.h"

enum { SECONDS_MAX = 20, MEMORY_MAX = 1 << 30, LINE_ROOM = 8192 };

/* Some patterns take for ever to compile. */
static void limit_self(void)
{
	const struct rlimit time = {SECONDS_MAX, SECONDS_MAX}, memory = {MEMORY_MAX, MEMORY_MAX};

	(void)setrlimit(RLIMIT_CPU, &time);
	(void)setrlimit(RLIMIT_AS, &memory);
}

static int read_patterns(char **finds, size_t *ret_n, struct error *err)
{
	char line[LINE_ROOM];
	size_t n = 0;

	while (fgets(line, sizeof(line), stdin)) {
		size_t len = strcspn(line, "\n");

		if (line[len] != '\n' || n == PATTERNS_MAX)
			return fail(err, ERR_CALLER, "pattern %zu: too long, or too many", n + 1);
		finds[n] = strndup(line, len);
		if (!finds[n])
			return fail_sys(err, "keep a pattern");
		n++;
	}
	*ret_n = n;
	return n ? 0 : fail(err, ERR_CALLER, "no patterns");
}

int main(void)
{
	static char *finds[PATTERNS_MAX];
	struct error err = {0};
	int result = 1;
	size_t n = 0;

#ifndef __SANITIZE_ADDRESS__
	limit_self();
#else
	(void)limit_self;
#endif
	if (read_patterns(finds, &n, &err) == 0 &&
	    pattern_build((const char *const *)finds, n, true,
			  patterns_key((const char *const *)finds, n), stdout, &err) == 0)
		result = 0;
	else
		(void)fprintf(stderr, "belljar-patterns: %s\n", err.text);
	for (size_t i = 0; i < n; i++)
		free(finds[i]);
	return result;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* redact_compile.c - part of the build: compiles the built-in patterns.
 *
 *     redact-compile standard|personal OUT
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "redact/pattern_build.h"
#include "redact/patterns.h"
#include "redact/redact_rule.h"

enum { FIND_MAX = 1024 };

static char texts[PATTERNS_MAX][FIND_MAX];

static int build(bool standard, const char *path, struct error *err)
{
	const char *finds[PATTERNS_MAX] = {NULL};
	size_t n = redact_rule_count();
	own_file out = fopen(path, "w");

	if (!out)
		return fail_sys(err, "open %s", path);
	for (size_t i = 0; i < n && i < PATTERNS_MAX; i++) {
		const struct redact_rule *rule = redact_rule_at(i);

		if (!(rule->group & REDACT_STANDARD) == standard || rule->hand || rule->begins)
			continue;
		redact_rule_find(rule, texts[i], FIND_MAX);
		finds[i] = texts[i];
	}
	return pattern_build(finds, n, false, 1, out, err);
}

int main(int argc, char **argv)
{
	struct error err = {0};

	if (argc != 3) {
		(void)fprintf(stderr, "usage: redact-compile standard|personal OUT\n");
		return 2;
	}
	if (build(strcmp(argv[1], "standard") == 0, argv[2], &err) == 0)
		return 0;
	(void)fprintf(stderr, "redact-compile: %s\n", err.text);
	return 1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* redact_compile.c - part of the build: who looks for which built-in rule, and with what.
 *
 *     redact-compile standard|personal|starts|names|anchors OUT
 *
 * Rules found by hand are in nobody's table.  Of the others each is in exactly one: that of
 * beginnings (starts.c), that of names (nearnames.c), that of anchors (wordanchors.c), or a
 * database of patterns.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "redact/anchor_build.h"
#include "redact/near_build.h"
#include "redact/pattern_build.h"
#include "redact/patterns.h"
#include "redact/redact_rule.h"
#include "redact/start_build.h"

enum { FIND_MAX = 1024 };

/* What is written. */
static struct starts starts;
static struct nearnames names;
static struct anchors anchors;
static char texts[PATTERNS_MAX][FIND_MAX];
static const char *finds[PATTERNS_MAX];

static bool has_names(const struct redact_rule *rule, size_t i)
{
	static struct nearnames before;

	before = names;
	if (near_build(&names, rule, i))
		return true;
	names = before;
	return false;
}

static bool has_anchors(const struct redact_rule *rule, size_t i)
{
	static struct anchors before;

	before = anchors;
	if (anchor_build(&anchors, rule, i))
		return true;
	anchors = before;
	return false;
}

static int share_out(bool standard, struct error *err)
{
	for (size_t i = 0; i < redact_rule_count() && i < PATTERNS_MAX; i++) {
		const struct redact_rule *rule = redact_rule_at(i);

		if (!(rule->group & REDACT_STANDARD) == standard || rule->hand)
			continue;
		if (rule->begins) {
			if (!standard)
				return fail(err, ERR_INTERNAL, "%s: no table for it", rule->id);
			if (start_build(&starts, rule, i, err) < 0)
				return -1;
			continue;
		}
		if (standard && (has_names(rule, i) || has_anchors(rule, i)))
			continue;
		redact_rule_find(rule, texts[i], FIND_MAX);
		finds[i] = texts[i];
	}
	return 0;
}

static int put(FILE *out, const void *table, size_t size, struct error *err)
{
	return fwrite(table, size, 1, out) == 1 && fflush(out) == 0 ? 0 : fail_sys(err, "write");
}

static int build(const char *what, const char *path, struct error *err)
{
	own_file out = NULL;

	if (share_out(strcmp(what, "personal") != 0, err) < 0)
		return -1;
	out = fopen(path, "w");
	if (!out)
		return fail_sys(err, "open %s", path);
	if (strcmp(what, "starts") == 0)
		return put(out, &starts, sizeof(starts), err);
	if (strcmp(what, "names") == 0)
		return put(out, &names, sizeof(names), err);
	if (strcmp(what, "anchors") == 0)
		return put(out, &anchors, sizeof(anchors), err);
	return pattern_build(finds, redact_rule_count(), false, 1, out, err);
}

int main(int argc, char **argv)
{
	struct error err = {0};

	if (argc != 3) {
		(void)fprintf(stderr,
			      "usage: redact-compile standard|personal|starts|names|anchors OUT\n");
		return 2;
	}
	if (build(argv[1], argv[2], &err) == 0)
		return 0;
	(void)fprintf(stderr, "redact-compile: %s\n", err.text);
	return 1;
}

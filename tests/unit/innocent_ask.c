/* SPDX-License-Identifier: Apache-2.0 */
/* innocent_ask.c - for innocent_patterns.py: the rules, and what is said about lines of text.
 *
 *     innocent_ask rules     prints "ID<tab>PATTERN", one standard rule on each line
 *     innocent_ask texts     answers each line: innocent or not (1, 0), and changed by the redactor
 */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "redact/innocent.h"
#include "redact/redact_rule.h"
#include "redacting.h"

static void print_rules(void)
{
	for (size_t i = 0; i < redact_rule_count(); i++) {
		const struct redact_rule *r = redact_rule_at(i);

		if (r->group & REDACT_STANDARD)
			printf("%s\t%s\n", r->id, r->pattern);
	}
}

int main(int argc, char **argv)
{
	struct redact_set *set;
	own_str line = NULL;
	size_t room = 0;
	ssize_t n;

	if (argc == 2 && strcmp(argv[1], "rules") == 0) {
		print_rules();
		return 0;
	}
	set = redacting_set(REDACT_STANDARD);
	while ((n = getline(&line, &room, stdin)) > 0) {
		struct error err = {0};
		size_t len = 0;
		own_str clean = redact_text(set, line, (size_t)n, &len, &err);

		if (!clean)
			return 1;
		printf("%d %d\n", redact_innocent(line, (size_t)n),
		       len != (size_t)n || memcmp(clean, line, len) != 0);
	}
	redact_set_free(set);
	return 0;
}

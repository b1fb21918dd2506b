/* SPDX-License-Identifier: Apache-2.0 */
/* redact_direct.c - for sieve_test.py: text through the redactor, and nothing around it.
 *
 *     redact_direct < TEXT       all of it at once, by the standard rules
 *     redact_direct examples     prints what each standard rule finds, one on each line
 */
#include <stdio.h>
#include <string.h>

#include "base/fd.h"
#include "base/own.h"
#include "redact/redact_rule.h"
#include "redacting.h"

enum { MOST = 64 << 20 };

/* Without the marks around what is to be replaced. */
static void print_example(const char *example)
{
	for (; *example; example++)
		if (strncmp(example, "{{", 2) == 0 || strncmp(example, "}}", 2) == 0)
			example++;
		else
			(void)putchar(*example);
	(void)putchar('\n');
}

static int print_examples(void)
{
	for (size_t i = 0; i < redact_rule_count(); i++) {
		const struct redact_rule *r = redact_rule_at(i);

		for (size_t k = 0; (r->group & REDACT_STANDARD) && k < REDACT_EXAMPLES && r->yes[k];
		     k++)
			print_example(r->yes[k]);
	}
	return fflush(stdout);
}

int main(int argc, char **argv)
{
	struct redact_set *set;
	struct error err = {0};
	size_t len = 0, clean_len = 0;
	own_str text = NULL;
	own_str clean = NULL;
	size_t n;

	if (argc == 2 && strcmp(argv[1], "examples") == 0)
		return print_examples();
	text = malloc(MOST);
	assert(text);
	while ((n = fread(text + len, 1, MOST - len, stdin)) > 0)
		len += n;
	set = redacting_set(REDACT_STANDARD);
	clean = redact_text(set, text, len, &clean_len, &err);
	redact_set_free(set);
	return clean && fd_write_all(1, clean, clean_len, &err) == 0 ? 0 : 1;
}

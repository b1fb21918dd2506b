/* SPDX-License-Identifier: Apache-2.0 */
/* redact_rules_test.c - every redaction rule does what its own examples say. */
#include <ctype.h>

#include "base/own.h"
#include "redact/redact_rule.h"
#include "redacting.h"
#include "tap.h"

enum { TEXT = 4096 };

/* "a {{b}} c" -> "a b c" and "a [REDACTED:id] c" */
static void read_example(const char *example, const char *id, char *ret_text, char *ret_want)
{
	const char *open = strstr(example, "{{"), *close = strstr(example, "}}");

	if (!open || !close || open > close) {
		(void)snprintf(ret_text, TEXT, "no marks in: %s", example);
		(void)snprintf(ret_want, TEXT, "marks");
		return;
	}
	(void)snprintf(ret_text, TEXT, "%.*s%.*s%s", (int)(open - example), example,
		       (int)(close - open - 2), open + 2, close + 2);
	(void)snprintf(ret_want, TEXT, "%.*s[REDACTED:%s]%s", (int)(open - example), example, id,
		       close + 2);
}

/* Others may find more in the same text: each is tried among its like. */
static struct redact_set *set_for(const struct redact_rule *rule)
{
	static struct redact_set *sets[REDACT_ALL + 1];

	if (!sets[rule->group])
		sets[rule->group] = redacting_set(rule->group);
	return sets[rule->group];
}

TEST(every_positive_example_is_replaced_exactly)
{
	for (size_t i = 0; i < redact_rule_count(); i++) {
		const struct redact_rule *rule = redact_rule_at(i);

		CHECK(rule->yes[0] != NULL);
		for (size_t j = 0; j < REDACT_EXAMPLES && rule->yes[j]; j++) {
			char text[TEXT], want[TEXT];
			own_str got = NULL;

			read_example(rule->yes[j], rule->id, text, want);
			got = redacting_text(set_for(rule), text);
			CHECK_STR(got, want);
		}
	}
}

static bool fires(struct redact_set *set, const char *text, const char *id)
{
	own_str got = redacting_text(set, text);
	char label[128];

	(void)snprintf(label, sizeof(label), "[REDACTED:%s]", id);
	return strstr(got, label) != NULL;
}

TEST(no_negative_example_is_replaced)
{
	struct redact_set *set = redacting_set(REDACT_ALL);

	for (size_t i = 0; i < redact_rule_count(); i++) {
		const struct redact_rule *rule = redact_rule_at(i);

		CHECK(rule->no[0] != NULL);
		for (size_t j = 0; j < REDACT_EXAMPLES && rule->no[j]; j++)
			if (fires(set, rule->no[j], rule->id)) {
				printf("# %s fires on: %s\n", rule->id, rule->no[j]);
				CHECK(false);
			}
	}
	redact_set_free(set);
}

TEST(there_are_at_least_sixty_formats_of_credentials)
{
	size_t n = 0;

	for (size_t i = 0; i < redact_rule_count(); i++)
		n += redact_rule_at(i)->group == REDACT_CREDENTIAL;
	printf("# %zu formats, %zu rules\n", n, redact_rule_count());
	CHECK(n >= 60);
}

TEST(ids_are_unique_and_plain)
{
	for (size_t i = 0; i < redact_rule_count(); i++) {
		const char *id = redact_rule_at(i)->id;

		for (const char *p = id; *p; p++)
			CHECK(islower((unsigned char)*p) || isdigit((unsigned char)*p) ||
			      *p == '-');
		for (size_t j = 0; j < i; j++)
			CHECK(strcmp(id, redact_rule_at(j)->id) != 0);
	}
}

/* What finder.c relies on: see redact_rule.h. */
static void check_pattern(const char *id, const char *pattern, bool may_end_open)
{
	const char *open = strstr(pattern, ",}");
	bool fine = !strstr(pattern, "\\s") && !strstr(pattern, ".*") && !strstr(pattern, "(?<") &&
		    !strstr(pattern, "+)") && !strstr(pattern, "*)");

	for (const char *p = strstr(pattern, "[^"); p; p = strstr(p + 1, "[^"))
		fine = fine && memmem(p, strcspn(p + 2, "]") + 2, "\\n", 2);
	if (open)
		fine = fine && may_end_open && strspn(open + 2, ")") == strlen(open + 2);
	if (!fine)
		printf("# %s: %s\n", id, pattern);
	CHECK(fine);
}

TEST(no_pattern_matches_a_newline_or_is_open_before_its_end)
{
	for (size_t i = 0; i < redact_rule_count(); i++) {
		const struct redact_rule *rule = redact_rule_at(i);

		check_pattern(rule->id, rule->pattern, true);
		if (rule->find)
			check_pattern(rule->id, rule->find, false);
	}
}

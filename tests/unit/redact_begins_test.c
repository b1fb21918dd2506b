/* SPDX-License-Identifier: Apache-2.0 */
/* redact_begins_test.c - what only begins like a credential starts no pattern.
 *
 * That nothing is lost by that is what redact_shortcuts_test.c is for.
 */
#include "redact/redact_set.h"
#include "redacting.h"
#include "tap.h"

static bool note(void *context, size_t at, size_t rule, size_t *until)
{
	(void)at;
	(void)rule;
	*until = 0;
	*(bool *)context = true;
	return true;
}

/* Does a pattern have to be asked about a text? */
static bool is_taken(const struct redact_set *set, const char *text)
{
	bool found = false;

	(void)starts_find(set->starts, &(struct stretch){text, 0, 0, strlen(text), 0}, note,
			  &found);
	return found;
}

TEST(what_cannot_follow_a_beginning_is_passed_over)
{
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	struct error err = {0};
	char text[] = " SG"
		      ".0123456789012345678901.0123456789012345678901234567890123456789012 ";

	CHECK(redact_set_warm(set, &err) == 0);
	CHECK(is_taken(set, text));
	for (size_t i = 4; i < sizeof(text) - 2; i++) {
		char was = text[i];

		text[i] = '=';
		CHECK(!is_taken(set, text));
		text[i] = was;
	}
	redact_set_free(set);
}

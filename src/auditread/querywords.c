/* SPDX-License-Identifier: Apache-2.0 */
/* querywords.c - is what is asked for a word that the log can hold?
 *
 * A status that there is not is in no record: without this, a word that was mistyped looks
 * like good news.
 */
#include "auditread/querywords.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_MAX = 16, LIST_ROOM = 200 };
static_assert(STATUS_COUNT + 2 < (int)NAMES_MAX, "and one for the end");
static_assert((int)RECORD_KIND_COUNT < (int)NAMES_MAX, "and one for the end");

static int check(const char *word, const char *what, const char *const *names, struct error *err)
{
	char list[LIST_ROOM] = "";
	size_t used = 0;

	for (size_t i = 0; names[i]; i++) {
		if (strcmp(word, names[i]) == 0)
			return 0;
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "",
					 names[i]);
		if (used >= sizeof(list))
			break;
	}
	return fail(err, ERR_CALLER, "there is no %s '%.60s'; give one of %s", what, word, list);
}

int query_check_status(const char *word, struct error *err)
{
	const char *names[NAMES_MAX] = {"aborted", "open"};

	for (unsigned i = 0; i < STATUS_COUNT; i++)
		names[2 + i] = status_name((enum status)i);
	return check(word, "status", names, err);
}

int query_check_decision(const char *word, struct error *err)
{
	static const char *const names[] = {"allow", "ask", "deny", NULL};

	return check(word, "decision", names, err);
}

int query_check_kind(const char *word, struct error *err)
{
	const char *names[NAMES_MAX] = {0};

	for (unsigned i = RECORD_NONE + 1; i < RECORD_KIND_COUNT; i++)
		names[i - 1] = record_kind_name((enum record_kind)i);
	return check(word, "kind of record", names, err);
}
